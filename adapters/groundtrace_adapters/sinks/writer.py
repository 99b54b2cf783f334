"""The thread between what is held and the store: batches, pauses while the store is down, replays of the spool."""

import logging
import time
from collections.abc import Sequence

from groundtrace.invocation import Invocation
from groundtrace.ports import InvocationStore, StoreError
from groundtrace_adapters.sinks.delivery import Delivery, deliver
from groundtrace_adapters.sinks.held import Held
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.reports import report_lost
from groundtrace_adapters.sinks.spool import Spool

BATCH_ROWS = 500
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 15.0
"""Seconds until a store that is down is tried again; doubled each time, up to the longest."""

_log = logging.getLogger("groundtrace.sink")


class Writer:
    """Brings rows to the store, new ones first, then a batch of the spool, in turn."""

    def __init__(self, store: InvocationStore, holding: Holding, spool: Spool | None, /) -> None:
        """Write what `holding` holds; `run` is the thread's body."""
        self._store = store
        self._holding = holding
        self._spool = spool
        self._replay: tuple[Invocation, ...] = ()
        self._pause = 0.0
        self._retry_at = 0.0

    def run(self) -> None:
        """Write until the sink closes and the store has taken what it will."""
        while self._step():
            pass
        self._holding.writer_ended()

    def _step(self) -> bool:
        """Bring one batch of new rows and one of the spool to the store; tell whether there is more to do."""
        batch = self._holding.take(BATCH_ROWS, not_before=self._retry_at)
        works = not batch or self._write(batch)
        if self._holding.closing:
            return bool(batch) and works
        if works:
            self._write_backlog()
        return True

    def _write(self, batch: Sequence[Held], *, again: bool = True) -> bool:
        delivery = deliver(self._store, [held.row for held in batch])
        self._settle([held.row for held in batch], delivery, held=batch)
        if delivery.error is None:
            return True
        rest = batch[len(delivery.answers) :]
        if again and delivery.error.retryable and not self._pause:
            # A connection that broke while it was idle is no outage, and must not cost an answer its evidence.
            return self._write(rest, again=False)
        self._stand_back(delivery.error)
        self._holding.give_back(rest)
        return False

    def _write_backlog(self) -> None:
        if self._spool is None or not (self._replay or self._claim_backlog(self._spool)):
            return
        delivery = deliver(self._store, self._replay)
        self._settle(self._replay, delivery)
        self._replay = self._replay[len(delivery.answers) :]
        self._holding.expect_backlog()
        if delivery.error is not None:
            self._stand_back(delivery.error)
            self._holding.give_back(())
            self._holding.still_spooled(self._replay)

    def _claim_backlog(self, spool: Spool) -> bool:
        if self._holding.claim_backlog():
            self._replay = spool.next_batch(BATCH_ROWS)
        return bool(self._replay)

    def _settle(self, rows: Sequence[Invocation], delivery: Delivery, *, held: Sequence[Held] = ()) -> None:
        answers = delivery.answers
        if answers:
            self._pause = self._retry_at = 0.0
            self._holding.store_answers()
        stored = [row for row, why in zip(rows, answers, strict=False) if why is None]
        self._holding.stored(stored, held=[one for one, why in zip(held, answers, strict=False) if why is None])
        for place, why in enumerate(answers):
            if why is not None:
                self._refuse(rows[place], why, held=held[place : place + 1])

    def _refuse(self, row: Invocation, why: str, *, held: Sequence[Held]) -> None:
        """Give up on a row that the store refuses for good; it is set aside where there is a spool."""
        kept = self._spool.set_aside([row]) if self._spool is not None else None
        report_lost([row], why)
        if kept is not None:
            kept.alt(lambda problem: _log.error("a refused row could not be set aside: %s", problem.line()))
        self._holding.lost([row], why, held=held)

    def _stand_back(self, error: StoreError) -> None:
        self._pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, self._pause * 2))
        self._retry_at = time.monotonic() + self._pause
        _log.warning(
            "the store does not take rows and is tried again in %g s: %s: %s", self._pause, error.fault, error.message
        )
