"""The thread between what is held and the disk: whatever the store does not take in time is fsynced by it."""

import time

from groundtrace.problem import Problem
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.sinks.building import built, writable
from groundtrace_adapters.sinks.held import Held
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.sinks.spool_lines import UNWRITABLE

BATCH_ROWS = 500
PAUSE = 1.0
"""Seconds until a spool that refused rows is tried again."""

BETWEEN_REPORTS = 10.0
"""Seconds between two lines in the log that say how many rows were spooled."""

_log = CarefulLog("groundtrace.sink")


class Spooler:
    """Brings waiting rows to the spool: when the store is down, hangs, is slower than its callers, or at the close."""

    def __init__(self, holding: Holding, spool: Spool, /) -> None:
        """Spool what waits in `holding` in vain; `run` is the thread's body."""
        self._holding = holding
        self._spool = spool
        self._untold = 0
        self._quiet_until = 0.0

    def run(self) -> None:
        """Spool until the sink closes and holds no row."""
        while (taken := self._holding.take_to_spool(BATCH_ROWS)) is not None:
            self._bring(built(taken, self._holding))
        if self._untold:
            self._tell()

    def _bring(self, batch: list[Held]) -> None:
        if not batch:
            return
        try:
            refused = self._spool.append([held.row for held in batch]).swap().value_or(None)
        except UNWRITABLE:
            # Which of them is looked for one by one: rare, and the way that finds nothing stays quick.
            self._bring(writable(batch, self._holding))
            return
        if isinstance(refused, Problem):
            self._wait(batch, refused)
        else:
            self._report(len(batch))
            self._holding.spooled(batch)

    def _report(self, rows: int) -> None:
        """Tell of the first rows at once, and of those that follow now and then: an outage has many batches."""
        self._untold += rows
        if time.monotonic() >= self._quiet_until:
            self._tell()

    def _tell(self) -> None:
        _log.warning("%s spooled, to be stored later", "1 row is" if self._untold == 1 else f"{self._untold} rows are")
        self._untold, self._quiet_until = 0, time.monotonic() + BETWEEN_REPORTS

    def _wait(self, batch: list[Held], refused: Problem) -> None:
        many = (
            "1 row cannot be spooled and waits" if len(batch) == 1 else f"{len(batch)} rows cannot be spooled and wait"
        )
        _log.error("%s in memory: %s", many, refused.line())
        self._holding.not_spooled(batch, pause=PAUSE if not self._holding.closing else PAUSE / 20)
