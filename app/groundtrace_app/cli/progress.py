"""Progress of long work: one line on a terminal's standard error that replaces itself; a pipe hears nothing."""

import os
import sys
import time
from types import TracebackType

from groundtrace_app.chat import Progress, Stage
from groundtrace_app.cli.printing import fit, safe, width

_BETWEEN_SECONDS = 0.1
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

    def __enter__(self) -> "ProgressLine":
        """Begin with no line."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the line."""
        if self._told:
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def tell(self, words: str, /) -> None:
        """Show these words in place of the last ones."""
        if self._told:
            print(_CLEAR + fit("  " + safe(words), width() - 1), end="", file=sys.stderr, flush=True)

    def count(self, words: str, number: int, /) -> None:
        """Show a number that grows, ten times a second at most."""
        if self._told and time.monotonic() - self._last >= _BETWEEN_SECONDS:
            self._last = time.monotonic()
            self.tell(f"{words} {number:,}")

    def step(self, step: Progress, /) -> None:
        """Show where a turn is."""
        self.tell(f"{_WORDS[step.stage]} {step.detail}")
