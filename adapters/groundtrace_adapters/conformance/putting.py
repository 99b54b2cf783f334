"""Rows put into a sink, and what is heard of them, for the suites of sinks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

import pytest

from groundtrace.invocation import Invocation
from groundtrace.ports import Flushed, RowSink
from groundtrace_adapters.conformance.cases import eventually
from groundtrace_adapters.conformance.moody_store import Mood
from groundtrace_adapters.conformance.records import a_row

SESSION = "acme/outage"
STORED = Flushed()
HELD_AT_MOST = 0.25
SLACK = 0.5
PATIENT = 30.0
"""Seconds after which a sink that is asked for the store alone spools: longer than any stall of a busy machine."""

BAD_MOODS = (Mood.FAILS, Mood.RAISES, Mood.HANGS, Mood.MISCOUNTS)


def numbered(count: int, /, *, session: str = SESSION, prefix: str = "row") -> list[Invocation]:
    return [a_row(session_id=session, id=f"{prefix}-{number}", seq=number) for number in range(count)]


def put_all(sink: RowSink, rows: list[Invocation], /) -> float:
    """Put rows and return how long the slowest took."""
    return max(seconds_of(partial(sink.put, row)) for row in rows)


def all_stored(sink: RowSink, /) -> bool:
    """Tell whether all rows of the session get into the store; a slow moment may have sent some by the spool."""
    return eventually(lambda: sink.flush(SESSION, deadline=10) == STORED)


def seconds_of(act: Callable[[], object]) -> float:
    begun = time.monotonic()
    act()
    return time.monotonic() - begun


def reported(caplog: pytest.LogCaptureFixture, row_id: str, /) -> bool:
    """Tell whether an error in the log names a row."""
    return any(entry.levelno >= logging.ERROR and f"row {row_id} " in entry.getMessage() for entry in caplog.records)
