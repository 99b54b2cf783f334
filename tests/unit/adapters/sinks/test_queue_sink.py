"""QueueSink's own bounds and ends: memory, interpreter exits, forks, kills. What every sink does is a contract test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
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


PROGRAM = """
import gc, os, sys, time, signal, threading, multiprocessing
from pathlib import Path
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_adapters.stores.sqlite_connect import SqliteLimits
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.records import a_row
home = Path(sys.argv[1])
store = MoodyStore(SqliteStore(home / "trace.db"))
sink = QueueSink(store, spool=Spool(home / "spool"), bounds=Bounds(seconds=0.2))
"""


def run(home: Path, body: str, /, *, expect: int = 0) -> list[str]:
    """Run a program with a `sink` over an SQLite `store`, and return the ids that a next start then finds stored."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM + textwrap.dedent(body), home],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=60,
    )
    assert done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return stored_after_next_start(home)


def stored_after_next_start(home: Path, /) -> list[str]:
    store = SqliteStore(home / "trace.db")
    sink = QueueSink(store, spool=Spool(home / "spool"))
    assert eventually(lambda: not list((home / "spool").glob("rows-*")))
    sink.close(deadline=5)
    ids = [row.id for row in store.rows(SESSION, limit=100_000).unwrap()]
    store.close()
    return sorted(ids)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.processes
class TestProcesses:
    def test_a_process_that_ends_without_a_close_loses_no_row(self, tmp_path: Path) -> None:
        assert run(tmp_path, "[sink.put(a_row(id=str(n))) for n in range(300)]") == sorted(map(str, range(300)))

    @pytest.mark.parametrize("mood", [Mood.HANGS, Mood.RAISES])
    def test_a_process_that_ends_while_the_store_is_down_spools(self, tmp_path: Path, mood: Mood) -> None:
        begun = time.monotonic()
        assert run(tmp_path, f"store.mood = Mood('{mood}'); [sink.put(a_row(id=str(n))) for n in range(3)]") == [*"012"]
        assert time.monotonic() - begun < 15

    def test_an_exception_that_ends_the_process_loses_no_row(self, tmp_path: Path) -> None:
        assert run(tmp_path, "sink.put(a_row(id='1')); raise SystemExit(3)", expect=3) == ["1"]

    def test_a_child_writes_its_own_rows_and_none_of_its_parents(self, tmp_path: Path) -> None:
        ids = run(
            tmp_path,
            """
            store.mood = Mood.HANGS
            sink.put(a_row(id="parent"))
            child = os.fork()
            if child == 0:
                store.mood = Mood.WORKS
                sink.put(a_row(id="child"))
                told = sink.flush("acme/outage", deadline=5)
                os._exit(0 if not told.spooled and not told.lost else 1)
            _, status = os.waitpid(child, 0)
            assert status == 0
            store.mood = Mood.WORKS
            sink.close(deadline=5)
            """,
        )
        assert ids == ["child", "parent"]

    def test_children_forked_from_under_busy_threads_never_hang(self, tmp_path: Path) -> None:
        ids = run(
            tmp_path,
            """
            stop = threading.Event()
            def busy(n):
                k = 0
                while not stop.is_set():
                    sink.put(a_row(session_id="busy", id=f"{n}-{k}"))
                    k += 1
                    time.sleep(0.0001)
            threads = [threading.Thread(target=busy, args=(n,)) for n in range(3)]
            [thread.start() for thread in threads]
            for n in range(8):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)
                    store.mood = Mood.FAILS
                    sink.put(a_row(id=f"child-{n:02}"))
                    sink.close(deadline=10)
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
            stop.set()
            [thread.join() for thread in threads]
            """,
        )
        assert ids == [f"child-{n:02}" for n in range(8)]

    def test_a_stream_that_ends_while_a_child_starts_its_threads_holds_up_nobody(self, tmp_path: Path) -> None:
        """The garbage collector may end a recorded stream, and so put its row, anywhere: here wherever it can."""
        ids = run(
            tmp_path,
            """
            class Stream:
                def __init__(self):
                    self.itself = self
                def __del__(self):
                    sink.put(a_row(id="stream"))
                    Stream()
            rows = [a_row(id=f"child-{n:02}") for n in range(30)]
            gc.disable()
            for n, row in enumerate(rows):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)
                    gc.collect()
                    Stream()
                    gc.set_threshold(n + 1)
                    gc.enable()
                    sink.put(row)
                    gc.disable()
                    sink.close(deadline=10)
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0, n
            """,
        )
        assert ids == [*(f"child-{n:02}" for n in range(30)), "stream"]

    def test_a_multiprocessing_child_that_just_ends_loses_no_row(self, tmp_path: Path) -> None:
        ids = run(
            tmp_path,
            """
            children = [
                multiprocessing.get_context("fork").Process(target=sink.put, args=(a_row(id=str(n)),)) for n in range(3)
            ]
            [child.start() for child in children]
            [child.join() for child in children]
            """,
        )
        assert ids == ["0", "1", "2"]

    @pytest.mark.parametrize("mood", [Mood.FAILS, Mood.HANGS])
    def test_a_killed_process_loses_no_row_that_was_named_as_spooled(self, tmp_path: Path, mood: Mood) -> None:
        program = PROGRAM + textwrap.dedent(
            f"""
            store.mood = Mood("{mood}")
            for n in range(100_000):
                sink.put(a_row(id=str(n)))
                if n % 10 == 9:
                    print(*sink.flush("acme/outage", deadline=5).spooled, flush=True)
            """
        )
        killed = subprocess.Popen(
            [sys.executable, "-c", program, tmp_path],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment(),
        )
        assert killed.stdout is not None
        told = [killed.stdout.readline() for _ in range(3)]
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        named = set(told[-1].split())
        assert len(named) == 30
        assert named <= set(stored_after_next_start(tmp_path))

    def test_a_killed_process_loses_no_row_that_was_named_as_stored(self, tmp_path: Path) -> None:
        program = PROGRAM + textwrap.dedent(
            """
            for n in range(100_000):
                sink.put(a_row(id=str(n)))
                if not sink.flush("acme/outage", deadline=5).lost:
                    print(n, flush=True)
            """
        )
        killed = subprocess.Popen(
            [sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE, text=True, env=environment()
        )
        assert killed.stdout is not None
        told = {killed.stdout.readline().strip() for _ in range(20)}
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        assert told <= set(stored_after_next_start(tmp_path))
