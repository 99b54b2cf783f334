"""A coroutine cancelled at the await of one's choice, however deep inside it that is."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from itertools import count
from types import coroutine
from typing import Any, TypeVar

Given = TypeVar("Given")


async def cancelled_at(step: int, running: Coroutine[Any, Any, Given], /) -> Given:
    """Run a coroutine in the task that awaits this one, and cancel that task where it is suspended for the nth time.

    Steps begin with 1; a coroutine that is suspended fewer times ends as ever.
    """
    return await _stepping(step, running)


@coroutine
def _stepping(step: int, running: Coroutine[Any, Any, Given], /) -> Generator[Any, Any, Given]:
    resume, value = running.send, None
    for suspended in count(1):
        try:
            awaited = resume(value)
        except StopIteration as done:
            given: Given = done.value
            return given
        if suspended == step:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        try:
            resume, value = running.send, (yield awaited)
        except BaseException as thrown:  # noqa: BLE001 - handed on to the coroutine, whatever it is
            resume, value = running.throw, thrown
    raise AssertionError("unreachable")
