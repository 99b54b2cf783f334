"""Looks for one text in many blocks by the part of it that is found quickest there, as a sample of the data tells.

`bytes.find` runs over a hundred megabytes in 20 to 60 ms for several bytes and in 6 ms for one that is rare; RE2, where
it is installed, compares two bytes a known distance apart with vector instructions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from groundtrace_adapters.sources.patterns import literal_finder

_SAMPLE_BYTES = 64 * 1024
_CHOICE_BYTES = 24
_TRIED_PAIRS = 12
_PATIENCE = 2_000

# Nanoseconds, measured: what a byte found by itself and checked costs, what RE2 takes to look closer where both ends of
# a part are there, what it takes to return one, and what `bytes.find` takes for each byte that it runs over.
_BYTE_FOUND, _ENDS_MET, _PART_FOUND, _PLAIN = 200.0, 50.0, 4_000.0, 0.3

_Look: TypeAlias = Callable[[bytes, int], int]


@dataclass(slots=True, kw_only=True)
class Needle:
    """A text that is not empty; `find` gives the same as `bytes.find`."""

    text: bytes
    _look: _Look | None = None
    _offset: int = 0
    _left: int = _PATIENCE
    _chosen: bool = False

    def find(self, data: bytes, start: int, /) -> int:
        """Return where the text begins at or after `start`, -1 if nowhere."""
        if not self._chosen:
            self._offset, self._look = _quickest(self.text, data[:_SAMPLE_BYTES])
            self._chosen = True
        place = start + self._offset
        while self._look is not None:
            at = self._look(data, place)
            if at < 0:
                return -1
            self._left -= 1
            if self._left < 0:
                # The part is not as rare as the sample said.
                self._look = None
            if data.startswith(self.text, at - self._offset):
                return at - self._offset
            place = at + 1
        return data.find(self.text, start)


def _quickest(text: bytes, sample: bytes) -> tuple[int, _Look | None]:
    """Return the offset in the text of the part to look for, and what finds it; None: look for the text itself."""
    if not sample:
        return 0, None
    shares = [sample.count(byte) / len(sample) for byte in text[:_CHOICE_BYTES]]
    rarest = min(shares)
    if rarest * _BYTE_FOUND < _PLAIN:
        at = shares.index(rarest)
        return at, _byte_finder(text[at : at + 1])
    pairs = sorted(combinations(range(len(shares)), 2), key=lambda pair: shares[pair[0]] * shares[pair[1]])
    costs = [(_cost(text, pair, shares, sample), pair) for pair in pairs[:_TRIED_PAIRS]]
    cost, (first, last) = min(costs, default=(_PLAIN, (0, 0)))
    find = literal_finder(text[first : last + 1]) if cost < _PLAIN else None
    return (0, None) if find is None else (first, _part_finder(find))


def _cost(text: bytes, pair: tuple[int, int], shares: list[float], sample: bytes) -> float:
    """Return what looking for the part between two bytes costs, in nanoseconds for each byte of the data."""
    first, last = pair
    found = sample.count(text[first : last + 1]) / len(sample)
    return shares[first] * shares[last] * _ENDS_MET + found * _PART_FOUND


def _byte_finder(byte: bytes) -> _Look:
    return lambda data, start: data.find(byte, start)


def _part_finder(find: Callable[[bytes, int, int], tuple[int, int] | None]) -> _Look:
    def look(data: bytes, start: int) -> int:
        span = find(data, start, len(data))
        return -1 if span is None else span[0]

    return look
