"""What an answer to a `tools/call` amounts to (DESIGN section 3): the result's own flag, its blocks, or its error.

The flag decides first, and only a flag that is true or false is one. What a call without it holds is read block by
block with the rules of `classify`; the words of a text never make it a failure.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.encoding import output_of
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Output, Support
from groundtrace.text import is_blank

Body: TypeAlias = Mapping[str, JsonValue]

TIMED_OUT = re.compile(
    r"(?:[\w.]+: )?(?:MCP error -\d+: )?(?:Request (?:'[^']{1,200}' )?)?timed out(?: after [\d.]+ ?m?s)?", re.IGNORECASE
)
"""How the SDKs say, in the reason of a cancellation or as an error, that they waited no longer: the whole text."""


def outcome_of_result(result: JsonValue, /, *, marks: tuple[str, ...] = ()) -> outcomes.Outcome:
    """Return what a result of MCP amounts to; `marks` say in words what of it was not seen."""
    if not isinstance(result, dict):
        return marked(classify_output(result), marks)
    if _flag(result) is True:
        return _reported(result)
    pieces = _pieces(result)
    if not pieces:
        empty = output_of(result)
        return marked(outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=empty), marks)
    read = [classify_output(piece) for piece in pieces]
    some = [one for one in read if not isinstance(one, outcomes.NoEvidence)]
    found = (some or read)[0] if len(pieces) == 1 or not some else _together(read, pieces)
    return marked(found, marks)


def outcome_of_error(error: Body, /) -> outcomes.Failure:
    """Return the Failure that an error of JSON-RPC is; without a message its code stands for it."""
    message = _text(error.get("message"))
    kind, basis = _told_kind(message, otherwise=FailureKind.ERROR)
    failure = outcomes.failure_because(kind, message or f"the server answered with the error {error.get('code')}")
    data = error.get("data")
    return replace(failure, basis=basis, output=None if data is None else output_of(data))


def cancellation(reason: JsonValue, /) -> outcomes.Failure:
    """Return the Failure of a call that its client gave up; the SDKs give up for a timeout in known words."""
    words = _text(reason)
    kind, basis = _told_kind(words, otherwise=FailureKind.CANCELLED)
    message = f"the client cancelled the call: {words}" if words else "the client cancelled the call"
    return replace(outcomes.failure_because(kind, message), basis=basis)


def marked(outcome: outcomes.Outcome, marks: tuple[str, ...], /) -> outcomes.Outcome:
    """Return an outcome of which something was not seen: never DIRECT, and no proof of absence."""
    if not marks:
        return outcome
    match outcome:
        case outcomes.Success():
            return replace(outcome, support=Support.INDIRECT, partial=(*outcome.partial, *marks))
        case outcomes.NoEvidence():
            reason = NoEvidenceReason.PARTIAL_EMPTY
            return replace(outcome, reason=reason, partial=(*outcome.partial, *marks))
        case outcomes.Deduped() | outcomes.Failure():
            return outcome


def _told_kind(words: str, *, otherwise: FailureKind) -> tuple[FailureKind, Basis]:
    if TIMED_OUT.fullmatch(words.strip()):
        return FailureKind.TIMEOUT, Basis.INFERRED
    return otherwise, Basis.DECLARED


def _flag(result: Body) -> JsonValue:
    return next((flag for name in ("isError", "is_error") if isinstance(flag := result.get(name), bool)), None)


def _reported(result: Body) -> outcomes.Failure:
    pieces = _pieces(result)
    texts = [piece for piece in pieces if isinstance(piece, str) and not is_blank(piece)]
    told = "; ".join(texts) or (str(output_of(pieces[0])) if pieces else "")
    failure = outcomes.failure_because(FailureKind.ERROR, told or "the tool reported an error without a text")
    return replace(failure, output=_whole(pieces) if pieces else None)


def _pieces(result: Body) -> list[JsonValue]:
    """Return the blocks, texts as texts; the structured content where no block says anything."""
    content = result.get("content")
    blocks = [_block(item) for item in content] if isinstance(content, list) else []
    said = [piece for piece in blocks if not (isinstance(piece, str) and is_blank(piece))]
    structured = result.get("structuredContent", result.get("structured_content"))
    if said or structured is None:
        return blocks if blocks or "content" in result else [dict(result)]
    # The SDKs wrap what is no object: `[]` is told as `{"result": []}`.
    return [structured["result"] if isinstance(structured, dict) and structured.keys() == {"result"} else structured]


def _block(item: JsonValue) -> JsonValue:
    if not isinstance(item, dict):
        return item
    resource = item.get("resource")
    inner = resource.get("text") if isinstance(resource, dict) else item.get("text")
    return inner if isinstance(inner, str) else item


def _together(read: list[outcomes.Outcome], pieces: list[JsonValue]) -> outcomes.Outcome:
    """Return several blocks as one Success: each that says something counts, and what one did not see stays unseen."""
    unseen = tuple(
        mark for one in read if isinstance(one, outcomes.Success | outcomes.NoEvidence) for mark in one.partial
    )
    failed = next((one for one in read if isinstance(one, outcomes.Failure)), None)
    if failed is not None and not any(isinstance(one, outcomes.Success) for one in read):
        return failed
    return outcomes.Success(support=Support.INDIRECT, output=_whole(pieces), partial=unseen)


def _whole(pieces: list[JsonValue]) -> Output:
    if all(isinstance(piece, str) for piece in pieces):
        return "\n".join(str(piece) for piece in pieces)
    return output_of(pieces[0] if len(pieces) == 1 else pieces)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) and not is_blank(value) else ""
