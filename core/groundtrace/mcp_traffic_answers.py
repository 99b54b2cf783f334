"""What an answer to a `tools/call` amounts to (DESIGN section 3): a result by its declared shape, or an error.

Only the flag of a result makes it a failure, never the words of a text; what it holds is read by `classify`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Basis, FailureKind
from groundtrace.shapes.declaring import marked
from groundtrace.text import is_blank

Body: TypeAlias = Mapping[str, JsonValue]

TIMED_OUT = re.compile(
    r"(?:[\w.]+: )?(?:MCP error -\d+: )?(?:Request (?:'[^']{1,200}' )?)?timed out(?: after [\d.]+ ?m?s)?", re.IGNORECASE
)
"""How the SDKs say, as the reason of a cancellation, that they waited no longer: the whole text."""


def outcome_of_result(result: JsonValue, /, *, marks: tuple[str, ...] = ()) -> outcomes.Outcome:
    """Return what a result of MCP amounts to; `marks` say in words what of it was not seen.

    A result without a flag that is true or false is no error, as the protocol has it.
    """
    return marked(classify_output(_declaring(result) if isinstance(result, dict) else result), marks)


def outcome_of_error(error: JsonValue, /) -> outcomes.Outcome:
    """Return the Failure that an error of JSON-RPC is, by its code and its message; a text is its message."""
    return classify_output({"jsonrpc": "2.0", "error": error})


def cancellation(reason: JsonValue, /) -> outcomes.Failure:
    """Return the Failure of a call that its client gave up; the SDKs give up for a timeout in known words."""
    words = _text(reason)
    timed_out = TIMED_OUT.fullmatch(words.strip()) is not None
    kind = FailureKind.TIMEOUT if timed_out else FailureKind.CANCELLED
    message = f"the client gave the call up: {words}" if words else "the client gave the call up"
    return replace(outcomes.failure_because(kind, message), basis=Basis.INFERRED if timed_out else Basis.DECLARED)


def _declaring(result: Body) -> Body:
    """Return a result with its flag: without one it is no error."""
    if not isinstance(result.get("content"), list):
        return result
    told = [flag for name in ("isError", "is_error") if isinstance(flag := result.get(name), bool)]
    structured = result.get("structuredContent", result.get("structured_content"))
    return {"content": result["content"], "structuredContent": structured, "isError": bool(told and told[0])}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) and not is_blank(value) else ""
