"""The recorders of a call, `record` and `record_retrieval`, and durations of imported traces (DESIGN section 4).

Both are the snapshot of the call (`pending_row`) turned into its row at once (`row_building`). How a row is read back
is `outcome_of` in `reading`.
"""

from datetime import datetime

from groundtrace import outcomes
from groundtrace.invocation import LARGEST, Invocation, ToolCall
from groundtrace.pending_row import pending, pending_retrieval
from groundtrace.reading import classify_foreign, outcome_of, row_digest
from groundtrace.retrieval import Retrieval
from groundtrace.row_building import RecordRules

__all__ = [
    "RecordRules",
    "classify_foreign",
    "duration_from",
    "milliseconds_from",
    "outcome_of",
    "record",
    "record_retrieval",
    "row_digest",
]


def record(call: ToolCall, outcome: outcomes.Outcome, /, *, rules: RecordRules) -> Invocation:
    """Return the row of one call of an evidence tool; total, and equal for equal arguments."""
    return pending(call, outcome, rules=rules).finish()


def record_retrieval(
    call: ToolCall, retrieval: Retrieval | None, outcome: outcomes.Outcome, /, *, rules: RecordRules
) -> Invocation:
    """Return the row of one retrieval-aware call; `retrieval` is None when it failed before the search."""
    return pending_retrieval(call, retrieval, outcome, rules=rules).finish()


def duration_from(start: datetime | None, end: datetime | None, /) -> tuple[int | None, bool]:
    """Return whole milliseconds between two wall-clock times of an imported trace, and whether the clock ran back.

    A missing time gives None, never 0; so does an end before its start, which is then flagged as clock skew. Times
    without a zone cannot be told apart from ones with: they give None.
    """
    if start is None or end is None or (start.tzinfo is None) != (end.tzinfo is None):
        return None, False
    milliseconds = round((end - start).total_seconds() * 1_000)
    return (milliseconds, False) if end >= start else (None, True)


def milliseconds_from(value: object, /) -> int | None:
    """Return a duration that a trace states in milliseconds, rounded; None unless it is a number from 0 to 2**63."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    milliseconds = round(value)
    return milliseconds if milliseconds <= LARGEST else None
