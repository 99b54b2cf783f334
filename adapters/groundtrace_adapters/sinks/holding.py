"""The rows that a sink holds in memory, bounded in rows and bytes, and what became of those it no longer holds.

A monitor: every method may be called from any thread, and nothing here touches a disk or a store, so that no caller
ever waits behind one. The writer takes rows and settles them; the spooler brings to the disk what waits in vain.
"""

import threading
import time
from collections.abc import Iterable, Sequence

from groundtrace.invocation import Invocation
from groundtrace.ports import Flushed
from groundtrace_adapters.sinks.held import Bounds, Held, weight_of
from groundtrace_adapters.sinks.ledger import Ledger
from groundtrace_adapters.sinks.waiting_rows import WaitingRows

_NEVER = float("inf")
_AT_ONCE = 0.0

_SLOW_FROM = 0.5
"""From this share of the bounds on, a caller waits a moment before its row is taken."""


class Holding:
    """Rows on their way to a place: the store, the spool, or the list of lost ones."""

    def __init__(self, bounds: Bounds, /, *, spool: bool) -> None:
        """Hold nothing yet; with a `spool`, which may hold rows of an earlier run, there is a second way to a place."""
        self._patience_with_store = bounds.seconds
        # Reentrant, since the garbage collector may end a recorded stream, and so put its row, anywhere.
        lock = threading.RLock()
        self._work = threading.Condition(lock)
        self._pressure = threading.Condition(lock)
        self._placed = threading.Condition(lock)
        self._waiting = WaitingRows(bounds)
        self._ledger = Ledger()
        self._spool = self._backlog = spool
        self._answered_at = 0.0
        self._spool_at = _NEVER
        self._crowded = False
        self._spooler_watches = False
        self._closing = False
        self._writer_ended = False

    @property
    def closing(self) -> bool:
        """Tell whether no more rows are taken."""
        return self._closing

    # The callers

    def put(self, row: Invocation, /, *, patience: float) -> str | None:
        """Take a row, waiting for room at most `patience` seconds; else note it as lost and return why.

        From half full on each caller waits a moment, so that one that floods the sink gives the store time to keep up.
        """
        weight = weight_of(row)
        with self._placed:
            if self._waiting.is_full(weight, share=_SLOW_FROM):
                self._wait_for_room(weight, patience)
            if not self._closing and not self._waiting.is_full(weight):
                self._admit(row, weight)
                return None
            why = "the sink is closed" if self._closing else "the queue is full, and neither store nor spool takes rows"
            self._ledger.lost(row, why)
            return why

    def flush(self, session_id: str, /, *, seconds: float) -> Flushed:
        """Wait until each row of the session put before now is placed, and name those that are not stored."""
        with self._placed:
            last = self._waiting.last_ticket
            self._placed.wait_for(lambda: not self._waiting.of_session(session_id, until=last), max(0.0, seconds))
            late = {held.row.id for held in self._waiting.of_session(session_id, until=last)}
            known = self._ledger.flushed(session_id)
        why = f"it was still on its way to the store after {seconds:g} s"
        return Flushed(spooled=known.spooled - late, lost={**known.lost, **dict.fromkeys(late, why)})

    def close(self, *, seconds: float) -> None:
        """Take no more rows; leave the store half of the time for those that wait, and the spool the rest of it."""
        with self._placed:
            self._closing = True
            now = time.monotonic()
            self._spool_at = min(self._spool_at, now + seconds / 2)
            for condition in (self._work, self._pressure, self._placed):
                condition.notify_all()
            self._placed.wait_for(self._has_come_to_rest, max(0.0, seconds))

    def give_up(self, why: str, /) -> tuple[Invocation, ...]:
        """Note what still waits as lost and return it."""
        with self._placed:
            rest = self._waiting.oldest(len(self._waiting), untaken_only=False)
            self.lost([held.row for held in rest], why, held=rest)
            return tuple(held.row for held in rest)

    # The writer

    def take(self, limit: int, /, *, not_before: float) -> list[Held]:
        """Return rows for the store once there are any and the time has come; none if only the spool has some."""
        with self._work:
            while not self._closing:
                ready = self._waiting.untaken > 0 or self._backlog
                pause = not_before - time.monotonic()
                if ready and pause <= 0:
                    break
                self._work.wait(pause if ready else None)
            return self._waiting.take(limit)

    def give_back(self, rows: Sequence[Held], /) -> None:
        """Take back rows that the store did not take; until it answers, waiting rows go to the spool at once."""
        with self._pressure:
            self._waiting.give_back(rows)
            self._spool_at = _AT_ONCE
            self._pressure.notify()

    def store_answers(self) -> None:
        """Note that the store works: rows may wait for it."""
        with self._work:
            self._answered_at = time.monotonic()
            self._spool_at = self._spool_at if self._closing else _NEVER

    def stored(self, rows: Iterable[Invocation], /, *, held: Iterable[Held] = ()) -> None:
        """Note rows that the store has; those that were held are placed."""
        with self._placed:
            for row in rows:
                self._ledger.stored(row)
            self._place(held)

    def lost(self, rows: Iterable[Invocation], why: str, /, *, held: Iterable[Held] = ()) -> None:
        """Note rows that are neither stored nor spooled; those that were held are placed."""
        with self._placed:
            for row in rows:
                self._ledger.lost(row, why)
            self._place(held)

    def still_spooled(self, rows: Iterable[Invocation], /) -> None:
        """Note rows that were found in the spool and could not be stored."""
        with self._placed:
            self._ledger.spooled(rows)

    def writer_ended(self) -> None:
        """Note that no more rows will be stored."""
        with self._placed:
            self._writer_ended = True
            self._placed.notify_all()

    def claim_backlog(self) -> bool:
        """Tell whether the spool may hold rows, and count it as empty until `expect_backlog` is called again."""
        with self._work:
            there, self._backlog = self._backlog, False
            return there

    def expect_backlog(self) -> None:
        """Note that the spool holds rows to be replayed."""
        with self._work:
            self._backlog = True
            self._work.notify()

    # The spooler

    def take_to_spool(self, limit: int, /) -> list[Held] | None:
        """Return the oldest waiting rows once they must go to the spool; None when the sink closes and none wait.

        They are noted as spooled before they are: once written, a replay may store them before `spooled` is called.
        """
        with self._pressure:
            while (due := self._spool_due()) > time.monotonic():
                if self._closing and not self._waiting:
                    return None
                self._spooler_watches = due < _NEVER
                self._pressure.wait(due - time.monotonic() if due < _NEVER else None)
            # Where room is short, it is made in small steps, and not of what the store is just being given.
            crowded, self._crowded = self._crowded, False
            untaken_only = crowded and self._waiting.untaken > 0
            batch = self._waiting.oldest(limit // 5 if crowded else limit, untaken_only=untaken_only)
            self._ledger.spooled(held.row for held in batch)
            return batch

    def spooled(self, rows: Iterable[Held], /) -> None:
        """Note rows that are on disk now."""
        with self._placed:
            self._place(rows)
            self.expect_backlog()

    def not_spooled(self, rows: Iterable[Held], /, *, pause: float) -> None:
        """Note that the spool did not take rows, which wait on, and hold the spooler for `pause` seconds."""
        with self._pressure:
            for held in rows:
                self._ledger.stored(held.row)
            closing = self._closing
            self._pressure.wait_for(lambda: self._closing is not closing, pause)

    def _admit(self, row: Invocation, weight: int) -> None:
        self._waiting.admit(row, weight)
        if self._waiting.untaken == 1:
            self._work.notify()
        if not self._spooler_watches:
            self._pressure.notify()

    def _place(self, rows: Iterable[Held]) -> None:
        self._waiting.place(rows)
        self._placed.notify_all()
        if self._closing and not self._waiting:
            self._pressure.notify()

    def _wait_for_room(self, weight: int, seconds: float) -> None:
        """Give the store a moment; where there is no room at all, give it a little longer, then ask the spool too."""
        self._wait_until_below(_SLOW_FROM, weight, seconds / 16)
        if not self._wait_until_below(1.0, weight, seconds / 4):
            self._crowded = True
            self._pressure.notify()
            self._wait_until_below(1.0, weight, seconds * 11 / 16)

    def _wait_until_below(self, share: float, weight: int, seconds: float) -> bool:
        return self._placed.wait_for(lambda: self._closing or not self._waiting.is_full(weight, share=share), seconds)

    def _has_come_to_rest(self) -> bool:
        return not self._waiting or (self._writer_ended and not self._spool)

    def _spool_due(self) -> float:
        if not self._waiting:
            return _NEVER
        unanswered_since = max(self._waiting.oldest_since, self._answered_at)
        return _AT_ONCE if self._crowded else min(unanswered_since + self._patience_with_store, self._spool_at)
