"""The rows that have no place yet: in order, by session, and within their bounds. Plain bookkeeping, no lock."""

import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import islice

from groundtrace.invocation import Invocation
from groundtrace_adapters.sinks.held import Bounds, Held


class WaitingRows:
    """Rows wait until they are placed. The store's writer may have taken some of them, which wait all the same."""

    def __init__(self, bounds: Bounds, /) -> None:
        """Hold nothing yet."""
        self._bounds = bounds
        self._waiting: OrderedDict[int, Held] = OrderedDict()
        self._untaken: OrderedDict[int, Held] = OrderedDict()
        self._sessions: dict[str, set[int]] = {}
        self._weight = 0
        self.last_ticket = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def untaken(self) -> int:
        """Return how many rows the writer has not taken."""
        return len(self._untaken)

    @property
    def oldest_since(self) -> float:
        """Return since when the first of them waits (monotonic); there must be one."""
        return next(iter(self._waiting.values())).since

    def is_full(self, weight: int, /, *, share: float = 1.0) -> bool:
        """Tell whether a row of this weight finds no room within a share of the bounds; alone, any row finds it."""
        if not self._waiting:
            return False
        bounds = self._bounds
        return len(self._waiting) >= bounds.rows * share or self._weight + weight > bounds.weight * share

    def admit(self, row: Invocation, weight: int, /) -> None:
        """Let a row wait."""
        self.last_ticket += 1
        held = Held(ticket=self.last_ticket, row=row, since=time.monotonic(), weight=weight)
        self._waiting[held.ticket] = self._untaken[held.ticket] = held
        self._sessions.setdefault(row.session_id, set()).add(held.ticket)
        self._weight += weight

    def take(self, limit: int, /) -> list[Held]:
        """Return the oldest rows that nobody took, and count them as taken."""
        taken = list(islice(self._untaken.values(), limit))
        for held in taken:
            del self._untaken[held.ticket]
        return taken

    def give_back(self, rows: Sequence[Held], /) -> None:
        """Count those that still wait as untaken again, before all others."""
        for held in reversed(rows):
            if held.ticket in self._waiting:
                self._untaken[held.ticket] = held
                self._untaken.move_to_end(held.ticket, last=False)

    def place(self, rows: Iterable[Held], /) -> None:
        """Let rows go that have a place now; those that had one before change nothing."""
        for held in rows:
            if self._waiting.pop(held.ticket, None) is None:
                continue
            self._untaken.pop(held.ticket, None)
            self._weight -= held.weight
            tickets = self._sessions[held.row.session_id]
            tickets.discard(held.ticket)
            if not tickets:
                del self._sessions[held.row.session_id]

    def oldest(self, limit: int, /, *, untaken_only: bool) -> list[Held]:
        """Return the rows that wait longest."""
        return list(islice((self._untaken if untaken_only else self._waiting).values(), limit))

    def of_session(self, session_id: str, /, *, until: int) -> list[Held]:
        """Return the rows of a session with tickets up to `until`."""
        return [self._waiting[ticket] for ticket in self._sessions.get(session_id, ()) if ticket <= until]
