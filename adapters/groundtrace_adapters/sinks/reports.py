"""How a bad day of a sink is told in the log: rows by their key and why, never by their content."""

from collections.abc import Sequence

from groundtrace.ports import StoreError
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.sinks.ledger import Keyed

NAMED = 10
"""So many rows of one loss are named; the others are counted."""

_log = CarefulLog("groundtrace.sink")


def report_lost(rows: Sequence[Keyed], why: str, /) -> None:
    """Tell that rows are neither stored nor spooled."""
    for row in rows[:NAMED]:
        _log.error("row %s of session %r is not stored: %s", row.id, row.session_id, why)
    if len(rows) > NAMED:
        _log.error("and %d more rows are not stored: %s", len(rows) - NAMED, why)


def report_pause(error: StoreError, seconds: float, /) -> None:
    """Tell that the store did not take rows, and when it is tried again."""
    _log.warning("the store does not take rows and is tried again in %g s: %s: %s", seconds, error.fault, error.message)
