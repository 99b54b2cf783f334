"""Forked children of a process that has an SQLite file open: none loses a row, and none waits for a parent's lock."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from groundtrace_adapters.stores.sqlite import SqliteStore

pytestmark = pytest.mark.server

_PROGRAM = """
import os, signal, sys, threading, time
from groundtrace_adapters.fork_gate import ForkGate
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.durability.calls import row_of

store = SqliteStore(sys.argv[1])

def fate(row_id):
    told = store.append([row_of("forks", row_id)]).map(lambda fates: str(fates[0]))
    return told.lash(lambda error: told.from_value(str(error.fault))).unwrap()

def forked(body):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        told = body()
        os.write(1, f"{told}\\n".encode())
        os._exit(0)
    return child

"""


def run(path: Path, body: str, /) -> list[str]:
    """Run a program over a `store`, and return what it printed, in lines."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM + textwrap.dedent(body), path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def kept(path: Path, /) -> set[str]:
    """The ids of the rows in the file."""
    store = SqliteStore(path)
    ids = {row.id for row in store.rows("forks", limit=10_000).unwrap()}
    store.close()
    return ids


def test_a_parent_that_closes_its_store_takes_no_row_of_its_child_along(tmp_path: Path) -> None:
    """SQLite in the parent would else believe that it is the last one, and remove the log that the child writes."""
    said = run(
        tmp_path / "trace.db",
        """
        ready, closed = os.pipe(), os.pipe()

        def child():
            first = fate("child-1")
            os.write(ready[1], b".")
            os.read(closed[0], 1)
            return first + " " + fate("child-2")

        print(fate("parent-0"), flush=True)
        number = forked(child)
        os.read(ready[0], 1)
        store.close()
        os.write(closed[1], b".")
        os.waitpid(number, 0)
        """,
    )
    assert said == ["stored"] * 3
    assert kept(tmp_path / "trace.db") == {"parent-0", "child-1", "child-2"}


def test_a_child_of_a_parent_that_is_just_writing_can_write(tmp_path: Path) -> None:
    """It would else inherit a lock that nobody in it will ever give back."""
    said = run(
        tmp_path / "trace.db",
        """
        stop = threading.Event()

        def busy():
            number = 0
            while not stop.is_set():
                fate(f"parent-{number}")
                number += 1
                # Others have their turn too: a lock that is free for no moment would starve them, forked or not.
                time.sleep(0.001)

        writing = threading.Thread(target=busy)
        writing.start()
        for number in range(10):
            time.sleep(0.02)
            os.waitpid(forked(lambda: fate(f"child-{number}")), 0)
        stop.set()
        writing.join()
        """,
    )
    assert said == ["stored"] * 10
    assert {f"child-{number}" for number in range(10)} <= kept(tmp_path / "trace.db")


def test_a_fork_amid_work_that_does_not_end_happens_and_its_child_may_not_begin(tmp_path: Path) -> None:
    said = run(
        tmp_path / "trace.db",
        """
        class Cupboard:
            def __init__(self):
                self.gate = ForkGate(self.put_away, seconds=0.2)
                self.put = 0

            def put_away(self):
                self.put += 1

        cupboard = Cupboard()
        with cupboard.gate.at_work():
            os.waitpid(forked(lambda: cupboard.gate.is_open), 0)
        print(cupboard.put, cupboard.gate.is_open, flush=True)
        os.waitpid(forked(lambda: cupboard.gate.is_open), 0)
        print(cupboard.put, cupboard.gate.is_open)
        """,
    )
    assert said == ["False", "0", "True", "True", "1", "True"]
