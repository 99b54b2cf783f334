"""Coroutine and generator functions passed through, unchanged for their reader, while what they give is watched.

`open_call` is asked when the body begins: a coroutine or generator that is never begun never ran, and leaves no row.
"""

import asyncio
import functools
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any, TypeAlias

from groundtrace_app.stream import Stream
from groundtrace_app.watching import WatchedCall

Tool: TypeAlias = Callable[..., Any]
OpenCall: TypeAlias = Callable[[tuple[Any, ...], dict[str, Any]], WatchedCall]


def around_coroutine(tool: Tool, open_call: OpenCall, /) -> Tool:
    """Return a coroutine function that records what the tool's coroutine returned or raised, a cancellation too."""

    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        call = open_call(args, kwargs)
        try:
            value = await tool(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        call.returned(value)
        return value

    return wrapper


def around_generator(tool: Tool, open_call: OpenCall, /) -> Tool:
    """Return a generator function with `send`, `throw`, `close` and a return value; recorded at its end."""

    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        call, stream = open_call(args, kwargs), Stream()
        try:
            inner = tool(*args, **kwargs)
            step: Callable[[], Any] = functools.partial(next, inner)
            while True:
                item = step()
                stream.add(item)
                try:
                    sent = yield item
                except GeneratorExit:
                    inner.close()
                    call.ended(stream, left=True)
                    raise
                except BaseException as thrown:  # noqa: BLE001 - handed to the generator, which decides
                    step = functools.partial(inner.throw, thrown)
                else:
                    step = functools.partial(inner.send, sent)
        except StopIteration as end:
            call.ended(stream, left=False)
            return end.value
        except BaseException as error:
            call.raised(error, so_far=stream)
            raise

    return wrapper


def around_async_generator(tool: Tool, open_call: OpenCall, /) -> Tool:
    """Return an asynchronous generator function with `asend`, `athrow` and `aclose`; recorded at its end."""

    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        call, stream, left = open_call(args, kwargs), Stream(), False
        try:
            inner = tool(*args, **kwargs)
            step: Callable[[], Awaitable[Any]] = functools.partial(anext, inner)
            while True:
                item = await step()
                left = False
                stream.add(item)
                try:
                    sent = yield item
                except GeneratorExit:
                    await _leave(inner, stream, call)
                    raise
                except BaseException as thrown:  # noqa: BLE001 - handed to the generator, which decides
                    # A cancellation between two items is the reader's: the tool was not at work.
                    left = isinstance(thrown, asyncio.CancelledError)
                    step = functools.partial(inner.athrow, thrown)
                else:
                    step = functools.partial(inner.asend, sent)
        except StopAsyncIteration:
            call.ended(stream, left=left)
        except BaseException as error:
            if left and isinstance(error, asyncio.CancelledError):
                call.ended(stream, left=True)
            call.raised(error, so_far=stream)
            raise

    return wrapper


async def _leave(inner: AsyncGenerator[Any, Any], stream: Stream, call: WatchedCall) -> None:
    try:
        await inner.aclose()
    except asyncio.CancelledError:
        # The end of an event loop cuts even this short; that the reader had left stays true.
        call.ended(stream, left=True)
        raise
    call.ended(stream, left=True)
