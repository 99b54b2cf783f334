"""Time series as they are held in memory: two flat arrays each, and the builder that fills them within a bound."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

FILE_POINTS = 4_000_000
"""The most points that are read from one file (16 bytes each)."""

FILE_SERIES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One series of one file: times in microseconds since 1970, oldest first, and a value for each."""

    name: str
    labels: Mapping[str, str]
    unit: str
    times: "array[int]"
    values: "array[float]"

    def within(self, start: int | None, end: int | None, /) -> Iterator[tuple[int, float]]:
        """Yield the points with `start` <= time <= `end`."""
        first = 0 if start is None else bisect_left(self.times, start)
        last = len(self.times) if end is None else bisect_right(self.times, end)
        return zip(self.times[first:last], self.values[first:last], strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFile:
    """What one file holds, and in words what of it could not be read."""

    tracks: tuple[Track, ...]
    unseen: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """Return the number of points."""
        return sum(len(track.times) for track in self.tracks)


@dataclass(slots=True, kw_only=True)
class _Growing:
    name: str
    labels: Mapping[str, str]
    times: "array[float]" = field(default_factory=lambda: array("d"))
    values: "array[float]" = field(default_factory=lambda: array("d"))


@dataclass(slots=True, kw_only=True)
class TrackBuilder:
    """Collects samples by series. Times are kept as they are written until `build` gives them their unit."""

    points: int = 0
    _found: dict[tuple[str, tuple[tuple[str, str], ...]], _Growing] = field(default_factory=dict)

    def series(self, name: str, labels: Mapping[str, str], /) -> Callable[[float, float], None]:
        """Return what takes the samples (time as written, value) of one series."""
        key = (name, tuple(sorted(labels.items())))
        growing = self._found.get(key)
        if growing is None:
            growing = self._found[key] = _Growing(name=name, labels=dict(key[1]))
        times, values = growing.times, growing.values

        def add(time: float, value: float) -> None:
            times.append(time)
            values.append(value)
            self.points += 1

        return add

    def full(self) -> bool:
        """Tell whether the bound is reached."""
        return self.points >= FILE_POINTS or len(self._found) >= FILE_SERIES

    def build(self, micros: Callable[[float], int], unit_of: Callable[[str], str], /) -> tuple[Track, ...]:
        """Return the series; `micros` turns a time as written into microseconds, `unit_of` gives a name its unit."""
        return tuple(_sorted(one, micros, unit_of(one.name)) for one in self._found.values() if one.times)

    def times(self) -> Iterator[float]:
        """Yield the first time of each series, as written."""
        return (one.times[0] for one in self._found.values() if one.times)


def _sorted(one: _Growing, micros: Callable[[float], int], unit: str) -> Track:
    """Order the points by time; of several at one time the first is kept."""
    times = array("q", map(micros, one.times))
    values = one.values
    if any(later <= earlier for earlier, later in pairwise(times)):
        first: dict[int, float] = {}
        for time, value in zip(times, values, strict=True):
            first.setdefault(time, value)
        times = array("q", sorted(first))
        values = array("d", (first[time] for time in times))
    return Track(name=one.name, labels=one.labels, unit=unit, times=times, values=values)
