"""What one look at log files may cost, and what a look that was broken off did not see."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class LogBounds:
    """The most that one search reads: bytes after unpacking, and seconds."""

    unpacked_bytes: int = 8 * 1024**3
    seconds: float = 20.0


@dataclass(slots=True, kw_only=True)
class Budget:
    """The running account of one search; `cancel` may be called from another thread."""

    bounds: LogBounds
    clock: Callable[[], float] = time.monotonic
    read: int = 0
    started: float = field(init=False)
    _cancelled: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Start the time."""
        self.started = self.clock()

    def cancel(self) -> None:
        """Stop the search at its next step."""
        self._cancelled.set()

    def spent(self) -> str:
        """Return in words which bound is reached; blank while the search may go on."""
        if self._cancelled.is_set():
            return "the search was cancelled"
        if self.read >= self.bounds.unpacked_bytes:
            return f"the search stopped after {self.bounds.unpacked_bytes:,} bytes"
        if self.clock() - self.started >= self.bounds.seconds:
            return f"the search stopped after {self.bounds.seconds:g} s"
        return ""
