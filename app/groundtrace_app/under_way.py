"""The call that a framework records around a tool's body: a `recorded` tool beneath tells it what it saw.

So one row stays. The framework knows the session, the turn and a deadline of its own; the tool knows what its body
really gave, and how its author reads that.
"""

from __future__ import annotations

import contextvars

from groundtrace import outcomes


class UnderWay:
    """One call of a framework, open for the first `recorded` tool of its name that runs within it."""

    __slots__ = ("_open", "outcome", "tool_name", "topic_domain")

    def __init__(self, tool_name: str, /) -> None:
        """Open it in this context, and in those of the tasks and threads that copy it from now on."""
        self._open = True
        self.tool_name = tool_name
        self.topic_domain: str | None = None
        self.outcome: outcomes.Outcome | None = None
        _innermost.set(self)

    def claimed_by(self, tool_name: str, /) -> bool:
        """Tell whether a tool of that name is the one that runs here; so is one alone."""
        mine = self._open and tool_name == self.tool_name
        self._open = self._open and not mine
        return mine

    def tell(self, outcome: outcomes.Outcome, /) -> None:
        """Hear what the tool's own body amounted to."""
        self.outcome = outcome

    def end(self) -> None:
        """Let no tool claim it any more."""
        self._open = False


_innermost: contextvars.ContextVar[UnderWay | None] = contextvars.ContextVar("groundtrace_under_way", default=None)


def call_around(tool_name: str, /) -> UnderWay | None:
    """Return the call that a framework records around this one of the same tool, once; None where there is none."""
    around = _innermost.get()
    return around if around is not None and around.claimed_by(tool_name) else None
