"""Synchronous code over coroutines, and the other way round: what hangs holds neither its caller nor the exit."""

import asyncio
import subprocess
import sys
import threading

import pytest

from groundtrace_app.loop import DaemonThreads, in_own_thread, run_now
from groundtrace_testing.command import environment


async def answered(value: str = "3 lines") -> str:
    await asyncio.sleep(0)
    return value


async def broken() -> str:
    raise LookupError("nowhere")


def test_what_is_returned_and_raised_comes_out() -> None:
    assert run_now(answered()) == "3 lines"
    with pytest.raises(LookupError, match="nowhere"):
        run_now(broken())


def test_it_works_inside_a_running_loop() -> None:
    async def outer() -> str:
        return run_now(answered("inner"))

    assert asyncio.run(outer()) == "inner"


def test_blocking_work_gives_its_value_or_its_exception() -> None:
    assert run_now(in_own_thread(lambda: 7)) == 7
    with pytest.raises(ZeroDivisionError):
        run_now(in_own_thread(lambda: 1 // 0))


def test_blocking_work_of_the_standard_library_runs_in_threads_of_ours() -> None:
    async def names() -> tuple[str, bool]:
        current = await asyncio.to_thread(threading.current_thread)
        return current.name, current.daemon

    assert run_now(names()) == ("groundtrace-read", True)


def test_the_executor_hands_values_exceptions_and_cancellations_on() -> None:
    threads = DaemonThreads()
    assert threads.submit(divmod, 7, 2).result(5) == (3, 1)
    assert isinstance(threads.submit(int, "x").exception(5), ValueError)


HANGING = {
    "a thread of ours": "run_now(within(in_own_thread(lambda: time.sleep(600)), 0.1))",
    "a thread of asyncio": "run_now(within(asyncio.to_thread(time.sleep, 600), 0.1))",
    "a pipe that nobody writes": "run_now(within(asyncio.to_thread(os.read, os.pipe()[0], 1), 0.1))",
}


STUBBORN = """
import asyncio
from groundtrace_app.loop import run_now

async def stubborn():
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            continue

async def main():
    global kept
    kept = asyncio.ensure_future(stubborn())
    await asyncio.sleep(0)

run_now(main())
print("told", flush=True)
"""


def test_a_task_that_ignores_its_cancellation_does_not_hold_the_caller() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STUBBORN], env=environment(), capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout == "told\n"


@pytest.mark.parametrize("call", HANGING.values(), ids=HANGING)
def test_what_hangs_does_not_hold_the_end_of_the_process(call: str) -> None:
    program = (
        "import asyncio, os, time\n"
        "from groundtrace_app.deadline import within\n"
        "from groundtrace_app.loop import in_own_thread, run_now\n"
        f"try:\n    {call}\nexcept TimeoutError:\n    print('told')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, timeout=30, check=True
    )
    assert (done.stdout, done.stderr) == ("told\n", "")
