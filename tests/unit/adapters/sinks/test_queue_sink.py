"""QueueSink's own bounds and ends in one process. What every sink does is a contract test."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from groundtrace.invocation import Invocation
from groundtrace.pending_row import row_weight
from groundtrace.ports import Flushed
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.set_aside import SetAside
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_adapters.stores.sqlite_connect import SqliteLimits
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.records import a_row
from groundtrace_testing.sinks import eventually
from groundtrace_testing.stores import locked

SESSION = "acme/outage"
FULL = "the queue is full, and neither store nor spool takes rows"


@dataclass(frozen=True, slots=True)
class Bench:
    memory: MemoryStore
    store: MoodyStore
    folder: Path

    def kept(self) -> list[str]:
        return [row.id for row in self.memory.rows(SESSION, limit=100_000).unwrap()]


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A sink's surroundings; the spool lies in memory where it can, so that no busy disk is taken for a slow sink."""
    memory = MemoryStore()
    quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with TemporaryDirectory(dir=quick) as folder:
        made = Bench(memory, MoodyStore(memory), Path(folder, "spool"))
        yield made
        made.store.mood = Mood.WORKS


def numbered(count: int, /, **fields: object) -> list[Invocation]:
    return [a_row(id=f"row-{number}", seq=number, **fields) for number in range(count)]


class TestMemory:
    def test_no_more_rows_are_held_than_the_bound(self, bench: Bench) -> None:
        bench.store.mood = Mood.FAILS
        sink = QueueSink(bench.store, spool=None, bounds=Bounds(rows=5))
        for row in numbered(5):
            sink.put(row)
        begun = time.monotonic()
        sink.put(a_row(id="one-too-many"))
        assert time.monotonic() - begun < 0.25
        named = sink.flush(SESSION, deadline=0.01).lost
        assert named.pop("one-too-many") == FULL  # type: ignore[attr-defined]
        assert set(named) == {f"row-{number}" for number in range(5)}
        bench.store.mood = Mood.WORKS
        assert eventually(lambda: sink.flush(SESSION, deadline=1) == Flushed(lost={"one-too-many": FULL}))
        assert len(bench.kept()) == 5
        sink.close(deadline=1)

    def test_no_more_bytes_are_held_than_the_bound(self, bench: Bench) -> None:
        bench.store.mood = Mood.FAILS
        big = numbered(3, details='{"a": "' + "x" * 50_000 + '"}')
        sink = QueueSink(bench.store, spool=None, bounds=Bounds(weight=2 * row_weight(big[0])))
        for row in big:
            sink.put(row)
        assert sink.flush(SESSION, deadline=0.01).lost["row-2"] == FULL
        sink.close(deadline=0)

    def test_a_row_heavier_than_the_bound_is_taken_alone(self, bench: Bench) -> None:
        sink = QueueSink(bench.store, spool=None, bounds=Bounds(weight=10))
        sink.put(a_row())
        assert sink.flush(SESSION, deadline=5) == Flushed()
        sink.close(deadline=1)

    def test_a_queue_that_overflows_goes_to_the_spool_and_costs_no_row(self, bench: Bench) -> None:
        bench.store.mood = Mood.HANGS
        sink = QueueSink(bench.store, spool=Spool(bench.folder), bounds=Bounds(rows=50, seconds=60))
        slowest = 0.0
        for row in numbered(200):
            begun = time.monotonic()
            sink.put(row)
            slowest = max(slowest, time.monotonic() - begun)
        assert slowest < 0.25
        bench.store.mood = Mood.WORKS
        assert eventually(lambda: sink.flush(SESSION, deadline=1) == Flushed())
        assert len(bench.kept()) == 200
        sink.close(deadline=1)

    def test_callers_that_flood_a_working_store_are_slowed_down_and_lose_nothing(self, bench: Bench) -> None:
        sink = QueueSink(bench.store, spool=Spool(bench.folder), bounds=Bounds(rows=100))

        def flood(prefix: int) -> None:
            for row in numbered(500):
                sink.put(replace(row, id=f"{prefix}-{row.id}"))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(flood, range(4)))
        assert eventually(lambda: sink.flush(SESSION, deadline=10) == Flushed())
        assert len(bench.kept()) == 2_000
        sink.close(deadline=1)


class TestSpooling:
    def test_one_failure_after_a_success_is_no_outage(self, bench: Bench) -> None:
        sink = QueueSink(bench.store, spool=Spool(bench.folder))
        bench.store.failures_left = 1
        sink.put(a_row())
        assert sink.flush(SESSION, deadline=5) == Flushed()
        assert bench.store.batches == [1, 1]
        assert not bench.folder.exists()
        sink.close(deadline=1)

    def test_rows_that_neither_store_nor_spool_takes_wait_and_are_reported(
        self, bench: Bench, caplog: pytest.LogCaptureFixture
    ) -> None:
        bench.store.mood = Mood.FAILS
        bench.folder.write_text("a file where the folder should be")
        sink = QueueSink(bench.store, spool=Spool(bench.folder))
        sink.put(a_row(id="1"))
        assert set(sink.flush(SESSION, deadline=0.3).lost) == {"1"}
        assert "1 row cannot be spooled and waits in memory: " in caplog.text
        bench.store.mood = Mood.WORKS
        assert eventually(lambda: sink.flush(SESSION, deadline=1) == Flushed())
        assert bench.kept() == ["1"]
        sink.close(deadline=1)

    def test_rows_that_find_no_place_until_the_close_are_reported_as_lost(
        self, bench: Bench, caplog: pytest.LogCaptureFixture
    ) -> None:
        bench.store.mood = Mood.FAILS
        sink = QueueSink(bench.store, spool=None)
        for row in numbered(12):
            sink.put(row)
        sink.close(deadline=0.2)
        assert "row row-0 of session 'acme/outage' is not stored: the sink was closed before" in caplog.text
        assert "12 rows in all are not stored: the sink was closed before" in caplog.text
        assert len(sink.flush(SESSION, deadline=0).lost) == 12

    def test_a_refused_row_is_set_aside_and_not_replayed(self, bench: Bench) -> None:
        bench.store.poison = frozenset({"row-3"})
        sink = QueueSink(bench.store, spool=Spool(bench.folder))
        for row in numbered(8):
            sink.put(row)
        assert set(sink.flush(SESSION, deadline=5).lost) == {"row-3"}
        sink.close(deadline=1)
        assert SetAside(bench.folder).path.read_text().count("\n") == 1
        bench.store.poison = frozenset()
        QueueSink(bench.store, spool=Spool(bench.folder)).close(deadline=1)
        assert "row-3" not in bench.kept()

    def test_a_poisoned_row_in_the_spool_holds_up_no_other(self, bench: Bench) -> None:
        bench.store.mood = Mood.FAILS
        bench.store.poison = frozenset({"row-3"})
        sink = QueueSink(bench.store, spool=Spool(bench.folder))
        for row in numbered(8):
            sink.put(row)
        assert len(sink.flush(SESSION, deadline=5).spooled) == 8
        bench.store.mood = Mood.WORKS
        assert eventually(lambda: set(sink.flush(SESSION, deadline=1).lost) == {"row-3"})
        assert eventually(lambda: len(bench.kept()) == 7)
        assert list(bench.folder.glob("rows-*")) == []
        sink.close(deadline=1)

    def test_new_rows_are_not_held_up_by_a_long_replay(self, bench: Bench) -> None:
        earlier = Spool(bench.folder)
        assert earlier.append([a_row(id=f"old-{number}") for number in range(5_000)]).value_or("") is None
        earlier.close(seconds=1)
        sink = QueueSink(bench.store, spool=Spool(bench.folder))
        sink.put(a_row(id="new"))
        assert sink.flush(SESSION, deadline=5) == Flushed()
        assert "new" in bench.kept()
        assert eventually(lambda: len(bench.kept()) == 5_001)
        sink.close(deadline=1)

    def test_rows_go_to_a_store_that_works_in_batches(self, bench: Bench) -> None:
        bench.store.mood = Mood.HANGS
        sink = QueueSink(bench.store, spool=None)
        for row in numbered(1_200):
            sink.put(row)
        bench.store.mood = Mood.WORKS
        sink.flush(SESSION, deadline=5)
        assert len(bench.store.batches) <= 5
        assert max(bench.store.batches) == 500
        sink.close(deadline=1)

    def test_a_locked_file_is_waited_for_and_its_rows_are_spooled(self, tmp_path: Path) -> None:
        store = SqliteStore(tmp_path / "trace.db", limits=SqliteLimits(busy_seconds=0.2))
        assert store.append([]).value_or(None) == ()
        sink = QueueSink(store, spool=Spool(tmp_path / "spool"))
        writer = locked(tmp_path / "trace.db")
        for row in numbered(20):
            sink.put(row)
        assert len(sink.flush(SESSION, deadline=5).spooled) == 20
        writer.close()
        assert eventually(lambda: sink.flush(SESSION, deadline=1) == Flushed())
        assert store.rows(SESSION).unwrap() == tuple(numbered(20))
        sink.close(deadline=2)
        store.close()
