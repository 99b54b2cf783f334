"""A spool in processes that are killed, fork, or write it side by side."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groundtrace_testing.command import environment
from groundtrace_testing.spooling import replayed, run, script, segments

pytestmark = pytest.mark.processes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "spool"


def test_a_killed_process_loses_no_appended_row(folder: Path) -> None:
    killed = subprocess.Popen(
        [sys.executable, "-c", script(folder, "for row in rows: spool.append([row]); print(row.id, flush=True)")],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert killed.stdout is not None
    told = [killed.stdout.readline().strip() for _ in range(25)]
    os.kill(killed.pid, signal.SIGKILL)
    told += killed.communicate()[0].split()
    found = [row.id for row in replayed(folder)]
    # It may have been killed between its fsync and its word.
    assert found[: len(told)] == told
    assert len(found) - len(told) <= 1


def test_two_processes_write_and_replay_in_one_folder_at_once(folder: Path) -> None:
    body = """
    me = os.getpid()
    for number in range(30):
        spool.append([a_row(id=f"{me}-{number}")])
        if number % 7 == 0:
            print(*(row.id for row in spool.next_batch(100)))
    while batch := spool.next_batch(100):
        print(*(row.id for row in batch))
    """
    both = [
        subprocess.Popen([sys.executable, "-c", script(folder, body)], stdout=subprocess.PIPE, env=environment())
        for _ in range(2)
    ]
    seen = [row_id for one in both for row_id in one.communicate()[0].decode().split()]
    assert [one.returncode for one in both] == [0, 0]
    assert sorted(seen) == sorted(f"{one.pid}-{number}" for one in both for number in range(30))
    assert segments(folder) == []


def test_a_forked_child_lets_go_of_its_parents_segments(folder: Path) -> None:
    told = run(
        folder,
        """
        spool.append([rows[0]])
        if os.fork() == 0:
            spool.append([rows[1]])
            os._exit(0)
        os.wait()
        spool.append([rows[2]])
        print(*(row.id for batch in iter(lambda: spool.next_batch(1), ()) for row in batch))
        """,
    )
    assert sorted(told[0].split()) == ["0", "1", "2"]
