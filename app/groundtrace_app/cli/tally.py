"""What became of calls that were handed to a sink, by their receipts: stored, spooled or lost; memory stays bounded."""

import time
from collections import deque
from dataclasses import dataclass

from groundtrace.invocation import Invocation
from groundtrace.ports import Place, Receipt, RowSink
from groundtrace_adapters.stores.opening import Store

WINDOW = 2_000
"""So many receipts are held; before a further call the oldest of them is waited for."""

NAMED = 10_000
"""So many lost calls are kept by name; further ones are counted."""

WAIT_SECONDS = 10.0
STALL_SECONDS = 2.0
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """How many calls ended where; `told` names lost ones with why, the first of them."""

    stored: int
    spooled: int
    lost: int
    told: tuple[tuple[str, str], ...]


class Tally:
    """Counts calls by their receipts, and asks the barrier what became of those that were spooled."""

    def __init__(self, sink: RowSink, store: Store, /) -> None:
        """Count nothing yet."""
        self._sink = sink
        self._store = store
        self._all = 0
        self._open: deque[Receipt] = deque()
        self._spooled: dict[str, frozenset[str]] = {}
        self._lost: dict[tuple[str, str], str] = {}
        self._more_lost = 0

    def recorded(self, receipt: Receipt, /) -> None:
        """Count one call."""
        self._all += 1
        self._open.append(receipt)
        if len(self._open) > WINDOW:
            self._close(self._open.popleft())

    def settle(self) -> Fate:
        """Wait while spooled calls are still being stored, and return what became of all of them."""
        while self._open:
            self._close(self._open.popleft())
        self._ask()
        waiting, since = self._waiting(), time.monotonic()
        while waiting and time.monotonic() - since < STALL_SECONDS and self._store_answers():
            time.sleep(LOOK_SECONDS)
            self._ask()
            if self._waiting() < waiting:
                waiting, since = self._waiting(), time.monotonic()
        return self._fate()

    def _close(self, receipt: Receipt) -> None:
        told = receipt.wait(deadline=WAIT_SECONDS)
        if told is not None and told.place is Place.STORED:
            return
        row = receipt.row
        if told is None:
            self._lose(row, f"it was still on its way to the store after {WAIT_SECONDS:g} s")
        elif told.place is Place.SPOOLED:
            self._spooled.setdefault(row.session_id, frozenset())
        else:
            self._lose(row, told.why or told.place)

    def _lose(self, row: Invocation, why: str) -> None:
        if len(self._lost) < NAMED:
            self._lost[row.session_id, row.id] = why
        else:
            self._more_lost += 1

    def _ask(self) -> None:
        for session in self._spooled:
            flushed = self._sink.flush(session, deadline=WAIT_SECONDS)
            self._spooled[session] = flushed.spooled
            self._lost |= {(session, row_id): why for row_id, why in flushed.lost.items()}

    def _waiting(self) -> int:
        return sum(map(len, self._spooled.values()))

    def _store_answers(self) -> bool:
        return self._store.check().map(lambda _: True).value_or(False)

    def _fate(self) -> Fate:
        told = tuple((row_id, why) for (_, row_id), why in self._lost.items())
        spooled, lost = self._waiting(), len(told) + self._more_lost
        return Fate(stored=max(0, self._all - spooled - lost), spooled=spooled, lost=lost, told=told)
