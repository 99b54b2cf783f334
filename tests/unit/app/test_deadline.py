"""A deadline holds whatever the awaited part does, and a late result is dropped (DESIGN section 10)."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import time
from typing import NoReturn

import pytest

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind
from groundtrace_app.deadline import within


async def answer(seconds: float = 0.0) -> str:
    await asyncio.sleep(seconds)
    return "3 lines"


def test_what_comes_in_time_is_returned() -> None:
    assert asyncio.run(within(answer(), 5)) == "3 lines"


def test_what_is_raised_in_time_is_raised() -> None:
    error = ValueError("bad selector")

    async def broken() -> NoReturn:
        raise error

    with pytest.raises(ValueError, match="bad selector") as caught:
        asyncio.run(within(broken(), 5))
    assert caught.value is error


@pytest.mark.parametrize("seconds", [0.05, 0.0, -3.0])
def test_what_comes_too_late_is_a_timeout(seconds: float) -> None:
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match=f"no answer within {seconds:g} s"):
        asyncio.run(within(answer(30), seconds))
    assert time.monotonic() - begun < 1


def test_a_part_that_swallows_its_cancellation_holds_nobody() -> None:
    let_go = asyncio.Event()

    async def stubborn() -> str:
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        return "too late"

    async def ask() -> float:
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            await within(stubborn(), 0.05)
        taken = time.monotonic() - begun
        let_go.set()
        await asyncio.sleep(0)
        return taken

    assert asyncio.run(ask()) < 1


def test_a_part_that_is_abandoned_and_never_ends_is_closed_in_silence() -> None:
    """What answers the closing of it with anything else is printed by the interpreter; pytest fails the test then."""

    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    loop = asyncio.new_event_loop()
    with pytest.raises(TimeoutError):
        loop.run_until_complete(within(stubborn(), 0.01))
    loop.close()
    del loop
    gc.collect()


def test_a_part_that_fails_after_its_deadline_is_not_reported_as_forgotten() -> None:
    complaints: list[str] = []

    async def fails_late() -> NoReturn:
        try:
            await asyncio.sleep(30)
        finally:
            raise RuntimeError("the connection was half closed")

    async def ask() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what["message"]))
        with pytest.raises(TimeoutError):
            await within(fails_late(), 0.01)
        await asyncio.sleep(0.01)

    asyncio.run(ask())
    assert complaints == []


def test_a_cancelled_caller_cancels_the_part_and_stays_cancelled() -> None:
    seen: list[str] = []

    async def part() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def ask() -> None:
        caller = asyncio.create_task(within(part(), 30))
        await asyncio.sleep(0.01)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        await asyncio.sleep(0)

    asyncio.run(ask())
    assert seen == ["cancelled"]


def test_a_part_that_is_cancelled_from_within_is_an_ordinary_failure_of_that_part() -> None:
    """Field case B14: a tool's own CancelledError does not cancel the turn."""

    async def gives_up() -> NoReturn:
        raise asyncio.CancelledError

    with pytest.raises(concurrent.futures.CancelledError) as caught:
        asyncio.run(within(gives_up(), 5))
    assert isinstance(caught.value, Exception)
    assert outcomes.failure_from(caught.value).kind is FailureKind.CANCELLED


class Panic(BaseException):
    """What an extension module may raise: no Exception, and no cancellation."""


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        pytest.param(SystemExit(3), FailureKind.CANCELLED, id="exit"),
        pytest.param(KeyboardInterrupt(), FailureKind.CANCELLED, id="interrupt"),
        pytest.param(Panic("index out of bounds"), FailureKind.ERROR, id="panic"),
    ],
)
def test_a_part_that_asks_the_program_to_end_ends_alone(end: BaseException, kind: FailureKind) -> None:
    async def quits() -> NoReturn:
        raise end

    async def ask() -> str:
        with pytest.raises(Exception, match=type(end).__name__) as caught:
            await within(quits(), 5)
        assert outcomes.failure_from(caught.value).kind is kind
        return "the loop runs on"

    assert asyncio.run(ask()) == "the loop runs on"
