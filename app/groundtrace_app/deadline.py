"""Waiting with a deadline that holds even where the awaited part ignores its cancellation."""

import asyncio
import concurrent.futures
from collections.abc import Coroutine
from typing import Any, TypeVar

from groundtrace.outcomes import FailureKind, failure_from

T = TypeVar("T")


async def within(pending: Coroutine[Any, Any, T], seconds: float, /) -> T:
    """Return what `pending` returns, or raise TimeoutError after `seconds`; a late result is dropped.

    Unlike `asyncio.wait_for` it does not wait for a cancelled part to stop: one that swallows its cancellation would
    hold the caller for ever. A part that ends as cancelled by itself, or asks the program to end, raises
    `concurrent.futures.CancelledError`, an ordinary exception: only a cancellation of the caller is
    `asyncio.CancelledError`.
    """
    task = asyncio.ensure_future(_contained(pending))
    try:
        done, _ = await asyncio.wait({task}, timeout=max(0.0, seconds))
    except BaseException:
        _abandon(task)
        raise
    if not done:
        _abandon(task)
        raise TimeoutError(f"no answer within {seconds:g} s")
    if task.cancelled() or isinstance(task.exception(), GeneratorExit):
        raise concurrent.futures.CancelledError("it was cancelled from within")
    return task.result()


async def _contained(pending: Coroutine[Any, Any, T]) -> T:
    """Return what `pending` returns; what it raises is an Exception, or its own cancellation.

    A task that raises SystemExit or KeyboardInterrupt stops the event loop, and everybody in it waits for ever. A
    GeneratorExit is how the interpreter ends what was abandoned: it complains of every other answer to that.
    """
    try:
        return await pending
    except (Exception, asyncio.CancelledError, GeneratorExit):
        raise
    except BaseException as end:
        told = failure_from(end)
        ordinary = concurrent.futures.CancelledError if told.kind is FailureKind.CANCELLED else RuntimeError
        raise ordinary(told.message) from end


def _abandon(task: "asyncio.Future[Any]") -> None:
    """Cancel without waiting; asking for the late exception keeps the event loop from reporting it as forgotten."""
    task.add_done_callback(lambda late: late.cancelled() or late.exception())
    task.cancel()
