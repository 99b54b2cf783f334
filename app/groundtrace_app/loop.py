"""Between coroutines and blocking code, in daemon threads: what hangs is left behind and cannot hold its caller."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from typing_extensions import override

T = TypeVar("T")
P = ParamSpec("P")

CANCEL_SECONDS = 5.0
LEFTOVER_SECONDS = 0.5


def run_now(work: Coroutine[Any, Any, T], /) -> T:
    """Return what `work` returns, or raise what it raises, from synchronous code.

    `asyncio.run` waits for every task and thread that is left; a part that ignores its cancellation would hold it for
    ever. An interrupt cancels the work, waits at most 5 s for what it still records, and goes on.
    """
    loop = asyncio.new_event_loop()
    ended = threading.Event()

    async def signalled() -> T:
        try:
            return await work
        finally:
            ended.set()

    thread = threading.Thread(target=_run, args=(loop,), name="groundtrace-loop", daemon=True)
    thread.start()
    pending = asyncio.run_coroutine_threadsafe(signalled(), loop)
    try:
        return pending.result()
    except BaseException:
        pending.cancel()
        ended.wait(CANCEL_SECONDS)
        raise
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(2 * LEFTOVER_SECONDS)


class DaemonThreads(ThreadPoolExecutor):
    """An executor for `asyncio.to_thread` whose threads the interpreter does not wait for at its exit.

    The one of the library is joined there: one read of a pipe that nobody writes would hold the process for ever.
    """

    @override
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "concurrent.futures.Future[T]":
        """Run `fn` in a thread of its own."""
        future: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    value = fn(*args, **kwargs)
                except BaseException as error:  # noqa: BLE001 - handed to whoever waits
                    future.set_exception(error)
                else:
                    future.set_result(value)

        threading.Thread(target=run, name="groundtrace-read", daemon=True).start()
        return future


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped; close it, unless something in it does not let itself be cancelled."""
    loop.set_default_executor(DaemonThreads())
    loop.run_forever()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        _, left = loop.run_until_complete(asyncio.wait(left, timeout=LEFTOVER_SECONDS))
    if not left:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def in_own_thread(work: Callable[[], T], /) -> T:
    """Return what blocking `work` returns, run in a thread that does not hold the interpreter at its exit."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            value = work()
        except BaseException as error:  # noqa: BLE001 - handed to the waiting coroutine
            told = error
            _tell(loop, result, lambda: result.set_exception(told))
        else:
            _tell(loop, result, lambda: result.set_result(value))

    threading.Thread(target=run, name="groundtrace-work", daemon=True).start()
    return await result


def _tell(loop: asyncio.AbstractEventLoop, result: "asyncio.Future[T]", settle: Callable[[], None]) -> None:
    """Settle a future from another thread; a loop that is gone needs no answer any more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(lambda: None if result.done() else settle())
