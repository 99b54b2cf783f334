"""The rows that a sink holds in memory, bounded in rows and bytes, and what became of those it no longer holds.

A monitor: every method may be called from any thread, and nothing here touches a disk or a store, so that no caller
ever waits behind one. The writer takes rows and settles them; the spooler brings to the disk what waits in vain.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import islice

from groundtrace.invocation import Invocation
from groundtrace.ports import Flushed
from groundtrace_adapters.sinks.held import Bounds, Held, weight_of
from groundtrace_adapters.sinks.ledger import Ledger

_NEVER = float("inf")
_AT_ONCE = 0.0

_SLOW_FROM = 0.5
"""From this share of the bounds on, a caller waits a moment before its row is taken."""


class Holding:
    """Rows on their way to a place: the store, the spool, or the list of lost ones."""

    def __init__(self, bounds: Bounds, /, *, spool: bool) -> None:
        """Hold nothing yet; with a `spool`, which may hold rows of an earlier run, there is a second way to a place."""
        self._bounds = bounds
        # Reentrant, since the garbage collector may end a recorded stream, and so put its row, anywhere.
        lock = threading.RLock()
        self._work = threading.Condition(lock)
        self._pressure = threading.Condition(lock)
        self._placed = threading.Condition(lock)
        self._waiting: OrderedDict[int, Held] = OrderedDict()
        self._untaken: OrderedDict[int, Held] = OrderedDict()
        self._sessions: dict[str, set[int]] = {}
        self._ledger = Ledger()
        self._weight = 0
        self._last_ticket = 0
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
            if self._is_full(weight, _SLOW_FROM):
                self._wait_for_room(weight, patience)
            if not self._closing and not self._is_full(weight):
                self._admit(row, weight)
                return None
            why = "the sink is closed" if self._closing else "the queue is full, and neither store nor spool takes rows"
            self._ledger.lost(row, why)
            return why

    def flush(self, session_id: str, /, *, seconds: float) -> Flushed:
        """Wait until each row of the session put before now is placed, and name those that are not stored."""
        with self._placed:
            last = self._last_ticket
            self._placed.wait_for(lambda: not self._on_their_way(session_id, last), max(0.0, seconds))
            late = {self._waiting[ticket].row.id for ticket in self._on_their_way(session_id, last)}
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
            rest = tuple(self._waiting.values())
            self.lost([held.row for held in rest], why, held=rest)
            return tuple(held.row for held in rest)

    # The writer

    def take(self, limit: int, /, *, not_before: float) -> list[Held]:
        """Return rows for the store once there are any and the time has come; none if only the spool has some."""
        with self._work:
            while not self._closing:
                ready = bool(self._untaken) or self._backlog
                pause = not_before - time.monotonic()
                if ready and pause <= 0:
                    break
                self._work.wait(pause if ready else None)
            taken = list(islice(self._untaken.values(), limit))
            for held in taken:
                del self._untaken[held.ticket]
            return taken

    def give_back(self, rows: Sequence[Held], /) -> None:
        """Take back rows that the store did not take; until it answers, waiting rows go to the spool at once."""
        with self._pressure:
            for held in reversed(rows):
                if held.ticket in self._waiting:
                    self._untaken[held.ticket] = held
                    self._untaken.move_to_end(held.ticket, last=False)
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
            source = self._untaken if crowded and self._untaken else self._waiting
            batch = list(islice(source.values(), limit // 5 if crowded else limit))
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
        self._last_ticket += 1
        held = Held(ticket=self._last_ticket, row=row, since=time.monotonic(), weight=weight)
        self._waiting[held.ticket] = self._untaken[held.ticket] = held
        self._sessions.setdefault(row.session_id, set()).add(held.ticket)
        self._weight += weight
        if len(self._untaken) == 1:
            self._work.notify()
        if not self._spooler_watches:
            self._pressure.notify()

    def _place(self, rows: Iterable[Held]) -> None:
        for held in rows:
            if self._waiting.pop(held.ticket, None) is not None:
                self._untaken.pop(held.ticket, None)
                self._weight -= held.weight
                tickets = self._sessions[held.row.session_id]
                tickets.discard(held.ticket)
                if not tickets:
                    del self._sessions[held.row.session_id]
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
        return self._placed.wait_for(lambda: self._closing or not self._is_full(weight, share), seconds)

    def _is_full(self, weight: int, share: float = 1.0) -> bool:
        if not self._waiting:
            return False
        bounds = self._bounds
        return len(self._waiting) >= bounds.rows * share or self._weight + weight > bounds.weight * share

    def _has_come_to_rest(self) -> bool:
        return not self._waiting or (self._writer_ended and not self._spool)

    def _on_their_way(self, session_id: str, last: int) -> tuple[int, ...]:
        return tuple(ticket for ticket in self._sessions.get(session_id, ()) if ticket <= last)

    def _spool_due(self) -> float:
        if not self._waiting:
            return _NEVER
        oldest = next(iter(self._waiting.values()))
        unanswered_since = max(oldest.since, self._answered_at)
        return _AT_ONCE if self._crowded else min(unanswered_since + self._bounds.seconds, self._spool_at)
