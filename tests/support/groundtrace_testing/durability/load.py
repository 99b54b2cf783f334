"""Threads and tasks that record in bursts, wait for each receipt, and say where its row has come to."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from groundtrace.ports import Acknowledgement, Receipt
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.durability.calls import call_of, outcome_of

Told: TypeAlias = tuple[str, str, str, str]
"""What a caller was told of a row: a place (or `unplaced`), its session, its id, and why."""

PATIENCE = 60.0
"""Seconds after which those rows of a burst that have no place are said to have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many threads and tasks record how many rows each (0 for no end), how many at once, with which pause."""

    threads: int = 4
    tasks: int = 0
    rows: int = 0
    burst: int = 8
    pause: float = 0.0


class Load:
    """Callers of one recorder in one session; they end when they are told to, or when their rows do."""

    def __init__(
        self, recorder: ToolInvocationRecorder, /, *, session_id: str, pace: Pace, say: Callable[[Told], object]
    ) -> None:
        """Record at a pace; `say` is called by whichever caller was told."""
        self._recorder = recorder
        self._session = session_id
        self._pace = pace
        self._say = say
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self.slowest_put = 0.0

    def start(self) -> None:
        """Begin to record."""
        self._threads = [threading.Thread(target=self._thread, args=(f"t{n}",)) for n in range(self._pace.threads)]
        if self._pace.tasks:
            self._threads.append(threading.Thread(target=lambda: asyncio.run(self._tasks())))
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let each caller end its burst."""
        self._stop.set()

    def join(self) -> None:
        """Wait until each caller has been told of all its rows."""
        for thread in self._threads:
            thread.join()

    def _bursts(self, prefix: str) -> Iterator[list[Receipt]]:
        ids = (f"{prefix}-{number}" for number in itertools.islice(itertools.count(), self._pace.rows or None))
        while (burst := list(itertools.islice(ids, self._pace.burst))) and not self._stop.is_set():
            yield list(map(self._put, burst))

    def _put(self, row_id: str) -> Receipt:
        call, outcome = call_of(self._session, row_id), outcome_of(row_id)
        begun = time.monotonic()
        receipt = self._recorder.record(call, outcome)
        self.slowest_put = max(self.slowest_put, time.monotonic() - begun)
        assert receipt is not None
        return receipt

    def _thread(self, prefix: str) -> None:
        for receipts in self._bursts(prefix):
            until = time.monotonic() + PATIENCE
            for receipt in receipts:
                self._tell(receipt, receipt.wait(deadline=until - time.monotonic()))
            time.sleep(self._pace.pause)

    async def _tasks(self) -> None:
        await asyncio.gather(*(self._task(f"a{n}") for n in range(self._pace.tasks)))

    async def _task(self, prefix: str) -> None:
        for receipts in self._bursts(prefix):
            for receipt in receipts:
                self._tell(receipt, await asyncio.wait_for(receipt.placed(), PATIENCE))
            await asyncio.sleep(self._pace.pause)

    def _tell(self, receipt: Receipt, told: Acknowledgement | None) -> None:
        place, why = ("unplaced", "") if told is None else (str(told.place), told.why or "")
        self._say((place, self._session, receipt.row.id, why))
