"""One row on its way through a sink, which is the caller's receipt too, and how much of such rows memory may hold."""

import time
from dataclasses import dataclass

from typing_extensions import override

from groundtrace.invocation import Invocation
from groundtrace.pending_row import PendingRow, row_weight
from groundtrace.ports import Acknowledgement, Receipt
from groundtrace_adapters.sinks.announcement import Announcement

_NO_NEWS = Announcement()

LONGEST_WAIT = 366 * 86_400.0
"""Seconds that stand for a deadline without end, which no lock can be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much is held in memory, and for how many seconds while the store does not answer; then the disk has it.

    With what is on its way and the ids of spooled rows, a sink in its worst hour takes 64 MB.
    """

    rows: int = 10_000
    weight: int = 48 * 1024 * 1024
    seconds: float = 1.0


class Held(Receipt):
    """A row on its way: its key, since when (monotonic), its weight in bytes, and where it came to once it has."""

    __slots__ = ("_row", "acknowledgement", "id", "news", "session_id", "since", "weight")

    def __init__(self, row: Invocation | PendingRow, /) -> None:
        """Hold a row that has no place yet."""
        self.session_id = row.session_id
        self.id = row.id
        self.since = time.monotonic()
        self.weight = row.weight if isinstance(row, PendingRow) else row_weight(row)
        self.acknowledgement: Acknowledgement | None = None
        self.news = _NO_NEWS
        """What tells when this row, or a neighbour, may have come to its place; set once it is admitted."""
        self._row = row

    @property
    @override
    def row(self) -> Invocation:
        row = self._row
        if isinstance(row, PendingRow):
            # Two threads that finish it at once come to the same row.
            row = self._row = row.finish()
        return row

    @override
    def wait(self, *, deadline: float) -> Acknowledgement | None:
        until = time.monotonic() + min(deadline, LONGEST_WAIT)
        while (known := self._known()) is None:
            # Asked for before the second look, so that news in between are not missed.
            told = self.news.gate()
            if self._known() is None and not told.wait(max(0.0, until - time.monotonic())):
                return self._known()
        return known

    @override
    async def placed(self) -> Acknowledgement:
        import asyncio

        loop = asyncio.get_running_loop()
        while (known := self._known()) is None:
            told = self.news.future(loop)
            try:
                if self._known() is None:
                    await told
            finally:
                if self._known() is None:
                    # Else it is forgotten by who told the news.
                    self.news.forget(told)
        return known

    def _known(self) -> Acknowledgement | None:
        return self.acknowledgement
