"""Which sessions of an import an earlier file of the same run held already, as far back as one window reaches."""

from collections import OrderedDict

WINDOW = 10_000
"""So many sessions are remembered."""


class SessionsMet:
    """The sessions met so far, each with the file it was met in last."""

    def __init__(self) -> None:
        """Remember none yet."""
        self._file = 0
        self._met: OrderedDict[str, int] = OrderedDict()

    def next_file(self) -> None:
        """Begin a file."""
        self._file += 1

    def again(self, session_id: str, /) -> bool:
        """Tell, once a file, whether an earlier file held a session; remember it."""
        before = self._met.get(session_id)
        self._met[session_id] = self._file
        self._met.move_to_end(session_id)
        if len(self._met) > WINDOW:
            self._met.popitem(last=False)
        return before is not None and before != self._file
