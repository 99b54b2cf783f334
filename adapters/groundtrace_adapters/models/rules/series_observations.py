"""What the drafter says of series: what stands out in the asked stretch, beside what was usual before it."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.evidence import Row
from groundtrace_adapters.models.rules.saying import clock, number, owner, series_name
from groundtrace_adapters.models.rules.standing_out import LOUD, Departure, departures
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import VITAL, kinds_of, name_words
from groundtrace_adapters.models.rules.words import stem

TOLD = 5
"""The most series that are told."""

ASKED = 3
"""The most of them that are told for being asked for, whatever they show."""

Told = tuple[datetime, str]
"""A statement with the moment it speaks of."""


def series_statements(rows: Iterable[Row], subject: Subject, /) -> tuple[tuple[Told, ...], tuple[Told, ...]]:
    """Return statements of series that stand out or are asked for, and (for when none is) of the others."""
    found = departures(rows, subject)
    asked = [one for one in found if _is_asked(one, subject)]
    loud = [one for one in found if one.size >= LOUD and one not in asked]
    quiet = [one for one in found if one.size < LOUD and one not in asked]
    shown = [*_few_a_metric(asked, most=2)[:ASKED], *_few_a_metric(_spread_over_things(loud, subject), most=2)]
    calm = sorted(_few_a_metric(quiet, most=1), key=_vital) if subject.names or subject.kinds else []
    return _told(shown), _told(calm)


def _vital(one: Departure) -> tuple[bool, int, bool]:
    """Rank series that do not stand out: those that move, by kind of trouble, a thing's own before its node's."""
    kinds = kinds_of(one.series.metric)
    place = next((place for place, kind in enumerate(VITAL) if kind in kinds), len(VITAL))
    return (not any(value for _, value in one.series.points), place, "node" in name_words(one.series.metric))


def _told(found: Sequence[Departure]) -> tuple[Told, ...]:
    return tuple((one.point[0], _statement(one)) for one in found[:TOLD])


def _is_asked(one: Departure, subject: Subject) -> bool:
    """Tell whether the question writes the metric out, or says a word of its name that tells it from other metrics."""
    if one.series.metric.casefold() in subject.metrics:
        return True
    return bool(subject.asked_words() & {stem(word) for word in name_words(one.series.metric)})


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


def _few_a_metric(found: Sequence[Departure], *, most: int) -> list[Departure]:
    """Return the first few of each metric: more of the same would push out the others."""
    count: Counter[str] = Counter()
    kept: list[Departure] = []
    for one in found:
        count[one.series.metric] += 1
        if count[one.series.metric] <= most:
            kept.append(one)
    return kept


def _statement(one: Departure) -> str:
    at, value = one.point
    name, cited = series_name(one.series, one.row.series), f"[{one.row.label}]"
    if one.counts_up:
        return _counted(one, name, cited)
    head = f"{name} was {number(value)} at {clock(at)}"
    if not one.before:
        return f"{head} {cited}."
    if not one.row.complete or not one.series.is_dense(one.row.params):
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
