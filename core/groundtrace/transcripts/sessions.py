"""The sessions of a file by the peer's own ids: which are open, and where each stopped that was let go."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator

from groundtrace.invocation import SESSION_CHARACTERS
from groundtrace.text import clean, is_blank
from groundtrace.transcripts.finished_calls import FinishedCalls
from groundtrace.transcripts.open_session import OpenSession

OPEN_SESSIONS = 1_000
"""So many sessions of a file are open at once; then the one that was silent longest is taken as ended."""

SESSIONS_REMEMBERED = 100_000
_HASH = 12


class Sessions:
    """The open sessions of a file by the peer's own id, and where each stopped that was let go."""

    def __init__(self, name: str, /, *, prefix: str | None, unique: bool) -> None:
        """Begin with none; `name` stands for a session without an id."""
        self._name, self._prefix, self._unique = name, prefix, unique
        self._open: OrderedDict[str | None, OpenSession] = OrderedDict()
        self._left: OrderedDict[str | None, tuple[int, int]] = OrderedDict()
        self._finished = FinishedCalls()
        self.count = 0

    def at(self, given: str | None, /) -> OpenSession:
        """Return a session, opened where it is not."""
        found = self._open.get(given)
        if found is None:
            stopped = self._left.pop(given, None)
            self.count += stopped is None
            seq, turn = stopped or (0, 0)
            found = self._open[given] = OpenSession(self._id(given), self._finished, seq=seq, turn=turn)
        self._open.move_to_end(given)
        return found

    def take(self, given: str | None, /) -> OpenSession | None:
        """Return a session for the last time."""
        found = self._open.pop(given, None)
        if found is not None:
            self._leave(given, found)
        return found

    def crowded(self) -> Iterator[OpenSession]:
        """Yield those that were silent longest where too many are open."""
        while len(self._open) > OPEN_SESSIONS:
            given, found = self._open.popitem(last=False)
            self._leave(given, found)
            yield found

    def all(self) -> Iterator[OpenSession]:
        """Yield all that are open, for the last time."""
        while self._open:
            yield self._open.popitem(last=False)[1]

    def _leave(self, given: str | None, found: OpenSession) -> None:
        self._left[given] = (found.seq, found.turns)
        if len(self._left) > SESSIONS_REMEMBERED:
            self._left.popitem(last=False)

    def _id(self, given: str | None) -> str:
        own = given if given is not None and not is_blank(given) else None
        parts = (self._prefix, self._name if own is None or not self._unique else None, own)
        whole = clean("/".join(part for part in parts if part))
        if len(whole) <= SESSION_CHARACTERS:
            return whole
        digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
        return f"{whole[: SESSION_CHARACTERS - _HASH - 1]}-{digest}"
