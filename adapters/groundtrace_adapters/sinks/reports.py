"""How a row that will not be stored is told in the log: by its key and why, never by its content."""

import logging
from collections.abc import Sequence

from groundtrace.invocation import Invocation

NAMED = 10
"""So many rows of one loss are named; the others are counted."""

_log = logging.getLogger("groundtrace.sink")


def report_lost(rows: Sequence[Invocation], why: str, /) -> None:
    """Tell that rows are neither stored nor spooled."""
    for row in rows[:NAMED]:
        _log.error("row %s of session %r is not stored: %s", row.id, row.session_id, why)
    if len(rows) > NAMED:
        _log.error("and %d more rows are not stored: %s", len(rows) - NAMED, why)
