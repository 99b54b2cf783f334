"""A row as an `execute_tool` span: name, times, attributes and error; values only.

Without `content` nothing of what the tool was given or returned is among them, nor any word taken from it.
"""

from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace_adapters.telemetry import names

Attributes: TypeAlias = dict[str, str | bool | int | float]

NO_LEVEL = "NONE"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def span_name(row: Invocation, /) -> str:
    """Return `execute_tool NAME`, as the conventions say."""
    return f"{names.EXECUTE_TOOL} {row.tool_name}"


def span_times(row: Invocation, /) -> tuple[int, int]:
    """Return the row's own start and end in nanoseconds; the same where a trace did not say how long it took."""
    began = nanoseconds(row.started_at)
    return began, began + (row.duration_ms or 0) * 1_000_000


def nanoseconds(moment: datetime, /) -> int:
    """Return a time as OpenTelemetry writes it, exactly; 0 for one before 1970, which it cannot write."""
    return max(0, (moment - _EPOCH) // _MICROSECOND * 1_000)


def error_type(row: Invocation, /) -> str | None:
    """Return the kind of a failure; None for any other outcome: nothing found, and a repeat, are no errors."""
    return row.reason or names.OTHER if row.outcome is OutcomeKind.FAILURE else None


def call_attributes(row: Invocation, /, *, content: bool) -> Attributes:
    """Return the attributes of a row's span; with `content` also its redacted parameters, output and message."""
    told: dict[str, str | bool | int | float | None] = {
        names.OPERATION: names.EXECUTE_TOOL,
        names.TOOL: row.tool_name,
        names.CONVERSATION: row.session_id,
        names.ERROR_TYPE: error_type(row),
        names.INVOCATION: row.id,
        names.TURN: row.turn_id,
        names.OUTCOME: row.outcome.value,
        names.REASON: row.reason,
        names.LEVEL: NO_LEVEL if row.support is None else row.support.value,
        names.BASIS: row.basis.value,
        names.PARTIAL: row.partial,
        names.OUTPUT_STATE: row.output_state.value,
        names.OUTPUT_BYTES: row.output_bytes,
        names.RETRIEVAL_LAYER: row.retrieval_layer and row.retrieval_layer.value,
        names.RELEVANCE: row.relevance_level and row.relevance_level.value,
        names.CONSIDERED: row.l0_count,
        names.DELIVERED: row.l1_count,
        **(_content(row) if content else {}),
    }
    return {name: value for name, value in told.items() if value is not None}


def _content(row: Invocation) -> dict[str, str | None]:
    return {
        names.TOPIC: row.topic_domain,
        names.ARGUMENTS: row.input_params,
        names.RESULT: row.output_preview,
        names.FAILURE_MESSAGE: row.error_message,
    }
