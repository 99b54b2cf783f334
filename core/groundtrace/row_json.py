"""A row as one line of strict JSON and back: the form of the spool, of exports and of `show --json`.

Columns keep their names. The columns that are JSON text in a store (`input_params`, `retrieval_details`, `details`)
are text here too, so that a row read back equals the row written, byte by byte.
"""

from dataclasses import fields
from datetime import UTC
from functools import cache

import pydantic
from pydantic import ConfigDict, ValidationError, with_config
from returns import result
from returns.result import Result
from typing_extensions import TypedDict

from groundtrace.invocation import Invocation, OutputState
from groundtrace.json_text import plain
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.problem import Problem
from groundtrace.refusals import refusal
from groundtrace.retrieval import Layer, Relevance

_MEND = "a row is one line as `groundtrace show --json` prints it"
_COLUMNS = tuple(column.name for column in fields(Invocation))


@with_config(ConfigDict(extra="forbid", strict=True))
class _Row(TypedDict):
    session_id: str
    id: str
    turn_id: str | None
    seq: int
    tool_name: str
    topic_domain: str
    outcome: OutcomeKind
    support: Support | None
    reason: str | None
    partial: bool
    basis: Basis
    input_params: str
    input_fingerprint: str
    started_at: "pydantic.AwareDatetime"
    duration_ms: int | None
    success: bool
    output_preview: str | None
    output_state: OutputState
    output_bytes: int | None
    output_sha256: str | None
    error_message: str | None
    retrieval_layer: Layer | None
    l0_count: int | None
    l1_count: int | None
    relevance_level: Relevance | None
    retrieval_details: str | None
    dedup_reason: str | None
    details: str


@cache
def _reader() -> "pydantic.TypeAdapter[_Row]":
    """Return the reader of a line, made at its first use: making it doubles what an import costs."""
    return pydantic.TypeAdapter(_Row)


def row_to_json(row: Invocation, /) -> str:
    """Return a row as one line of strict JSON without its line end; times are RFC 3339 in UTC."""
    members = {name: getattr(row, name) for name in _COLUMNS}
    members["started_at"] = row.started_at.astimezone(UTC).isoformat()
    return plain(members)


def row_from_json(text: str, /) -> Result[Invocation, Problem]:
    """Return the row that one line holds; total: whatever is no row, or only a part of one, is a Problem."""
    try:
        members = _reader().validate_json(text.encode("utf-8", "replace"))
        members["started_at"] = members["started_at"].astimezone(UTC)
    except ValidationError as refused:
        return result.Failure(refusal(refused, mend=_MEND))
    except OverflowError:
        return result.Failure(Problem(what="this time is outside the calendar", where="started_at", mend=_MEND))
    return result.Success(Invocation(**members))
