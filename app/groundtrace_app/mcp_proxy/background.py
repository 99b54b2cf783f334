"""Work done behind the traffic, in one thread and in the order in which it was given; never waited for."""

import queue
import threading
import time
from collections.abc import Callable

from groundtrace_adapters.careful_log import CarefulLog

MOST_WAITING = 16 * 1024 * 1024
"""About how many bytes of copies may wait to be read."""

PAUSE_SECONDS = 0.002
"""How long the first copy behind a silence lies before it is read."""

_log = CarefulLog("groundtrace.mcp_proxy")


class Background:
    """A thread of its own; work that it cannot keep up with is refused, so that memory has a bound."""

    def __init__(self, *, most_waiting: int = MOST_WAITING) -> None:
        """Begin with nothing to do."""
        self._most = most_waiting
        self._weight = 0
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[tuple[int, Callable[[], None] | None]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="groundtrace-mcp", daemon=True)
        self._thread.start()

    def put(self, work: Callable[[], None], /, *, weight: int = 0) -> bool:
        """Let `work` be done after what was given before; False, at once, where too much waits already."""
        with self._lock:
            if weight and self._weight + weight > self._most:
                return False
            self._weight += weight
        self._work.put((weight, work))
        return True

    def close(self, *, deadline: float) -> None:
        """Wait at most `deadline` seconds until all is done; what is given later is not."""
        self._work.put((0, None))
        self._thread.join(deadline)
        if self._thread.is_alive():
            _log.error("what passed last was not recorded within %g s", deadline)

    def _run(self) -> None:
        while True:
            weight, work = self._work.get()
            if work is None:
                return
            if self._work.empty():
                # What passes now goes first: an answer often follows at once.
                time.sleep(PAUSE_SECONDS)
            try:
                work()
            except Exception as fault:  # noqa: BLE001 - recording never breaks the traffic
                _log.error("a message was not recorded: %s", type(fault).__name__)
            with self._lock:
                self._weight -= weight
