"""From tracks and a query to an answer: what is selected, what it becomes step by step, what had to be left out.

Pure, and the same for every source that holds its series as tracks.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby
from operator import itemgetter

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import Aggregate, MetricAnswer, MetricQuery, Series, SourceError
from groundtrace_adapters.sources.metric_files.aggregates import Point, aggregated
from groundtrace_adapters.sources.metric_files.selector import SeriesTest, compile_selector, parse_selector
from groundtrace_adapters.sources.metric_files.track import Track
from groundtrace_adapters.sources.timestamps import epoch_micros, from_micros

MOST_STEPS = 11_000
_NEEDS_TWO = (Aggregate.RATE, Aggregate.INCREASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricBounds:
    """The most that one answer holds, and the seconds after which no further file is read for it."""

    series: int = 500
    points: int = 20_000
    seconds: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A query that can be answered: a test for series, and its window and step in microseconds."""

    selects: SeriesTest
    start: int | None
    end: int | None
    step: int | None
    aggregate: Aggregate


def plan_of(query: MetricQuery, /) -> Result[Plan, SourceError]:
    """Return a query made ready, or an error that says how to mend it."""
    for name, moment in (("start", query.start), ("end", query.end)):
        if moment is not None and moment.utcoffset() is None:
            return result.Failure(_refusal(f"{name} has no zone; give one, such as Z or +01:00"))
    if query.start is not None and query.end is not None and query.end < query.start:
        return result.Failure(_refusal("end is before start; a window holds start <= time <= end"))
    step = query.step_seconds
    if step is not None and not 0.001 <= step < math.inf:
        return result.Failure(_refusal("the step is out of range; give seconds, at least 0.001"))
    return (
        parse_selector(query.selector)
        .bind(compile_selector)
        .map(
            lambda selects: Plan(
                selects=selects,
                start=None if query.start is None else epoch_micros(query.start),
                end=None if query.end is None else epoch_micros(query.end),
                step=None if step is None else round(step * 1_000_000),
                aggregate=query.aggregate,
            )
        )
    )


def answer_to(
    plan: Plan, tracks: Iterable[Track], /, *, bounds: MetricBounds, unseen: Sequence[str] = ()
) -> Result[MetricAnswer, SourceError]:
    """Return the selected series aggregated; too many steps are an error, what bounds cut is told as unseen."""
    chosen = sorted(_chosen(plan, tracks), key=lambda one: (one[0].name, sorted(one[0].labels.items())))
    times = [time for _, points in chosen for time in (points[0][0], points[-1][0])]
    if not times:
        return result.Success(MetricAnswer(series=(), scanned_points=0, unseen=tuple(unseen)))
    start = min(times) if plan.start is None else plan.start
    end = max(times) if plan.end is None else plan.end
    if plan.step is not None and (end - start) / plan.step > MOST_STEPS:
        return result.Failure(
            _refusal(f"the window holds more than {MOST_STEPS:,} steps; give a longer step or a shorter window")
        )
    series: list[Series] = []
    held = single = 0
    for track, points in chosen:
        found = list(aggregated(points, plan.aggregate, start=start, step=plan.step))
        single += not found
        if len(series) >= bounds.series or held + len(found) > bounds.points:
            break
        held += len(found)
        if found:
            series.append(_series(track, found))
    told = [*unseen, *_cut(len(series) + single, len(chosen), bounds)]
    if single and plan.aggregate in _NEEDS_TWO:
        told.append(
            f"{single:,} series have fewer than two points in the window: no {plan.aggregate.value} can be told"
        )
    scanned = sum(len(points) for _, points in chosen)
    return result.Success(MetricAnswer(series=tuple(series), scanned_points=scanned, unseen=tuple(told)))


def _chosen(plan: Plan, tracks: Iterable[Track]) -> Iterator[tuple[Track, Sequence[Point]]]:
    """Yield the selected series with their points in the window; a series in several files is one series."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], list[Track]] = {}
    for track in tracks:
        if plan.selects(track.name, track.labels):
            found.setdefault((track.name, tuple(sorted(track.labels.items()))), []).append(track)
    for parts in found.values():
        windows = [part.within(plan.start, plan.end) for part in parts]
        points = list(windows[0]) if len(windows) == 1 else _merged(windows)
        if points:
            yield parts[0], points


def _merged(windows: Sequence[Iterator[Point]]) -> list[Point]:
    """Join points of several files in time; of several at one time the first file's is kept."""
    return [next(group) for _, group in groupby(merge(*windows, key=itemgetter(0)), key=itemgetter(0))]


def _series(track: Track, points: Iterable[Point]) -> Series:
    moments = tuple((from_micros(time), value) for time, value in points)
    return Series(name=track.name, labels=dict(track.labels), points=moments, unit=track.unit)


def _cut(shown: int, chosen: int, bounds: MetricBounds) -> tuple[str, ...]:
    if shown >= chosen:
        return ()
    limit = f"{bounds.series:,} series and {bounds.points:,} points"
    return (f"only the first {shown:,} of {chosen:,} series are shown: an answer holds at most {limit}; narrow it",)


def _refusal(words: str) -> SourceError:
    return SourceError(kind=FailureKind.ERROR, message=words)
