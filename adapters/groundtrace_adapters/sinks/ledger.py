"""Which rows of a session are not in the store: spooled ones, and lost ones with why. Plain bookkeeping, no lock."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import Protocol

from groundtrace.ports import Flushed

LOST_KEPT = 10_000
"""So many lost rows are remembered for `flush`; each was reported when it was lost."""


class Keyed(Protocol):
    """What is known by the key of a row."""

    @property
    def session_id(self) -> str:
        """Return the session."""

    @property
    def id(self) -> str:
        """Return the id within the session."""


class Ledger:
    """What a barrier may have to name. Spooled ids are bounded by the spool's own bound."""

    def __init__(self) -> None:
        """Start with nothing to name."""
        self._spooled: defaultdict[str, set[str]] = defaultdict(set)
        self._lost: OrderedDict[tuple[str, str], str] = OrderedDict()

    def spooled(self, rows: Iterable[Keyed], /) -> None:
        """Note rows that are on disk, to be stored later."""
        for row in rows:
            self._spooled[row.session_id].add(row.id)

    def stored(self, rows: Iterable[Keyed], /) -> None:
        """Forget that rows were spooled: the store has them."""
        if not self._spooled:
            return
        for row in rows:
            ids = self._spooled.get(row.session_id)
            if ids is not None:
                ids.discard(row.id)
                if not ids:
                    del self._spooled[row.session_id]

    def lost(self, row: Keyed, why: str, /) -> None:
        """Note a row that is neither stored nor spooled."""
        self.stored([row])
        self._lost[row.session_id, row.id] = why
        if len(self._lost) > LOST_KEPT:
            self._lost.popitem(last=False)

    def flushed(self, session_id: str, /) -> Flushed:
        """Return what a barrier tells of a session."""
        lost = {row_id: why for (session, row_id), why in list(self._lost.items()) if session == session_id}
        return Flushed(spooled=frozenset(self._spooled.get(session_id, ())), lost=lost)
