"""A QueueSink in processes that end, fork or are killed: no acknowledged row is lost, none is written twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.command import environment
from groundtrace_testing.moody_store import Mood
from groundtrace_testing.sinks import eventually

pytestmark = pytest.mark.processes

SESSION = "acme/outage"

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


def test_a_process_that_ends_without_a_close_loses_no_row(tmp_path: Path) -> None:
    assert run(tmp_path, "[sink.put(a_row(id=str(n))) for n in range(300)]") == sorted(map(str, range(300)))


@pytest.mark.parametrize("mood", [Mood.HANGS, Mood.RAISES])
def test_a_process_that_ends_while_the_store_is_down_spools(tmp_path: Path, mood: Mood) -> None:
    begun = time.monotonic()
    assert run(tmp_path, f"store.mood = Mood('{mood}'); [sink.put(a_row(id=str(n))) for n in range(3)]") == [*"012"]
    assert time.monotonic() - begun < 15


def test_an_exception_that_ends_the_process_loses_no_row(tmp_path: Path) -> None:
    assert run(tmp_path, "sink.put(a_row(id='1')); raise SystemExit(3)", expect=3) == ["1"]


def test_a_child_writes_its_own_rows_and_none_of_its_parents(tmp_path: Path) -> None:
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


def test_children_forked_from_under_busy_threads_never_hang(tmp_path: Path) -> None:
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


def test_a_stream_that_ends_while_a_child_starts_its_threads_holds_up_nobody(tmp_path: Path) -> None:
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


def test_a_multiprocessing_child_that_just_ends_loses_no_row(tmp_path: Path) -> None:
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
def test_a_killed_process_loses_no_row_that_was_named_as_spooled(tmp_path: Path, mood: Mood) -> None:
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


def test_a_killed_process_loses_no_row_that_was_named_as_stored(tmp_path: Path) -> None:
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
