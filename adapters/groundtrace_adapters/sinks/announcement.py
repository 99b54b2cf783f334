"""How one thread wakes many that wait for the same news: threads by one gate, tasks by one call into their loop.

A batch of rows shares one announcement, so that five hundred waiting callers cost the writer one step and not five
hundred.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Whoever has an event loop has loaded it; nobody else pays for it.
    from asyncio import AbstractEventLoop, Future


class _Shared:
    # One for all, so that a forked child, which may find it held by a thread that is gone, can have another one.
    # Reentrant: a signal, or the garbage collector, may run a caller's code, and with it ours, anywhere.
    lock = threading.RLock()


class Gate:
    """Shut until it is opened, and then open for good.

    A bare lock: whoever waits for an `Event` holds a lock of its own for a moment, and an exception of a signal handler
    in that moment leaves it held, so that whoever sets the event would wait for ever.
    """

    __slots__ = ("_shut",)

    def __init__(self) -> None:
        """Begin shut."""
        self._shut = threading.Lock()
        self._shut.acquire()

    def wait(self, seconds: float, /) -> bool:
        """Wait at most so long; tell whether it is open."""
        if not self._shut.acquire(timeout=seconds):
            return False
        self._shut.release()
        return True

    def open(self) -> None:
        """Let everybody through; once."""
        self._shut.release()


class Announcement:
    """News that may come several times: whoever is woken looks whether its own has come, and waits again if not."""

    __slots__ = ("_gate", "_tasks")

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        self._gate: Gate | None = None
        self._tasks: dict[AbstractEventLoop, dict[Future[None], None]] | None = None

    @property
    def waiting(self) -> int:
        """Return how many tasks wait for the next announcement."""
        with _Shared.lock:
            return sum(map(len, (self._tasks or {}).values()))

    def gate(self) -> Gate:
        """Return what the next announcement opens, to be asked for before one looks whether there are news."""
        with _Shared.lock:
            if self._gate is None:
                self._gate = Gate()
            return self._gate

    def future(self, loop: AbstractEventLoop, /) -> Future[None]:
        """Return a future of one's own that the next announcement ends; who stops waiting says so to `forget`."""
        future: Future[None] = loop.create_future()
        with _Shared.lock:
            if self._tasks is None:
                self._tasks = {}
            self._tasks.setdefault(loop, {})[future] = None
        return future

    def forget(self, future: Future[None], /) -> None:
        """Hold a future no longer: news may be a long time in coming, and who asks now and then would fill memory."""
        with _Shared.lock:
            (self._tasks or {}).get(future.get_loop(), {}).pop(future, None)

    def announce(self) -> None:
        """Wake everybody who waits."""
        with _Shared.lock:
            gate, self._gate = self._gate, None
            tasks, self._tasks = self._tasks, None
        if gate is not None:
            gate.open()
        for loop, futures in (tasks or {}).items():
            try:
                loop.call_soon_threadsafe(_end, futures)
            except RuntimeError:
                # That loop is closed, and nobody waits in it any more.
                continue


def _end(futures: Iterable[Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


def _in_child() -> None:
    _Shared.lock = threading.RLock()


os.register_at_fork(after_in_child=_in_child)
