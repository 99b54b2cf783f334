"""How a bad day of a sink is told in the log: rows by their key and why, never by their content, and never all of them.

An outage may cost a million rows. The first of each kind are named; then a count is told each time that it has doubled,
and in the end in full.
"""

import threading
import time
from collections.abc import Sequence

from groundtrace.ports import StoreError
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.sinks.ledger import Keyed

NAMED = 10
"""So many rows of one kind of loss are named; the others are counted."""

QUIET = 60.0
"""After so many seconds without a loss of its kind the next one is named again."""

KINDS = 100
"""So many kinds of losses are counted apart; with more of them all counts begin anew."""

_log = CarefulLog("groundtrace.sink")


class Losses:
    """Tells of rows that are neither stored nor spooled, one instance a sink. Any thread may call it."""

    def __init__(self, *, quiet: float = QUIET) -> None:
        """Begin with nothing lost; `quiet` is given in seconds."""
        self._quiet = quiet
        # Reentrant, as that of `Holding` is, and never held while a line is told.
        self._lock = threading.RLock()
        self._kinds: dict[str, _Kind] = {}

    def tell(self, rows: Sequence[Keyed], why: str, /) -> None:
        """Tell that rows are lost; what stands before the first colon of `why` is the kind."""
        name = why.partition(":")[0]
        for row in rows:
            with self._lock:
                ended = self._ended(name)
                kind = self._kinds.setdefault(name, _Kind())
                kind.count()
                is_named, news = kind.lost <= NAMED, kind.news(doubled=True)
            for one, known in ended.items():
                _tell_count(one, known.news())
            if is_named:
                _log.error("row %s of session %r is not stored: %s", row.id, row.session_id, why)
            else:
                _tell_count(name, news)

    def tell_rest(self) -> None:
        """Tell the counts of what was not told yet, and begin anew."""
        with self._lock:
            kinds, self._kinds = self._kinds, {}
        for name, kind in kinds.items():
            _tell_count(name, kind.news())

    def _ended(self, name: str) -> "dict[str, _Kind]":
        """Forget the kinds that a loss of this one leaves no place for, and return them."""
        kind = self._kinds.get(name)
        if kind is None and len(self._kinds) >= KINDS:
            ended, self._kinds = self._kinds, {}
            return ended
        return {name: self._kinds.pop(name)} if kind is not None and kind.idle > self._quiet else {}


class _Kind:
    """The losses of one kind: how many, and of how many the log knows."""

    __slots__ = ("_at", "_told", "lost")

    def __init__(self) -> None:
        self.lost = self._told = 0
        self._at = time.monotonic()

    @property
    def idle(self) -> float:
        return time.monotonic() - self._at

    def count(self) -> None:
        self.lost += 1
        self._at = time.monotonic()

    def news(self, *, doubled: bool = False) -> int:
        """Return how many are lost, if the log is to be told now, else 0; with `doubled` only where they are."""
        if self.lost <= self._told or (doubled and NAMED < self.lost < 2 * self._told):
            return 0
        self._told = self.lost
        return self.lost


def _tell_count(name: str, count: int) -> None:
    if count:
        _log.error("%d rows in all are not stored: %s", count, name)


def report_pause(error: StoreError, seconds: float, /) -> None:
    """Tell that the store did not take rows, and when it is tried again."""
    _log.warning("the store does not take rows and is tried again in %g s: %s: %s", seconds, error.fault, error.message)
