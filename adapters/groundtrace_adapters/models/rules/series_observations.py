"""What the drafter says of series: what stands out in the asked stretch, beside what was usual before it."""

import statistics
from collections.abc import Iterable, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.evidence import Row
from groundtrace_adapters.models.rules.saying import clock, number, owner, series_name
from groundtrace_adapters.models.rules.standing_out import LOUD, Departure, departures
from groundtrace_adapters.models.rules.subject import Subject

TOLD = 4
"""The most series that are told."""

Told = tuple[datetime, str]
"""A statement with the moment it speaks of."""


def series_statements(rows: Iterable[Row], subject: Subject, /) -> tuple[tuple[Told, ...], tuple[Told, ...]]:
    """Return statements of series that stand out, and (for when nothing does) of the others; none is in both."""
    found = departures(rows, subject)
    loud = [one for one in found if one.size >= LOUD]
    quiet = [one for one in found if one.size < LOUD]
    return _told(_spread_over_things(loud, subject)), _told(_one_a_metric(quiet, subject))


def _told(found: Sequence[Departure]) -> tuple[Told, ...]:
    return tuple((one.point[0], _statement(one)) for one in found[:TOLD])


def _spread_over_things(found: Sequence[Departure], subject: Subject) -> Sequence[Departure]:
    """Without a named thing in the question, tell each thing once before any of them twice."""
    if subject.names:
        return found
    seen: set[str] = set()
    first: list[Departure] = []
    rest: list[Departure] = []
    for one in found:
        thing = owner(one.series.labels) or one.series.metric
        (rest if thing in seen else first).append(one)
        seen.add(thing)
    return [*first, *rest]


def _one_a_metric(found: Sequence[Departure], subject: Subject) -> Sequence[Departure]:
    """Of what does not stand out, one series a metric is enough; without a named or asked thing, none is."""
    if not (subject.names or subject.kinds):
        return ()
    return list({one.series.metric: one for one in reversed(found)}.values())[::-1]


def _statement(one: Departure) -> str:
    at, value = one.point
    name, cited = series_name(one.series), f"[{one.row.label}]"
    if one.counts_up:
        return _counted(one, name, cited)
    head = f"{name} was {number(value)} at {clock(at)}"
    if not one.before:
        return f"{head} {cited}."
    if not one.row.complete:
        earlier, before = one.before[-1]
        return f"{head}, {number(before)} at {clock(earlier)} {cited}."
    values = [value for _, value in one.before]
    usual = f"median {number(statistics.median(values))} and maximum {number(max(values))}"
    return f"{head} ({usual} between {clock(one.before[0][0])} and {clock(one.before[-1][0])}) {cited}."


def _counted(one: Departure, name: str, cited: str) -> str:
    points = [*one.before[-1:], *one.inside]
    (start, first), (end, last) = points[0], points[-1]
    if last > first:
        rose = f"rose from {number(first)} at {clock(start)} to {number(last)} at {clock(end)}"
        return f"{name} {rose} {cited}."
    return f"{name} was {number(last)} at {clock(end)} {cited}."
