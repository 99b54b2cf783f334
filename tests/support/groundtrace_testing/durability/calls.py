"""Calls that are made from their ids alone, so that whatever a store then holds is compared whole."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from groundtrace import outcomes
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.outcomes import Support
from groundtrace.recording import RecordRules, record
from groundtrace.redaction import Redactor

RULES: Final = RecordRules(redactor=Redactor(bytes(range(32))))
BEGUN: Final = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)
_OUTPUT: Final = "2026-03-08T11:59:58Z checkout pool exhausted: 40 of 40 connections in use, waited 5.0 s\n"
_LINES: Final = 9


def call_of(session_id: str, row_id: str, /) -> ToolCall:
    """The call of a row; an id ends in `-` and its number."""
    number = int(row_id.rpartition("-")[2])
    return ToolCall(
        session_id=session_id,
        id=row_id,
        tool_name="query_logs",
        input_params={"selector": '{app="checkout"}', "limit": 100, "call": row_id},
        started_at=BEGUN + timedelta(milliseconds=number),
        duration_ms=12,
        turn_id="turn-1",
        seq=number,
    )


def outcome_of(row_id: str, /) -> outcomes.Outcome:
    """What the call of a row found, about 1 KB of it."""
    return outcomes.Success(support=Support.DIRECT, output=f"{row_id}\n" + _OUTPUT * _LINES)


def row_of(session_id: str, row_id: str, /) -> Invocation:
    """The row that must be in the store."""
    return record(call_of(session_id, row_id), outcome_of(row_id), rules=RULES)
