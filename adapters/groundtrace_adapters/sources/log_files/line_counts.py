"""How many lines end in each block of a file, kept between searches: counting them costs as much as searching them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_MOST_COUNTS = 1_000_000
_EDGE_BYTES = 1024
_LAST_BLOCKS = 2

_Key = tuple[Path, int, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """The counts of a file's first blocks, and the state of the file that they are from."""

    size: int
    changed: int
    edges: bytes
    counts: tuple[int, ...]

    def is_of(self, status: os.stat_result) -> bool:
        return (self.size, self.changed) == (status.st_size, status.st_mtime_ns)


@dataclass(slots=True, kw_only=True)
class LineCounts:
    """Counts by file. A log that only grew keeps those of what it was. Safe to use from several threads."""

    _held: dict[_Key, _Held] = field(default_factory=dict)

    def known(self, path: Path, status: os.stat_result, /, *, stamped: bool) -> Sequence[int]:
        """Return the counts of the first blocks of a file in this state, as many as are known; raises OSError."""
        held = self._held.get((path, status.st_ino, stamped))
        if held is None:
            return ()
        if held.is_of(status):
            return held.counts
        if status.st_size <= held.size or _edges(path, held.size) != held.edges:
            return ()
        # The end of what the file was may have been cut in the middle of an entry.
        return held.counts[:-_LAST_BLOCKS]

    def keep(self, path: Path, status: os.stat_result, counts: Sequence[int], /, *, stamped: bool) -> None:
        """Keep the counts if they say more than those known; all are forgotten when they become too many."""
        key = (path, status.st_ino, stamped)
        held = self._held.get(key)
        if held is not None and held.is_of(status) and len(counts) <= len(held.counts):
            return
        if sum(len(one.counts) for one in tuple(self._held.values())) + len(counts) > _MOST_COUNTS:
            self._held.clear()
        edges = _edges(path, status.st_size)
        self._held[key] = _Held(size=status.st_size, changed=status.st_mtime_ns, edges=edges, counts=tuple(counts))


def _edges(path: Path, size: int) -> bytes:
    """Return the first and the last bytes of a file that has, or had, this size: a rewritten log begins otherwise."""
    with path.open("rb", buffering=0) as file:
        first = file.read(min(size, _EDGE_BYTES))
        file.seek(max(0, size - _EDGE_BYTES))
        return first + file.read(min(size, _EDGE_BYTES))
