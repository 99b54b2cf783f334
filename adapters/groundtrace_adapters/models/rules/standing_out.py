"""Which series stand out in the asked stretch against their own earlier points, most first. Pure.

A departure is how far the most extreme point leaves the range of the earlier points, in units of their spread; the
spread of a series that hardly moves is taken from its neighbours of the same metric, so that small noise stays small.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from groundtrace_adapters.models.rules.evidence import Row, SeriesUnit
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import kinds_of, name_words

Points = Sequence[tuple[datetime, float]]
LOUD = 6.0
"""From this departure on a series is worth telling before log entries."""

_CAPPED = 20.0
_FEWEST_BEFORE = 3
_GOOD_WHEN_HIGH = frozenset("success succeeded hit hits commit ops uptime up".split())
_COUNTER = frozenset({"total"})
_RESOURCES_FIRST = ("cpu", "connections", "locks", "memory", "disk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """One series in the asked stretch: its telling point, its points before that stretch, and how far it departs."""

    row: Row
    series: SeriesUnit
    point: tuple[datetime, float]
    inside: Points
    before: Points
    size: float

    @property
    def counts_up(self) -> bool:
        """Tell whether the series is a counter."""
        return bool(set(name_words(self.series.metric)) & _COUNTER)


def departures(rows: Iterable[Row], subject: Subject, /) -> tuple[Departure, ...]:
    """Return every series with a point in the asked stretch, the greatest departure first."""
    split = [
        found for row in rows for series in row.series for found in [_split(row, series, subject)] if found is not None
    ]
    shared = _shared(split)
    measured = [_measured(one, shared[one.series.metric]) for one in split]
    return tuple(sorted(measured, key=_rank))


def _rank(one: Departure) -> tuple[float, int, float, str, tuple[tuple[str, str], ...]]:
    kinds = kinds_of(one.series.metric)
    resource = next((place for place, kind in enumerate(_RESOURCES_FIRST) if kind in kinds), len(_RESOURCES_FIRST))
    labels = tuple(sorted(one.series.labels.items()))
    return (-min(one.size, _CAPPED), resource, -one.size, one.series.metric, labels)


def _split(row: Row, series: SeriesUnit, subject: Subject) -> Departure | None:
    inside = [point for point in series.points if subject.in_time(point[0])]
    if not inside:
        return None
    before = [point for point in series.points if subject.asked and point[0] < inside[0][0]]
    return Departure(row=row, series=series, point=inside[-1], inside=inside, before=before, size=0.0)


def _shared(split: Iterable[Departure]) -> dict[str, float]:
    """Return for each metric what a small move is: the mean spread of its series, or a hundredth of their peak."""
    found: dict[str, list[Departure]] = {}
    for one in split:
        found.setdefault(one.series.metric, []).append(one)
    return {
        metric: max(statistics.fmean(_spread(one.before) for one in ones), _peak(ones) / 100)
        for metric, ones in found.items()
    }


def _peak(ones: Iterable[Departure]) -> float:
    return max(abs(value) for one in ones for _, value in one.series.points)


def _spread(points: Points) -> float:
    values = [value for _, value in points]
    if not values:
        return 0.0
    middle = statistics.median(values)
    return 1.4826 * statistics.median(abs(value - middle) for value in values)


def _measured(one: Departure, shared: float) -> Departure:
    if one.counts_up:
        return _measured_counter(one)
    low = bool(set(name_words(one.series.metric)) & _GOOD_WHEN_HIGH)
    point = min(one.inside, key=_value) if low else max(one.inside, key=_value)
    size = 0.0
    if len(one.before) >= _FEWEST_BEFORE:
        edge = min(map(_value, one.before)) if low else max(map(_value, one.before))
        unit = max(_spread(one.before), shared, 0.05 * abs(edge), 1e-9)
        size = ((edge - point[1]) if low else (point[1] - edge)) / unit
    return _with(one, point, size)


def _measured_counter(one: Departure) -> Departure:
    """A counter departs by how much more it rose in the asked stretch than in as many points before it."""
    points = one.inside if not one.before else [one.before[-1], *one.inside]
    rise = points[-1][1] - points[0][1]
    earlier = one.before[-len(points) :]
    usual = earlier[-1][1] - earlier[0][1] if len(earlier) > 1 else 0.0
    good = bool(set(name_words(one.series.metric)) & _GOOD_WHEN_HIGH)
    size = 0.0 if good else max(0.0, rise - usual) / (1.0 + max(usual, 0.0))
    return _with(one, one.inside[-1], size)


def _with(one: Departure, point: tuple[datetime, float], size: float) -> Departure:
    return Departure(row=one.row, series=one.series, point=point, inside=one.inside, before=one.before, size=size)


def _value(point: tuple[datetime, float]) -> float:
    return point[1]
