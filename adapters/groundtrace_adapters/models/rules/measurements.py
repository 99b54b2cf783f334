"""Numbers of a statement against cited series: a value at a time, an extreme over a span, a bound, a change."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.amounts import equals, unit_fits
from groundtrace_adapters.models.rules.case import Case, is_searched
from groundtrace_adapters.models.rules.claims import Number, SeriesMention
from groundtrace_adapters.models.rules.evidence import SeriesUnit
from groundtrace_adapters.models.rules.findings import Finding, Held, Standing, contradicted, unsupported
from groundtrace_adapters.models.rules.moments import Stamp
from groundtrace_adapters.models.rules.readings import (
    AGGREGATES,
    BOUNDS,
    aggregate_word,
    bound_word,
    is_change,
    span_of,
    stamp_of,
)
from groundtrace_adapters.models.rules.symptoms import name_words
from groundtrace_adapters.models.rules.words import singular
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS

_FILLERS = frozenset(
    "total seconds second bytes byte count sum rate ratio percent current pg stat num number of in avg max min".split()
)
STEPPED = {
    "avg": "avg average averaged mean",
    "rate": "rate per second",
    "increase": "increase increased grew rose",
}
"""How each aggregate is called whose values are no stored points."""

_EXTREMES = {"max": max, "min": min}
Points = Sequence[tuple[datetime, float]]


def matching_series(mention: SeriesMention, series: Iterable[Held], /) -> tuple[Held, ...]:
    """Return the series that a mention means: the same name, and every label that it writes."""
    return tuple(held for held in series if held.series is not None and _is_meant(held.series, mention))


def implied_series(case: Case, /) -> tuple[Held, ...]:
    """Return the series whose name's words the statement uses without writing the name: the best fit, or several."""
    said = {singular(word) for word in case.claims.words}
    scored = [(_fit(held.series, said), held) for held in case.series if held.series is not None]
    best = max((score for score, _ in scored), default=0)
    return tuple(held for score, held in scored if best and score == best)


def check_value(number: Number, candidates: Sequence[Held], case: Case, /) -> Finding:
    """Return how a number stands against the series that the statement means; more than one series settles nothing."""
    fitting = [held for held in candidates if held.series is not None and unit_fits(number, held.series)]
    if not fitting:
        return unsupported(f"no cited series is measured in the unit of {number.text}")
    if len(fitting) > 1:
        return unsupported(f"several cited series could be meant by {number.text}")
    if is_change(number, case.claims):
        return unsupported(f"{number.text} is said to be a change, which is not computed")
    held = fitting[0]
    unsaid = _unsaid(held, case)
    if unsaid:
        return unsupported(unsaid)
    word = aggregate_word(number, case.claims)
    return _check_aggregate(number, word, held, case) if word else _check_point(number, held, case)


def _check_aggregate(number: Number, word: str, held: Held, case: Case) -> Finding:
    span = span_of(number, case.claims)
    points = [point for point in _points(held) if span is None or span.covers(point[0])]
    if not points:
        return unsupported(f"no cited point lies in the stretch of {word} {number.text}")
    if not held.row.complete or not _shows(held, word) or not is_searched(held.row, case):
        return unsupported(f"{word} {number.text} needs complete evidence")
    value = AGGREGATES[word]([value for _, value in points])
    moments = tuple((held, at) for at, _ in points)
    if equals(number, value) or _passes(number, value, case):
        return Finding(standing=Standing.SUPPORTED, points=moments, words=frozenset({word}))
    return contradicted(
        f"the {word} of the cited points is {value:g}, not {number.text}", points=moments, words=frozenset({word})
    )


def _shows(held: Held, word: str) -> bool:
    """Tell whether a series shows an extreme or a mean: its points are all there are, or each is one of that kind."""
    if held.series is None:
        return False
    return held.series.is_dense(held.row.params) or AGGREGATES[word] is _EXTREMES.get(held.series.aggregate)


def _unsaid(held: Held, case: Case) -> str:
    """Return what a statement leaves out that would make its number another's: whose series, or that it is a rate."""
    series = held.series
    if series is None:
        return ""
    stepped = STEPPED.get(series.aggregate)
    if stepped and not set(stepped.split()) & set(case.claims.words):
        return f"it does not say that the number is the {series.aggregate} of a step"
    owners = {value for label, value in series.labels.items() if label in ENTITY_FIELDS and _tells(label, value, held)}
    written = {value for mention in case.claims.series for _, value in mention.labels}
    named = bool(case.claims.names or case.subject.names)
    return "it does not say whose number it is" if owners and not (owners & written) and not named else ""


def _tells(label: str, value: str, held: Held) -> bool:
    """Tell whether a label's value tells a series from others: beside it in the row, or left out by the selector."""
    alike = [one for one in held.row.series if held.series is not None and one.metric == held.series.metric]
    return value in str(held.row.params.get("selector", "")) or any(one.labels.get(label) != value for one in alike)


def _check_point(number: Number, held: Held, case: Case) -> Finding:
    stamp = stamp_of(number, case.stamps, case.claims)
    points = _points_at(stamp, held, case)
    if not points:
        return unsupported(f"no cited point of that series lies at the time of {number.text}")
    if bound_word(number, case.claims):
        if all(_passes(number, value, case) for _, value in points) and (stamp is not None or held.row.complete):
            return Finding(standing=Standing.SUPPORTED, points=tuple((held, at) for at, _ in points), words=frozenset())
        return unsupported(f"the cited points do not all lie within {number.text}")
    equal = tuple((held, at) for at, value in points if equals(number, value))
    if equal:
        return Finding(standing=Standing.SUPPORTED, points=equal)
    if stamp is None:
        return unsupported(f"{number.text} is no value of the cited series")
    if held.row.complete or stamp.precision.total_seconds() <= 1:
        denied = tuple((held, at) for at, _ in points)
        return contradicted(f"the cited value at that time is {points[0][1]:g}, not {number.text}", points=denied)
    return unsupported(f"{number.text} is no cited value of that minute")


def _points_at(stamp: Stamp | None, held: Held, case: Case) -> Points:
    if stamp is not None:
        return [point for point in _points(held) if stamp.covers(point[0])]
    return [point for point in _points(held) if case.in_time(point[0])]


def _passes(number: Number, value: float, case: Case) -> bool:
    word = bound_word(number, case.claims)
    return word is not None and BOUNDS[word](value, number.value)


def _points(held: Held) -> Points:
    return () if held.series is None else held.series.points


def _is_meant(series: SeriesUnit, mention: SeriesMention) -> bool:
    if mention.metric and mention.metric.casefold() != series.metric.casefold():
        return False
    return all(series.labels.get(label) == value for label, value in mention.labels)


def _fit(series: SeriesUnit, said: set[str]) -> int:
    """Count the words of a series that are said; without one of its own name, none count."""
    named = ({singular(word) for word in name_words(series.metric)} - _FILLERS) & said
    labels = {singular(word) for value in series.labels.values() for word in name_words(value)} & said
    return len(named | labels) if named else 0
