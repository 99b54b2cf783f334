"""How many lines end in each block of a file, kept between searches: counting them costs as much as searching them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_MOST_COUNTS = 1_000_000
_Key = tuple[Path, int, int, int, bool]


@dataclass(slots=True, kw_only=True)
class LineCounts:
    """Counts by file and its state; a file that changed is another. Safe to use from several threads."""

    _held: dict[_Key, tuple[int, ...]] = field(default_factory=dict)

    def known(self, path: Path, status: os.stat_result, /, *, stamped: bool) -> Sequence[int]:
        """Return the counts of the first blocks of a file in this state, as many as are known."""
        return self._held.get(_key(path, status, stamped=stamped), ())

    def keep(self, path: Path, status: os.stat_result, counts: Sequence[int], /, *, stamped: bool) -> None:
        """Keep the counts if they say more than those known; all are forgotten when they become too many."""
        if len(counts) <= len(self.known(path, status, stamped=stamped)):
            return
        if sum(map(len, tuple(self._held.values()))) + len(counts) > _MOST_COUNTS:
            self._held.clear()
        self._held[_key(path, status, stamped=stamped)] = tuple(counts)


def _key(path: Path, status: os.stat_result, *, stamped: bool) -> _Key:
    return (path, status.st_ino, status.st_size, status.st_mtime_ns, stamped)
