"""The rows that a sink holds in memory, bounded in rows and bytes, and what became of those it no longer holds.

A monitor: every method may be called from any thread, and nothing here touches a disk or a store, so that no caller
ever waits behind one. The writers take rows and settle them; the spooler brings to the disk what waits in vain.
"""

import threading
import time
from collections.abc import Iterable, Sequence

from groundtrace.invocation import Invocation
from groundtrace.ports import Acknowledgement, Flushed, Place
from groundtrace_adapters.sinks.announcement import Announcement
from groundtrace_adapters.sinks.held import Bounds, Held
from groundtrace_adapters.sinks.ledger import Ledger
from groundtrace_adapters.sinks.reports import Losses
from groundtrace_adapters.sinks.waiting_rows import WaitingRows

_NEVER = float("inf")
_AT_ONCE = 0.0

_SLOW_FROM = 0.5
"""From this share of the bounds on, a caller waits a moment before its row is taken."""

_BATCH_SHARE = 4
"""While a batch is on its way, the next one leaves once it has a quarter of all rows that wait."""

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 15.0
"""Seconds until a store that is down is tried again; doubled each time, up to the longest."""

_STORED = Acknowledgement(place=Place.STORED)
_SPOOLED = Acknowledgement(place=Place.SPOOLED)


class Holding:
    """Rows on their way to a place: the store, the spool, or the list of lost ones."""

    def __init__(self, bounds: Bounds, /, *, spool: bool) -> None:
        """Hold nothing yet; with a `spool`, which may hold rows of an earlier run, there is a second way to a place."""
        self._patience_with_store = bounds.seconds
        # Reentrant, since the garbage collector may end a recorded stream, and so put its row, anywhere.
        # Entered as itself and never as a condition, which an exception of a signal handler may leave held.
        self._lock = threading.RLock()
        self._work = threading.Condition(self._lock)
        self._pressure = threading.Condition(self._lock)
        self._placed = threading.Condition(self._lock)
        self._waiting = WaitingRows(bounds)
        self._news = Announcement()
        self._ledger = Ledger()
        self.losses = Losses()
        self._spool = self._backlog = spool
        self._answered_at = 0.0
        self._spool_at = _NEVER
        self._pause = self._retry_at = 0.0
        self._crowded = False
        self._spool_refuses = not spool
        self._spooler_watches = False
        self._called = False
        self._closing = False
        self._writers = 0

    @property
    def closing(self) -> bool:
        """Tell whether no more rows are taken."""
        return self._closing

    @property
    def stands_back(self) -> bool:
        """Tell whether the store refused the last batch."""
        return self._pause > 0

    # The callers

    def put(self, held: Held, /, *, patience: float) -> str | None:
        """Take a row, waiting for room at most `patience` seconds; else note it as lost and return why.

        From half full on each caller waits a moment, so that one that floods the sink gives the store time to keep up.
        Nobody waits in vain, where neither store nor spool took rows when they were last asked, or the store is silent.
        """
        with self._lock:
            half_full = self._waiting.is_full(held.weight, share=_SLOW_FROM)
            if half_full and not self._no_way_out:
                self._wait_for_room(held.weight, patience)
            if not self._closing and not (half_full and self._waiting.is_full(held.weight)):
                self._admit(held)
                return None
            why = "the sink is closed" if self._closing else "the queue is full, and neither store nor spool takes rows"
            held.acknowledgement = Acknowledgement(place=Place.REFUSED, why=why)
            self._ledger.lost(held, why)
            return why

    def flush(self, session_id: str, /, *, seconds: float) -> Flushed:
        """Wait until each row of the session put before now is placed, and name those that are not stored."""
        until = time.monotonic() + max(0.0, seconds)
        with self._lock:
            waiting = self._waiting.of_session(session_id)
        for held in waiting:
            held.wait(deadline=until - time.monotonic())
        with self._lock:
            late = {held.id for held in waiting if held.acknowledgement is None}
            known = self._ledger.flushed(session_id)
        why = f"it was still on its way to the store after {seconds:g} s"
        return Flushed(spooled=known.spooled - late, lost={**known.lost, **dict.fromkeys(late, why)})

    def close(self, *, seconds: float) -> None:
        """Take no more rows; leave the store half of the time for those that wait, and the spool the rest of it."""
        with self._lock:
            self._closing = True
            now = time.monotonic()
            self._spool_at = min(self._spool_at, now + seconds / 2)
            for condition in (self._work, self._pressure, self._placed):
                condition.notify_all()
            self._placed.wait_for(self._has_come_to_rest, max(0.0, seconds))

    def give_up(self, why: str, /) -> list[Held]:
        """Note what still waits as lost and return it."""
        with self._lock:
            rest = self._waiting.oldest(len(self._waiting), untaken_only=False)
            for held in rest:
                self.refused(held, why)
            return rest

    # The writers

    def take(self, limit: int, /, *, backlog: bool) -> list[Held]:
        """Return rows for the store once it is time to bring it some, to be brought back by `bring_back`.

        None come when the sink closes and holds none, or, with `backlog`, when the spool has some.
        """
        with self._lock:
            while True:
                # Only from here to the wait a call would not be heard, and all of that is under the lock.
                self._called = False
                pause = self._retry_at - time.monotonic()
                replays = backlog and self._backlog
                ready = self._is_worth_a_batch() or replays
                if self._closing or (ready and pause <= 0):
                    if (batch := self._take(limit)) or replays or self._closing:
                        return batch
                    # What waits has the key of a row that is on its way; whoever brings that back calls.
                    ready = False
                # Whoever waits out a pause looks by itself: nobody has to call it for each row that comes.
                self._called = ready
                self._work.wait(pause if ready else None)

    def bring_back(self, batch: Sequence[Held], /) -> None:
        """End a batch; what has no place yet waits again."""
        with self._lock:
            self._waiting.bring_back(batch)
            if self._waiting.untaken and not self._called:
                self._call()

    def stand_back(self) -> float:
        """Note that the store refused a batch, and return in how many seconds it is tried again.

        Until it answers, waiting rows go to the spool at once.
        """
        with self._lock:
            if (now := time.monotonic()) >= self._retry_at:
                # Of several batches that fail together the first one sets the pause.
                self._pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, self._pause * 2))
                self._retry_at = now + self._pause
            self._spool_at = _AT_ONCE
            self._pressure.notify()
            return self._pause

    def store_answers(self) -> None:
        """Note that the store works: rows may wait for it."""
        with self._lock:
            self._answered_at = time.monotonic()
            if self._pause:
                self._work.notify_all()
            self._pause = self._retry_at = 0.0
            self._spool_at = self._spool_at if self._closing else _NEVER

    def stored(self, rows: Sequence[Held], /) -> None:
        """Note rows that the store has."""
        with self._lock:
            self._ledger.stored(rows)
            self._place(rows, _STORED)

    def refused(self, held: Held, why: str, /) -> None:
        """Note a row that is neither stored nor spooled."""
        with self._lock:
            self._ledger.lost(held, why)
            self._place([held], Acknowledgement(place=Place.REFUSED, why=why))

    def replayed(self, rows: Iterable[Invocation], /) -> None:
        """Note rows of the spool that the store has."""
        with self._lock:
            self._ledger.stored(rows)

    def replay_refused(self, row: Invocation, why: str, /) -> None:
        """Note a row of the spool that the store will never take."""
        with self._lock:
            self._ledger.lost(row, why)

    def still_spooled(self, rows: Iterable[Invocation], /) -> None:
        """Note rows that were found in the spool and could not be stored."""
        with self._lock:
            self._ledger.spooled(rows)

    def writer_begins(self) -> None:
        """Count one writer more."""
        with self._lock:
            self._writers += 1

    def writer_ends(self) -> None:
        """Note that one writer stores no more rows."""
        with self._lock:
            self._writers -= 1
            self._placed.notify_all()

    def claim_backlog(self) -> bool:
        """Tell whether the spool may hold rows, and count it as empty until `expect_backlog` is called again."""
        with self._lock:
            there, self._backlog = self._backlog, False
            return there

    def expect_backlog(self) -> None:
        """Note that the spool holds rows to be replayed."""
        with self._lock:
            self._backlog = True
            self._work.notify_all()

    # The spooler

    def take_to_spool(self, limit: int, /) -> list[Held] | None:
        """Return the oldest waiting rows once they must go to the spool; None when the sink closes and none wait.

        They are noted as spooled before they are: once written, a replay may store them before `spooled` is called.
        """
        with self._lock:
            while (due := self._spool_due()) > time.monotonic():
                if self._closing and not self._waiting:
                    return None
                self._spooler_watches = due < _NEVER
                self._pressure.wait(due - time.monotonic() if due < _NEVER else None)
            # Where room is short, it is made in small steps, and not of what the store is just being given.
            crowded, self._crowded = self._crowded, False
            untaken_only = crowded and self._waiting.untaken > 0
            batch = self._waiting.oldest(limit // 5 if crowded else limit, untaken_only=untaken_only)
            self._ledger.spooled(batch)
            return batch

    def spooled(self, rows: Sequence[Held], /) -> None:
        """Note rows that are on disk now."""
        with self._lock:
            self._spool_refuses = False
            self._place(rows, _SPOOLED)
            self.expect_backlog()

    def not_spooled(self, rows: Iterable[Held], /, *, pause: float) -> None:
        """Note that the spool did not take rows, which wait on, and hold the spooler for `pause` seconds."""
        with self._lock:
            self._spool_refuses = True
            self._ledger.not_spooled(rows)
            closing = self._closing
            self._pressure.wait_for(lambda: self._closing is not closing, pause)

    def _admit(self, held: Held) -> None:
        held.news = self._news
        self._waiting.admit(held)
        if not self._called and self._is_worth_a_batch():
            self._call()
        if not self._spooler_watches:
            self._pressure.notify()

    def _take(self, limit: int) -> list[Held]:
        batch = self._waiting.take(limit)
        if batch:
            # Whoever is put from now on waits for the next batch.
            self._news = Announcement()
        return batch

    def _call(self) -> None:
        """Wake a writer, and no second one before that has looked."""
        self._work.notify()
        # Not before: an exception of a signal handler in between would leave every writer asleep.
        self._called = True

    def _is_worth_a_batch(self) -> bool:
        """Tell whether what waits should leave now: at once when nothing is on its way, else not in small pieces."""
        waiting = self._waiting
        if not waiting.untaken:
            return False
        return not waiting.batches or (not self._pause and waiting.untaken * _BATCH_SHARE >= len(waiting))

    def _place(self, rows: Sequence[Held], acknowledgement: Acknowledgement) -> None:
        news = set()
        for held in self._waiting.place(rows):
            held.acknowledgement = acknowledgement
            news.add(held.news)
        for one in news:
            one.announce()
        self._placed.notify_all()
        if self._closing and not self._waiting:
            self._pressure.notify()

    @property
    def _no_way_out(self) -> bool:
        return self._spool_refuses and (self.stands_back or self._is_silent)

    @property
    def _is_silent(self) -> bool:
        """Tell whether the store has had rows for longer than it is waited for, and said nothing."""
        return self._waiting.batches > 0 and time.monotonic() - self._unanswered_since > self._patience_with_store

    @property
    def _unanswered_since(self) -> float:
        return max(self._waiting.oldest_since, self._answered_at)

    def _wait_for_room(self, weight: int, seconds: float) -> None:
        """Give the store a moment; where there is no room at all, give it a little longer, then ask the spool too."""
        # Reckoned from one beginning, so that a step that a busy machine makes longer shortens the next.
        begun = time.monotonic()
        self._wait_until_below(_SLOW_FROM, weight, begun + seconds / 16)
        if not self._wait_until_below(1.0, weight, begun + seconds * 5 / 16):
            self._crowded = True
            self._pressure.notify()
            self._wait_until_below(1.0, weight, begun + seconds)

    def _wait_until_below(self, share: float, weight: int, until: float) -> bool:
        return self._placed.wait_for(
            lambda: self._closing or not self._waiting.is_full(weight, share=share), max(0.0, until - time.monotonic())
        )

    def _has_come_to_rest(self) -> bool:
        return not self._waiting or (not self._writers and not self._spool)

    def _spool_due(self) -> float:
        if not self._waiting:
            return _NEVER
        return _AT_ONCE if self._crowded else min(self._unanswered_since + self._patience_with_store, self._spool_at)
