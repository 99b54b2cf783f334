"""Which rows of a session are not in the store: spooled ones, and lost ones with why. Plain bookkeeping, no lock."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import Protocol

from groundtrace.ports import Fate, Flushed

LOST_KEPT = 10_000
"""So many lost rows are remembered for `flush`; each was reported when it was lost."""

_OF_ANOTHER = Fate.ID_CONFLICT.value
"""Why a row stays lost though the store has its key: under that stands another one."""


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
        """Forget that rows were spooled, or lost before they were put once more: the store has them."""
        if not (self._spooled or self._lost):
            return
        for row in rows:
            self._forget_spooled(row)
            key = row.session_id, row.id
            if self._lost.get(key, _OF_ANOTHER) != _OF_ANOTHER:
                del self._lost[key]

    def not_spooled(self, rows: Iterable[Keyed], /) -> None:
        """Forget that rows were spooled: the disk did not take them."""
        for row in rows:
            self._forget_spooled(row)

    def lost(self, row: Keyed, why: str, /) -> None:
        """Note a row that is neither stored nor spooled."""
        self._forget_spooled(row)
        self._lost[row.session_id, row.id] = why
        if len(self._lost) > LOST_KEPT:
            self._lost.popitem(last=False)

    def flushed(self, session_id: str, /) -> Flushed:
        """Return what a barrier tells of a session."""
        # A copy of the keys alone: to copy the items would make tuples, which may call the garbage collector.
        lost = {key[1]: self._lost.get(key, "") for key in list(self._lost) if key[0] == session_id}
        return Flushed(spooled=frozenset(self._spooled.get(session_id, ())), lost=lost)

    def _forget_spooled(self, row: Keyed) -> None:
        ids = self._spooled.get(row.session_id)
        if ids is not None:
            ids.discard(row.id)
            if not ids:
                del self._spooled[row.session_id]
