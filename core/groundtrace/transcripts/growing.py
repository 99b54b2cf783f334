"""A conversation that is written again with each step: what of it was read already, told by its messages."""

from collections import OrderedDict
from collections.abc import Sequence

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.steps import mark_of

CONVERSATIONS = 200
"""So many conversations of a file are remembered; then the one that was silent longest is forgotten."""

MESSAGES = 5_000
"""So many messages of one are remembered; beyond that all that comes is taken as new."""


class Growing:
    """Which messages of a conversation are new."""

    def __init__(self) -> None:
        """Remember none yet."""
        self._seen: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def known(self, conversation: str, messages: Sequence[JsonValue], /) -> int:
        """Return how many messages at the beginning were read before: all, where an earlier state is written again.

        A conversation that begins otherwise is another one under the same name, and new.
        """
        before = self._seen.get(conversation, ())
        marks = tuple(mark_of(one) for one in messages[:MESSAGES])
        shared = min(len(before), len(marks))
        grown = before[:shared] == marks[:shared]
        self._seen[conversation] = before if grown and len(before) > len(marks) else marks
        self._seen.move_to_end(conversation)
        if len(self._seen) > CONVERSATIONS:
            self._seen.popitem(last=False)
        return shared if grown else 0
