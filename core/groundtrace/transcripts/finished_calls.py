"""The calls of a file that have their results and what was said, as far back as one window reaches: constant memory."""

from collections import OrderedDict
from typing import TypeVar

from groundtrace import outcomes
from groundtrace.outcomes import OutcomeKind

WINDOW = 10_000
"""So many finished calls of a file are remembered, to tell a further record of one from a new call."""

Kept = TypeVar("Kept")


class FinishedCalls:
    """Windows over finished calls; a name always holds its session, since all sessions of a file share them."""

    def __init__(self) -> None:
        """Remember none yet."""
        self._keys: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._ids: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._questions: OrderedDict[tuple[str, str], tuple[str, OutcomeKind]] = OrderedDict()
        self._times: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._said: OrderedDict[tuple[str, str], None] = OrderedDict()

    def add(
        self, session: str, /, *, key: str, call_id: str | None, question: str, row_id: str, outcome: outcomes.Outcome
    ) -> None:
        """Remember a call: `key` tells it from all others, `question` its tool and arguments alone."""
        _remember(self._keys, (session, key), None)
        if call_id is not None:
            _remember(self._ids, (session, call_id), None)
        if not isinstance(outcome, outcomes.Deduped):
            _remember(self._questions, (session, question), (row_id, outcomes.kind_of(outcome)))

    def has(self, session: str, key: str, /) -> bool:
        """Tell whether this very call has its result."""
        return (session, key) in self._keys

    def has_id(self, session: str, call_id: str, /) -> bool:
        """Tell whether a call with this id has its result."""
        return (session, call_id) in self._ids

    def earlier(self, session: str, question: str, /) -> tuple[str, OutcomeKind] | None:
        """Return the last call that asked the same, and what it amounted to."""
        return self._questions.get((session, question))

    def said_before(self, session: str, message: str, /) -> bool:
        """Tell whether a message was met before, and remember it."""
        before = (session, message) in self._said
        _remember(self._said, (session, message), None)
        return before

    def occurrence(self, session: str, name: str, /) -> int:
        """Return how often this was asked for under the same name before."""
        number = self._times.get((session, name), 0)
        _remember(self._times, (session, name), number + 1)
        return number


def _remember(window: OrderedDict[tuple[str, str], Kept], name: tuple[str, str], kept: Kept) -> None:
    window[name] = kept
    window.move_to_end(name)
    if len(window) > WINDOW:
        window.popitem(last=False)
