"""What became of calls that were handed to a sink, by its barrier: stored, spooled or lost; memory stays bounded."""

import time
from dataclasses import dataclass

from groundtrace.ports import Flushed, RowSink
from groundtrace_adapters.stores.opening import Store

FLUSH_SECONDS = 10.0
STALL_SECONDS = 2.0
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """How many calls ended where; `told` names lost ones with why, as many as the sink remembers."""

    stored: int
    spooled: int
    lost: int
    told: tuple[tuple[str, str], ...]


class Tally:
    """Counts calls in sessions, and asks the barrier of each session what became of them."""

    def __init__(self, sink: RowSink, store: Store, /) -> None:
        """Count nothing yet."""
        self._sink = sink
        self._store = store
        self._all = 0
        self._touched: set[str] = set()
        self._unsettled: dict[str, Flushed] = {}
        self.since_flush = 0

    def recorded(self, session_id: str, /) -> None:
        """Count one call."""
        self._all += 1
        self.since_flush += 1
        self._touched.add(session_id)

    def flush(self) -> None:
        """Wait at the barrier of each session touched since; only sessions with calls not stored are kept in mind."""
        for session in self._touched:
            self._ask(session)
        self._touched.clear()
        self.since_flush = 0

    def settle(self) -> Fate:
        """Wait while spooled calls are still being stored, and return what became of all of them."""
        self.flush()
        waiting, since = self._spooled(), time.monotonic()
        while waiting and time.monotonic() - since < STALL_SECONDS and self._store_answers():
            time.sleep(LOOK_SECONDS)
            for session in tuple(self._unsettled):
                self._ask(session)
            if self._spooled() < waiting:
                waiting, since = self._spooled(), time.monotonic()
        return self._fate()

    def _ask(self, session: str) -> None:
        flushed = self._sink.flush(session, deadline=FLUSH_SECONDS)
        if flushed.spooled or flushed.lost:
            self._unsettled[session] = flushed
        else:
            self._unsettled.pop(session, None)

    def _spooled(self) -> int:
        return sum(len(flushed.spooled) for flushed in self._unsettled.values())

    def _store_answers(self) -> bool:
        return self._store.check().map(lambda _: True).value_or(False)

    def _fate(self) -> Fate:
        told = tuple(one for flushed in self._unsettled.values() for one in flushed.lost.items())
        spooled, lost = self._spooled(), len(told)
        return Fate(stored=max(0, self._all - spooled - lost), spooled=spooled, lost=lost, told=told)
