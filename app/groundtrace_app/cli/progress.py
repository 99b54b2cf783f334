"""Progress of long work: one line on a terminal's standard error that replaces itself; a pipe hears nothing."""

import os
import sys
import time
from contextlib import suppress
from threading import Event, Lock, Thread
from types import TracebackType

from groundtrace_app.chat import Progress, Stage
from groundtrace_app.cli.printing import fit, safe, width

_BETWEEN_SECONDS = 0.1
_QUIET_SECONDS = 1.0
"""After so long a step the seconds that it takes are shown, and go on, so that it is seen not to hang."""

_CLEAR = "\r\x1b[2K"

_WORDS = {
    Stage.PLAN: "planning",
    Stage.CALL: "asking",
    Stage.RESULT: "got",
    Stage.DRAFT: "writing the answer",
    Stage.VERIFY: "checking the answer against the evidence",
    Stage.DECIDED: "decided",
}


class ProgressLine:
    """A context in which steps are told and after which the line is gone."""

    def __init__(self) -> None:
        """Tell only a terminal that can replace a line."""
        stderr = sys.stderr
        self._told = stderr is not None and stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._last = 0.0
        self._words, self._since = "", time.monotonic()
        self._lock, self._over = Lock(), Event()
        self._ticking = Thread(target=self._tick, name="progress", daemon=True)

    def __enter__(self) -> "ProgressLine":
        """Begin with no line."""
        if self._told:
            self._ticking.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the line."""
        if self._told:
            self._over.set()
            self._ticking.join()
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def tell(self, words: str, /) -> None:
        """Show these words in place of the last ones."""
        if self._told:
            with self._lock:
                self._words, self._since = words, time.monotonic()
                self._show(words)

    def count(self, words: str, number: int, /) -> None:
        """Show a number that grows, ten times a second at most."""
        if self._told and time.monotonic() - self._last >= _BETWEEN_SECONDS:
            self._last = time.monotonic()
            self.tell(f"{words} {number:,}")

    def step(self, step: Progress, /) -> None:
        """Show where a turn is."""
        self.tell(f"{_WORDS[step.stage]} {step.detail}")

    def _tick(self) -> None:
        while not self._over.wait(_QUIET_SECONDS):
            with self._lock:
                seconds = time.monotonic() - self._since
                if self._words and seconds >= _QUIET_SECONDS:
                    self._show(f"{self._words} ({seconds:.0f} s)")

    def _show(self, words: str) -> None:
        # A terminal that has gone is no reason to end the work.
        with suppress(OSError):
            print(_CLEAR + fit("  " + safe(words), width() - 1), end="", file=sys.stderr, flush=True)
