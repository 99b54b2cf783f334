"""Which matching entries an answer holds: the oldest or the newest, never more than the limit.

What matches beyond the limit is counted exactly up to 10,000; then whole blocks that cannot change the answer may be
passed over, and the answer says that not all were counted.

Entries that show no time stand behind all others, in the order of their files.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from groundtrace.material import time_text
from groundtrace.sources import LogEntry, LogQuery
from groundtrace_adapters.sources.timestamps import epoch_micros, from_micros

ANSWER_CHARACTERS = 4 * 1024 * 1024
"""The most text that one answer holds."""

COUNTED = 10_000
"""How many matching entries beyond the limit are always counted."""

_Key: TypeAlias = tuple[int, int]
Build: TypeAlias = Callable[[], tuple[LogEntry, bool]]
"""Makes an entry, and tells whether its text was shortened."""

Hold: TypeAlias = Callable[[], Build]
"""Keeps what is needed to make an entry: asked as soon as the entry is chosen, and only then."""


@dataclass(slots=True, kw_only=True)
class Selection:
    """Takes matching entries in the order of files and lines, and keeps the first `limit` in the order asked for."""

    query: LogQuery
    matched: int = 0
    untimed: int = 0
    uncounted: bool = False
    _heap: list[tuple[_Key, Build]] = field(default_factory=list)

    def in_window(self, at: datetime | None, /) -> bool:
        """Tell whether an entry of that time is asked for; one without a time is in no window."""
        if at is None:
            return self.query.start is None and self.query.end is None
        after = self.query.start is None or self.query.start <= at
        return after and (self.query.end is None or at < self.query.end)

    def offer(self, at: datetime | None, hold: Hold, /) -> None:
        """Take one matching entry of the window; what it holds is made at the end, if it is still among the chosen."""
        self.matched += 1
        key = self._key(at)
        if len(self._heap) < self.query.limit:
            heapq.heappush(self._heap, (key, hold()))
        elif key > self._heap[0][0]:
            heapq.heapreplace(self._heap, (key, hold()))

    def open_window(self) -> tuple[datetime | None, datetime | None]:
        """Return the window in which an entry would still be chosen or counted."""
        start, end = self.query.start, self.query.end
        if self.matched < self.query.limit + COUNTED:
            return start, end
        worst = self._heap[0][0][0]
        if self.query.newest_first:
            last = from_micros(worst)
            return (last if start is None else max(start, last)), end
        last = from_micros(-worst)
        return start, (last if end is None else min(end, last))

    def entries(self) -> tuple[tuple[LogEntry, ...], tuple[str, ...]]:
        """Return the chosen entries in order, and in words what was left out of them."""
        chosen = sorted(self._heap, key=lambda kept: kept[0], reverse=True)
        fitting: list[LogEntry] = []
        size = shortened = 0
        for _, build in chosen:
            entry, cut = build()
            size += len(entry.text)
            if size > ANSWER_CHARACTERS:
                break
            fitting.append(entry)
            shortened += cut
        return tuple(fitting), self._unseen(fitting, len(chosen), shortened)

    def _unseen(self, fitting: list[LogEntry], chosen: int, shortened: int) -> tuple[str, ...]:
        more, unshown = self.matched - chosen, chosen - len(fitting)
        told: list[str] = []
        if more:
            number = f"at least {more:,}" if self.uncounted else f"{more:,}"
            told.append(
                f"limit of {self.query.limit:,} reached: {number} more entries match in what was read;"
                f" {self._end(fitting)}"
            )
        if unshown:
            told.append(
                f"{unshown:,} more matching entries would make the answer longer than {ANSWER_CHARACTERS:,}"
                " characters and are not shown"
            )
        if shortened:
            told.append(f"{shortened:,} long entries are shown in part, the gaps are marked")
        if self.untimed:
            told.append(
                f"{self.untimed:,} matching entries show no time: whether they are in the window is not known, and they"
                " were left out"
            )
        return tuple(told)

    def _end(self, fitting: list[LogEntry]) -> str:
        end, reach = ("newest", "down to") if self.query.newest_first else ("oldest", "up to")
        last = fitting[-1].at if fitting else None
        return f"shown are the {end}" + (f", {reach} {time_text(last)}" if last else "")

    def _key(self, at: datetime | None) -> _Key:
        """Return a key that is greatest for what is wanted first."""
        count = self.matched
        if self.query.newest_first:
            return (epoch_micros(at), count) if at else (-(10**18), -count)
        return (-epoch_micros(at) if at else -(10**18), -count)
