"""Tasks that outlive whoever started them: a caller that leaves does not stop the record of its turn."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Outliving:
    """Holds tasks until they end; the event loop itself keeps no hold on them. Each has its own deadline."""

    def __init__(self) -> None:
        """Hold none yet."""
        self._running: set[asyncio.Task[object]] = set()

    def start(self, work: Coroutine[Any, Any, T], /) -> asyncio.Task[T]:
        """Start work that goes on when its caller is cancelled."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task
