"""The thread between what is held and the disk: whatever the store does not take in time is fsynced by it."""

import logging

from groundtrace.problem import Problem
from groundtrace_adapters.sinks.held import Held
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.spool import Spool

BATCH_ROWS = 500
PAUSE = 1.0
"""Seconds until a spool that refused rows is tried again."""

_log = logging.getLogger("groundtrace.sink")


class Spooler:
    """Brings waiting rows to the spool: when the store is down, hangs, is slower than its callers, or at the close."""

    def __init__(self, holding: Holding, spool: Spool, /) -> None:
        """Spool what waits in `holding` in vain; `run` is the thread's body."""
        self._holding = holding
        self._spool = spool

    def run(self) -> None:
        """Spool until the sink closes and holds no row."""
        while (batch := self._holding.take_to_spool(BATCH_ROWS)) is not None:
            refused = self._spool.append([held.row for held in batch]).swap().value_or(None)
            if isinstance(refused, Problem):
                self._wait(batch, refused)
            else:
                _log.warning("%d rows are spooled, to be stored later", len(batch))
                self._holding.spooled(batch)

    def _wait(self, batch: list[Held], refused: Problem) -> None:
        _log.error("%d rows cannot be spooled and wait in memory: %s", len(batch), refused.line())
        self._holding.not_spooled(batch, pause=PAUSE if not self._holding.closing else PAUSE / 20)
