"""How one thread wakes many that wait for the same news: threads by one event, tasks by one call into their loop.

A batch of rows shares one announcement, so that five hundred waiting callers cost the writer one step and not five
hundred.
"""

import threading
from asyncio import AbstractEventLoop, Future
from collections.abc import Iterable


class Announcement:
    """News that may come several times: whoever is woken looks whether its own has come, and waits again if not."""

    __slots__ = ("_event", "_lock", "_tasks")

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        # Reentrant: the garbage collector may run a caller's code, and with it ours, anywhere.
        self._lock = threading.RLock()
        self._event: threading.Event | None = None
        self._tasks: dict[AbstractEventLoop, dict[Future[None], None]] | None = None

    @property
    def waiting(self) -> int:
        """Return how many tasks wait for the next announcement."""
        with self._lock:
            return sum(map(len, (self._tasks or {}).values()))

    def event(self) -> threading.Event:
        """Return what is set by the next announcement, to be asked for before one looks whether there are news."""
        with self._lock:
            if self._event is None:
                self._event = threading.Event()
            return self._event

    def future(self, loop: AbstractEventLoop, /) -> "Future[None]":
        """Return a future of one's own that the next announcement ends; who stops waiting says so to `forget`."""
        future: Future[None] = loop.create_future()
        with self._lock:
            if self._tasks is None:
                self._tasks = {}
            self._tasks.setdefault(loop, {})[future] = None
        return future

    def forget(self, future: "Future[None]", /) -> None:
        """Hold a future no longer: news may be a long time in coming, and who asks now and then would fill memory."""
        with self._lock:
            (self._tasks or {}).get(future.get_loop(), {}).pop(future, None)

    def announce(self) -> None:
        """Wake everybody who waits."""
        with self._lock:
            event, self._event = self._event, None
            tasks, self._tasks = self._tasks, None
        if event is not None:
            event.set()
        for loop, futures in (tasks or {}).items():
            try:
                loop.call_soon_threadsafe(_end, futures)
            except RuntimeError:
                # That loop is closed, and nobody waits in it any more.
                continue


def _end(futures: "Iterable[Future[None]]") -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)
