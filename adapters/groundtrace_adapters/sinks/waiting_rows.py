"""The rows that have no place yet: in order, and within their bounds. Plain bookkeeping, no lock.

A walk is over a copy, made in one call: the garbage collector may end a recorded stream in the middle of it, and so put
a row. Even to begin with an iterator of the rows and then to make a list for its first ones would leave room for that.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from groundtrace_adapters.sinks.held import Bounds, Held


class WaitingRows:
    """Rows wait until they are placed. Writers may have taken some of them, which wait all the same."""

    def __init__(self, bounds: Bounds, /) -> None:
        """Hold nothing yet."""
        self._bounds = bounds
        self._waiting: OrderedDict[Held, None] = OrderedDict()
        self._untaken: OrderedDict[Held, None] = OrderedDict()
        self._taken_keys: set[tuple[str, str]] = set()
        self._weight = 0
        self.batches = 0
        """How many batches are taken and have not come back."""

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def untaken(self) -> int:
        """Return how many rows no writer has taken."""
        return len(self._untaken)

    @property
    def oldest_since(self) -> float:
        """Return since when the first of them waits (monotonic), in the far future if there is none."""
        for held in self._waiting:
            return held.since
        return float("inf")

    def is_full(self, weight: int, /, *, share: float = 1.0) -> bool:
        """Tell whether a row of this weight finds no room within a share of the bounds; alone, any row finds it."""
        if not self._waiting:
            return False
        bounds = self._bounds
        return len(self._waiting) >= bounds.rows * share or self._weight + weight > bounds.weight * share

    def admit(self, held: Held, /) -> None:
        """Let a row wait; one whose caller is interrupted in here is stored all the same."""
        self._untaken[held] = None
        self._waiting[held] = None
        self._weight += held.weight

    def take(self, limit: int, /) -> list[Held]:
        """Return the oldest rows that nobody took, and count them as taken until `bring_back`.

        They end before a row whose key is on its way already: of two rows with one key the first must come first.
        """
        taken: list[Held] = []
        taken_before = bool(self.batches)
        for held in self.oldest(limit, untaken_only=True):
            if taken_before and (held.session_id, held.id) in self._taken_keys:
                break
            taken.append(held)
        for held in taken:
            del self._untaken[held]
        if taken:
            self.batches += 1
            self._taken_keys.update((held.session_id, held.id) for held in taken)
        return taken

    def bring_back(self, batch: Sequence[Held], /) -> None:
        """Count those of a batch that still wait as untaken again, before all others."""
        self.batches -= 1
        self._taken_keys.difference_update((held.session_id, held.id) for held in batch)
        for held in reversed(batch):
            if held in self._waiting:
                self._untaken[held] = None
                self._untaken.move_to_end(held, last=False)

    def place(self, rows: Iterable[Held], /) -> list[Held]:
        """Let rows go that have a place now, and return them without those that had one before."""
        placed = [held for held in rows if held in self._waiting]
        for held in placed:
            del self._waiting[held]
            self._untaken.pop(held, None)
            self._weight -= held.weight
        return placed

    def oldest(self, limit: int, /, *, untaken_only: bool) -> list[Held]:
        """Return the rows that wait longest."""
        return list(self._untaken if untaken_only else self._waiting)[:limit]

    def of_session(self, session_id: str, /) -> list[Held]:
        """Return the rows of a session."""
        return [held for held in list(self._waiting) if held.session_id == session_id]
