"""Many writers of one store: processes, forks, server workers, threads and tasks, and what they leave behind."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from groundtrace_adapters.sinks.held import Bounds
from groundtrace_testing.durability.grounds import GROUNDS, Ground, ground_of
from groundtrace_testing.durability.load import Pace
from groundtrace_testing.durability.many_writers import TASKS, THREADS, forked_writers, many_writers
from groundtrace_testing.durability.running import under_load
from groundtrace_testing.durability.servers import SERVERS, served
from groundtrace_testing.durability.tally import settled
from groundtrace_testing.sinks import eventually

pytestmark = pytest.mark.server

NONE = (0, 0, 0)
"""Lost, duplicate and changed rows."""

PATIENT = Bounds(seconds=30)
"""A sink that asks the store alone, whatever a busy machine does."""


@pytest.fixture(params=GROUNDS)
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    return ground_of(request, tmp_path)


def test_processes_that_write_one_store_are_each_told_that_every_row_is_safe(ground: Ground) -> None:
    told, _, logged = many_writers(ground.address, ground.spool, processes=3, rows=16)
    assert told.harm == NONE, told.line()
    assert told.found == told.acknowledged == 3 * (THREADS + TASKS) * 16
    assert "locked" not in logged, logged
    assert "Error" not in logged, logged


def test_a_process_that_forks_under_load_and_its_children_lose_no_row(ground: Ground) -> None:
    told, sessions = forked_writers(ground.address, ground.spool, children=4)
    assert told.harm == NONE, told.line()
    assert (told.refused, told.unplaced, sessions) == (0, 0, 5)
    assert told.found == told.acknowledged


def test_sixty_four_threads_and_as_many_tasks_are_each_told_of_their_rows(ground: Ground) -> None:
    pace = Pace(threads=64, tasks=64, rows=3, burst=2)
    with under_load(ground.address, ground.spool, name="crowd", pace=pace, bounds=PATIENT) as running:
        pass
    told = settled(ground.address, ground.spool, running.told)
    assert told.harm == NONE, told.line()
    assert told.stored == told.found == (64 + 64) * 3


def test_a_closed_sink_and_store_leave_no_thread_behind(ground: Ground) -> None:
    before = set(threading.enumerate())
    with under_load(ground.address, ground.spool, name="tidy") as running:
        running.until("stored")
        assert set(threading.enumerate()) - before
    assert eventually(lambda: not set(threading.enumerate()) - before, seconds=5)


@pytest.mark.server
@pytest.mark.parametrize("server", SERVERS)
def test_workers_of_a_web_server_record_and_lose_no_row_when_one_is_killed(tmp_path: Path, server: str) -> None:
    pytest.importorskip(server)
    told, workers = served(server, str(tmp_path / "trace.db"), tmp_path / "spool", requests=20)
    assert told.harm == NONE, told.line()
    assert (told.refused, told.unplaced) == (0, 0)
    assert told.acknowledged > 60
    assert len(workers) > 1
