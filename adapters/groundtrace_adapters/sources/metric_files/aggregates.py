"""How the points of one series within a step become one value. Pure; times are microseconds since 1970.

A step holds start + k * step <= time < start + (k + 1) * step. Every value stands at the time
of a real point: `last` at that point, `min` and `max` at the (first) extreme one, the others at the step's last.

Points that are NaN count only where a step has no others; `last` is the last point whatever it is, so that a series
that went stale shows it. `increase` is the sum of all rises from point to point; a fall is a counter's restart and
counts as a rise from zero. A step begins at the last point of the step before, so that the increases of all steps add
up to the increase of the window. `rate` is the increase divided by the seconds between the first and last point used.
Both need two points. Unlike Prometheus nothing is extrapolated to the edges of a step: what is told is what was seen.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from groundtrace.sources import Aggregate

Point = tuple[int, float]


def aggregated(points: Iterable[Point], aggregate: Aggregate, /, *, start: int, step: int | None) -> Iterator[Point]:
    """Yield one point for each step that has one; `points` are in order and none is before `start`."""
    counts = aggregate in _OVER_TIME
    before: Point | None = None

    def step_of(point: Point) -> int:
        return 0 if step is None else (point[0] - start) // step

    for _, group in groupby(points, key=step_of):
        inside = list(group)
        numbers = [point for point in inside if not math.isnan(point[1])]
        if counts:
            value = _OVER_TIME[aggregate]([*([before] if before else []), *numbers])
            before = numbers[-1] if numbers else before
            if value is not None and numbers:
                yield value
            elif not numbers:
                yield inside[-1]
        elif aggregate is Aggregate.LAST:
            yield inside[-1]
        else:
            yield _WITHIN[aggregate](numbers) if numbers else inside[-1]


def _min(points: Sequence[Point]) -> Point:
    return min(points, key=lambda point: point[1])


def _max(points: Sequence[Point]) -> Point:
    return max(points, key=lambda point: point[1])


def _avg(points: Sequence[Point]) -> Point:
    total = math.fsum(value / len(points) for _, value in points) if _finite(points) else sum(v for _, v in points)
    return points[-1][0], total


def _increase(points: Sequence[Point]) -> Point | None:
    if len(points) < 2:
        return None
    rises = (later - earlier if later >= earlier else later for (_, earlier), (_, later) in pairwise(points))
    return points[-1][0], sum(rises)


def _rate(points: Sequence[Point]) -> Point | None:
    increase = _increase(points)
    seconds = (points[-1][0] - points[0][0]) / 1_000_000 if points else 0.0
    return None if increase is None or seconds <= 0 else (increase[0], increase[1] / seconds)


def _finite(points: Sequence[Point]) -> bool:
    return all(math.isfinite(value) for _, value in points)


_WITHIN: dict[Aggregate, Callable[[Sequence[Point]], Point]] = {
    Aggregate.MIN: _min,
    Aggregate.MAX: _max,
    Aggregate.AVG: _avg,
}
_OVER_TIME: dict[Aggregate, Callable[[Sequence[Point]], Point | None]] = {
    Aggregate.INCREASE: _increase,
    Aggregate.RATE: _rate,
}
