"""Only a chat sets deadlines: a recorded tool takes as long as it takes, and its caller's deadline is the caller's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from groundtrace.outcomes import OutcomeKind
from groundtrace_testing.recorder_bench import RecorderBench, recorder_bench

HOUR = 3_600.0


@pytest.fixture
def bench() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


def test_the_recorder_sets_no_deadline(bench: RecorderBench) -> None:
    def search() -> str:
        bench.clock.seconds += HOUR
        return "3 lines"

    assert bench.wrapped(search)() == "3 lines"
    assert (bench.row().outcome, bench.row().duration_ms) == (OutcomeKind.SUCCESS, 3_600_000)


def test_the_recorder_waits_for_a_coroutine_without_a_deadline(bench: RecorderBench) -> None:
    async def search() -> str:
        tasks = len(asyncio.all_tasks())
        bench.clock.seconds += HOUR
        await asyncio.sleep(0.01)
        assert len(asyncio.all_tasks()) == tasks == 1
        return "3 lines"

    assert asyncio.run(bench.wrapped(search)()) == "3 lines"
    assert (bench.row().outcome, bench.row().duration_ms) == (OutcomeKind.SUCCESS, 3_600_000)


def test_a_tool_runs_in_the_thread_of_its_caller(bench: RecorderBench) -> None:
    assert bench.wrapped(threading.get_ident)() == threading.get_ident()


def test_a_deadline_of_the_caller_is_raised_as_it_is(bench: RecorderBench) -> None:
    async def search() -> str:
        await asyncio.sleep(60)
        return "late"

    async def asked() -> None:
        async with asyncio.timeout(0.05):
            await bench.wrapped(search)()

    with pytest.raises(TimeoutError):
        asyncio.run(asked())
    assert bench.row().outcome is OutcomeKind.FAILURE
