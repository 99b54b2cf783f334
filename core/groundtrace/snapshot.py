"""The evidence of one verification as strict JSON, and back: enough to decide again from the record alone.

Holds what the decision depended on (the reply's own facts, each shown row's standing, lost rows, the setting) and what
people ask of it later (summary entries, coverage). No output text, no answer, no reasons.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, NotRequired, TypeAlias

import pydantic
from annotated_types import Ge, Le
from pydantic import ValidationError
from returns import result
from returns.result import Result
from typing_extensions import TypedDict

from groundtrace.decision import UNKNOWN_CHARACTERS, UNKNOWN_KEPT, Exhibit, PassNeeds, exhibit
from groundtrace.entries import EvidenceEntry
from groundtrace.material import time_text
from groundtrace.outcomes import Support
from groundtrace.problem import Problem
from groundtrace.roles import RowState, Shown
from groundtrace.strict_json import parse_json
from groundtrace.text import clean, cut
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict

Parsed: TypeAlias = Result[ParsedVerdict, UnusableReply]

Redact: TypeAlias = Callable[[str], str]
"""Replaces secrets in text; applying it twice changes nothing."""

ENTRIES_KEPT = 200
IDS_KEPT = 50
"""How many supporting ids of one entry are kept; the entry's counts are whole."""

SNAPSHOT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a decision rested on, as read back: the reply as it was read then, and how it came."""

    parsed: Parsed
    finish_reason: str | None
    by_tool_call: bool
    exhibits: tuple[Exhibit, ...]
    lost: tuple[str, ...]
    pass_needs: PassNeeds
    outcomes: Mapping[str, str]
    coverage: tuple[str, ...]


def write_snapshot(
    parsed: Parsed,
    shown: Sequence[Shown],
    /,
    *,
    redact: Redact,
    entries: Sequence[EvidenceEntry] = (),
    coverage: Sequence[str] = (),
    pass_needs: PassNeeds = PassNeeds.ANY,
    unstored: Collection[str] = (),
    finish_reason: object = None,
    by_tool_call: bool = False,
) -> str:
    """Return strict JSON, bounded by the number of shown rows, 200 entries and 200 lines."""
    facts = parsed.map(lambda reply: _reply(reply, shown, redact)).lash(lambda reply: _unusable(reply, redact))
    document = {
        "version": SNAPSHOT_VERSION,
        "reply": facts.unwrap(),
        "finish_reason": None if finish_reason is None else _told(str(finish_reason), redact),
        "by_tool_call": by_tool_call,
        "pass_needs": pass_needs.value,
        "lost": sorted(unstored)[:ENTRIES_KEPT],
        "rows": [_row(one) for one in shown],
        "entries": [_entry(entry) for entry in entries[:ENTRIES_KEPT]],
        "coverage": [clean(line) for line in coverage[:ENTRIES_KEPT]],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def read_snapshot(text: str, /) -> Result[Snapshot, Problem]:
    """Return what `write_snapshot` wrote; a Problem for a record that was written by others or damaged."""
    try:
        kept = _document().validate_json(text)
    except ValidationError as refused:
        first = refused.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return result.Failure(
            Problem(what=first["msg"], where=f"evidence {place}".strip(), mend="the record cannot be decided again")
        )
    return result.Success(
        Snapshot(
            parsed=_parsed(kept["reply"]),
            finish_reason=kept.get("finish_reason"),
            by_tool_call=kept.get("by_tool_call", False),
            exhibits=tuple(_exhibit(row) for row in kept["rows"]),
            lost=tuple(kept["lost"]),
            pass_needs=kept["pass_needs"],
            outcomes={row["label"]: row["outcome"] for row in kept["rows"]},
            coverage=tuple(kept["coverage"]),
        )
    )


def public_evidence(text: str, /, *, whole: bool) -> dict[str, object]:
    """Return the snapshot as JSON values; unless `whole`, without the reply's facts. Damaged text gives nothing."""
    document = parse_json(text).map(lambda read: read.value).value_or(None)
    if not isinstance(document, dict):
        return {}
    hidden = frozenset() if whole else _VERIFIER_TEXT
    return {key: value for key, value in document.items() if key not in hidden}


def hide_words(text: str, /, *, instead: str) -> str:
    """Return the snapshot with each word of the verifier's own that is not ours replaced; damaged text gives `{}`."""
    document = parse_json(text).map(lambda read: read.value).value_or(None)
    reply = document.get("reply") if isinstance(document, dict) else None
    rows = document.get("rows") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(reply, dict) or not isinstance(rows, list):
        return "{}"
    known = {row.get("label") for row in rows if isinstance(row, dict)}
    labels = reply.get("evidence_ids")
    hidden = {
        **reply,
        "given": reply.get("verdict") or (None if reply.get("given") is None else instead),
        "evidence_ids": [label if label in known else instead for label in labels]
        if isinstance(labels, list)
        else None,
    }
    finish = None if document.get("finish_reason") is None else instead
    return json.dumps({**document, "reply": hidden, "finish_reason": finish}, ensure_ascii=False, allow_nan=False)


_VERIFIER_TEXT = frozenset({"reply", "finish_reason"})


def _reply(reply: ParsedVerdict, shown: Sequence[Shown], redact: Redact) -> dict[str, object]:
    """Keep each known label and as many unknown ones as a decision keeps."""
    known = {one.label for one in shown}
    labels = reply.evidence_ids
    kept = set([label for label in labels or () if label not in known][:UNKNOWN_KEPT])
    return {
        "verdict": reply.verdict.value,
        "given": _told(reply.given, redact),
        "lowered": reply.lowered.value if reply.lowered else None,
        "evidence_ids": None
        if labels is None
        else [label if label in known else _told(label, redact) for label in labels if label in known or label in kept],
    }


def _unusable(reply: UnusableReply, redact: Redact) -> Result[dict[str, object], UnusableReply]:
    given = None if reply.given is None else _told(reply.given, redact)
    return result.Success({"cause": reply.cause.value, "given": given})


def _told(text: str, redact: Redact) -> str:
    return cut(redact(clean(text[: UNKNOWN_CHARACTERS * 10])), UNKNOWN_CHARACTERS)


def _row(one: Shown) -> dict[str, object]:
    row, standing = one.row, exhibit(one)
    return {
        "label": one.label,
        "id": row.id,
        "tool": row.tool_name,
        "topic": row.topic_domain,
        "outcome": row.outcome.value,
        "support": standing.support.value if standing.support else None,
        "reason": row.reason,
        "partial": row.partial,
        "basis": row.basis.value,
        "state": one.state.value,
        "whole": one.whole,
        "age_seconds": one.age_seconds,
    }


def _entry(entry: EvidenceEntry) -> dict[str, object]:
    return {
        "tool_name": entry.tool_name,
        "topic_domain": entry.topic_domain,
        "level": entry.level.value,
        "calls": entry.calls,
        "successes": entry.successes,
        "failures": entry.failures,
        "no_evidence": entry.no_evidence,
        "deduped": entry.deduped,
        "partial": entry.partial,
        "repeated": entry.repeated,
        "first_at": time_text(entry.first_at),
        "last_at": time_text(entry.last_at),
        "supporting_ids": list(entry.supporting_ids[:IDS_KEPT]),
        "errors": list(entry.errors),
    }


class _KeptReply(TypedDict, total=False):
    verdict: Verdict | None
    cause: Cause | None
    given: str | None
    lowered: Cause | None
    evidence_ids: list[str] | None


class _KeptRow(TypedDict):
    label: str
    id: str
    outcome: str
    support: Support | None
    state: RowState


class _Document(TypedDict):
    version: Annotated[int, Ge(1), Le(SNAPSHOT_VERSION)]
    reply: _KeptReply
    finish_reason: NotRequired[str | None]
    by_tool_call: NotRequired[bool]
    pass_needs: PassNeeds
    lost: list[str]
    rows: list[_KeptRow]
    coverage: list[str]


@cache
def _document() -> "pydantic.TypeAdapter[_Document]":
    """Return the reader of a document, made at its first use: making it doubles what an import costs."""
    return pydantic.TypeAdapter(_Document)


def _parsed(kept: _KeptReply) -> Parsed:
    verdict, given = kept.get("verdict"), kept.get("given")
    if verdict is None:
        return result.Failure(UnusableReply(cause=kept.get("cause") or Cause.VERIFIER_ERROR, given=given))
    labels = kept.get("evidence_ids")
    return result.Success(
        ParsedVerdict(
            verdict=verdict,
            given=given or "",
            evidence_ids=None if labels is None else tuple(labels),
            lowered=kept.get("lowered"),
        )
    )


def _exhibit(kept: _KeptRow) -> Exhibit:
    return Exhibit(label=kept["label"], id=kept["id"], support=kept["support"], state=kept["state"])
