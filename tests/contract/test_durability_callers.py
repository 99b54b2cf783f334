"""Callers on a bad day: cancelled at any await, with a clock that is set back. Their rows are stored all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from groundtrace import outcomes
from groundtrace.outcomes import OutcomeKind, Support
from groundtrace.ports import Acknowledgement, Place, Receipt
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.recorded import recorded
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.durability.calls import RULES
from groundtrace_testing.durability.grounds import GROUNDS, ground_of
from groundtrace_testing.durability.places import sink_over, store_at
from groundtrace_testing.settable_clock import SettableClock
from groundtrace_testing.stepping import cancelled_at

pytestmark = pytest.mark.server

SESSION = "durable/callers"
FOUND = outcomes.Success(support=Support.DIRECT, output="3 lines")
STORED = Acknowledgement(place=Place.STORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    store: Store
    sink: QueueSink
    clock: SettableClock
    recorder: ToolInvocationRecorder

    def put(self) -> Receipt:
        receipt = self.recorder.record(self.recorder.open("query_logs", {"limit": 100}, session_id=SESSION), FOUND)
        assert receipt is not None
        return receipt


@pytest.fixture(params=GROUNDS)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    ground = ground_of(request, tmp_path)
    store, clock = store_at(ground.address), SettableClock()
    sink = sink_over(store, ground.spool, address=ground.address, bounds=Bounds(seconds=30))
    yield Bench(store=store, sink=sink, clock=clock, recorder=ToolInvocationRecorder(sink, rules=RULES, clock=clock))
    sink.close(deadline=10)
    store.close()


def test_a_caller_cancelled_at_any_await_leaves_every_row_that_it_began(bench: Bench) -> None:
    receipts: list[Receipt] = []

    async def tool() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        return "3 lines"

    watched = recorded(tool, recorder=bench.recorder, session_id=f"{SESSION}/tool")

    async def call() -> bool:
        await watched()
        receipts.append(bench.put())
        await receipts[-1].placed()
        receipts.extend(bench.put() for _ in range(3))
        await asyncio.gather(*(receipt.placed() for receipt in receipts[-3:]))
        return True

    async def call_until_it_ends() -> int:
        for step in count(1):
            task = asyncio.create_task(cancelled_at(step, call()))
            await asyncio.wait([task])
            if not task.cancelled():
                return step
        raise AssertionError("unreachable")

    calls = asyncio.run(call_until_it_ends())
    assert calls > 4
    assert [receipt.wait(deadline=20) for receipt in receipts] == [STORED] * len(receipts)
    assert set(bench.store.rows(SESSION).unwrap()) == {receipt.row for receipt in receipts}
    assert not bench.sink.flush(f"{SESSION}/tool", deadline=20).lost
    begun = [row.outcome for row in bench.store.rows(f"{SESSION}/tool").unwrap()]
    assert begun.count(OutcomeKind.FAILURE) == 2
    assert len(begun) == calls


def test_a_clock_that_is_set_back_costs_no_row_and_mixes_up_no_ids(bench: Bench) -> None:
    receipts = [bench.put()]
    for hours in (-1, 2, -24, 1):
        bench.clock.wall += timedelta(hours=hours)
        receipts += [bench.put() for _ in range(5)]
    assert [receipt.wait(deadline=20) for receipt in receipts] == [STORED] * 21
    ids = [receipt.row.id for receipt in receipts]
    assert ids == sorted(set(ids))
    kept = {row.id: row for row in bench.store.rows(SESSION).unwrap()}
    assert kept == {receipt.row.id: receipt.row for receipt in receipts}
    assert [row.seq for row in sorted(kept.values(), key=lambda row: row.id)] == list(range(1, 22))
    assert {row.duration_ms for row in kept.values()} == {0}
