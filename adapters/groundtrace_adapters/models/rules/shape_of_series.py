"""What a question that asks for a measured value wants of its answer: the meant metric, at the time, or over it."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from groundtrace_adapters.models.rules.asking import is_minute, is_open
from groundtrace_adapters.models.rules.claims import Claims
from groundtrace_adapters.models.rules.concern import concerns_any
from groundtrace_adapters.models.rules.evidence import Row, SeriesUnit
from groundtrace_adapters.models.rules.findings import Held, Judgement
from groundtrace_adapters.models.rules.reach import covers
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import name_words
from groundtrace_adapters.models.rules.words import singular, stem, tokens
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS

_PLAIN = frozenset(
    stem(word)
    for word in """pg stat activity app application node container pod process total count num number of in use used
    usage rate current active percent pct ratio bytes byte seconds second ms milliseconds http mb mi gi
    gb avg""".split()
)
_MEANS = (frozenset("average averaged avg mean".split()), frozenset({"median"}))
_EXTREMES = {
    "min": frozenset("min minimum lowest smallest".split()),
    "max": frozenset("max maximum peak peaked highest largest biggest greatest worst".split()),
}
LOWER = frozenset("fewer fewest less least min minimum lowest smallest".split())
"""Words that ask for the smallest."""

_WHICH = re.compile(r"\bwhich\s+(\w+)", re.IGNORECASE)
_MINUTE = timedelta(minutes=1)


def meant_series(subject: Subject, rows: Iterable[Row], /) -> frozenset[str]:
    """Return the metrics that a question means, of those shown: written out, or all telling words said, or some."""
    metrics = {series.metric for row in rows for series in row.series if concerns_any(series, subject.names)}
    written = frozenset(metric for metric in metrics if metric.casefold() in subject.metrics)
    whole = frozenset(metric for metric in metrics if _is_said(metric, subject))
    asked = subject.asked_words()
    return written or whole or frozenset(one for one in metrics if asked & {stem(w) for w in name_words(one)})


def value_point(series: SeriesUnit, subject: Subject, /) -> tuple[datetime, float] | None:
    """Return the point at the one asked time: the first of its minute, or the last of the minute up to its second."""
    asked = subject.asked[0] if len(subject.asked) == 1 else None
    if asked is None or asked.span is None or not is_minute(asked):
        return None
    stamp = asked.span.first
    if stamp.precision >= _MINUTE:
        return next((point for point in series.points if stamp.covers(point[0])), None)
    found = [(at, value) for at, value in series.points if _is_just_before(at, subject)]
    return found[-1] if found else None


def has_asked_label(series: SeriesUnit, subject: Subject, /) -> bool:
    """Tell whether a series is one of the things that are compared: `which app` means series with that label."""
    found = _WHICH.search(subject.text)
    word = singular(found[1].lower()) if found else ""
    return word not in ENTITY_FIELDS or word in series.labels


def gives_value(subject: Subject, judgements: Iterable[Judgement], rows: Iterable[Row], /) -> bool:
    """Tell whether a statement states a value of a meant metric at the asked time (any time, where none is asked)."""
    meant = meant_series(subject, rows)
    return any(_is_at(held.series, at, subject) for held, at in _points(judgements, meant) if held.series)


def is_measured(subject: Subject, judgements: Iterable[Judgement], rows: Iterable[Row], /) -> bool:
    """Tell whether a number that is asked for was measured: a gauge at the one asked time, or a counter over it all."""
    meant = frozenset(
        one for one in meant_series(subject, rows) if one.casefold() in subject.metrics or _is_said(one, subject)
    )
    for one in judgements:
        points = [(held, at) for held, at in _points([one], meant) if held.series is not None]
        single = [(held, at) for held, at in points if subject.names or _is_only(held)]
        if any(_is_gauge_at(held.series, at, subject) for held, at in single if held.series):
            return True
        if any(_is_counter(held) and _spans({at for _, at in points}, held, subject) for held, _ in points):
            return True
    return False


def compares_series(subject: Subject, judgements: Iterable[Judgement], /) -> bool:
    """Tell whether a statement's value is the greatest (or least) of all series of a meant metric at the asked time."""
    for held, at in [point for one in judgements for point in one.points]:
        series = held.series
        if series is None or not _is_said(series.metric, subject) or not _is_gauge_at(series, at, subject):
            continue
        if not has_asked_label(series, subject):
            continue
        others = [one for one in held.row.series if one.metric == series.metric and one is not series]
        rivals = [point[1] for one in others for point in [value_point(one, subject)] if point is not None]
        own = dict(series.points)[at]
        low = bool(LOWER & set(tokens(subject.text)))
        beaten = all(own < value if low else own > value for value in rivals)
        if held.row.complete and _is_unfiltered(held.row) and rivals and len(rivals) == len(others) and beaten:
            return True
    return False


def gives_extreme(subject: Subject, statements: Iterable[tuple[Judgement, Claims]], /) -> bool:
    """Tell whether a statement states the greatest (or least) point of a meant metric in the whole asked time."""
    for one, _ in statements:
        for held, at in one.points:
            series = held.series
            if series is None or not _is_whole(held, subject) or not _is_meant(series, subject):
                continue
            alike = [other for other in held.row.series if other.metric == series.metric]
            pool = [series] if subject.names else alike
            values = [value for other in pool for moment, value in other.points if subject.in_time_exactly(moment)]
            low = bool(_EXTREMES["min"] & set(tokens(subject.text)))
            if values and dict(series.points)[at] == (min(values) if low else max(values)):
                return True
    return False


def gives_mean(subject: Subject, statements: Iterable[tuple[Judgement, Claims]], /) -> bool:
    """Tell whether the mean of a meant metric over the asked time is stated: of each series, if no thing is named."""
    said = set(tokens(subject.text))
    told: set[int] = set()
    alike: set[int] = set()
    for one, claims in statements:
        if not any(words & said and words & set(claims.words) for words in _MEANS):
            continue
        for held, _ in one.points:
            series = held.series
            if series is None or not _is_whole(held, subject) or not _is_meant(series, subject):
                continue
            inside = {at for at, _ in series.points if subject.in_time_exactly(at)}
            if inside and inside == {at for other, at in one.points if other.series is series}:
                told.add(id(series))
                alike |= {id(other) for other in held.row.series if other.metric == series.metric}
    return bool(told) and (bool(subject.names) or alike <= told)


def _points(judgements: Iterable[Judgement], meant: frozenset[str]) -> Sequence[tuple[Held, datetime]]:
    found = [point for one in judgements for point in one.points]
    return [(held, at) for held, at in found if held.series is not None and held.series.metric in meant]


def _is_meant(series: SeriesUnit, subject: Subject) -> bool:
    return series.metric.casefold() in subject.metrics or _is_said(series.metric, subject)


def _is_said(metric: str, subject: Subject) -> bool:
    """Tell whether a question says every telling word of a metric's name: `max_connections` is not `connections`."""
    telling = {stem(word) for word in name_words(metric)} - _PLAIN
    return bool(telling) and telling <= {stem(word) for word in tokens(subject.text)}


def _is_at(series: SeriesUnit, at: datetime, subject: Subject) -> bool:
    if not subject.asked or not all(is_minute(one) for one in subject.asked):
        return subject.in_time(at)
    asked = subject.asked[0].span
    if len(subject.asked) == 1 and asked is not None and asked.first.precision >= _MINUTE:
        return asked.first.covers(at)
    point = value_point(series, subject)
    return point is not None and point[0] == at


def _is_gauge_at(series: SeriesUnit, at: datetime, subject: Subject) -> bool:
    single = len(subject.asked) == 1 and is_minute(subject.asked[0])
    return single and "total" not in name_words(series.metric) and _is_at(series, at, subject)


def _is_only(held: Held) -> bool:
    """Tell whether no other series of the metric stands in the row: else a number of one is no number of all."""
    return held.series is not None and sum(one.metric == held.series.metric for one in held.row.series) == 1


def _is_counter(held: Held) -> bool:
    return held.series is not None and "total" in name_words(held.series.metric)


def _spans(moments: set[datetime], held: Held, subject: Subject) -> bool:
    """Tell whether stated points of a counter enclose the asked time, so that its rise is known; not much more."""
    if len(moments) < 2 or held.series is None or len(subject.asked) != 1 or is_open(subject.asked[0]):
        return False
    inside = [at for at, _ in held.series.points if subject.in_time_exactly(at)]
    step = _MINUTE + timedelta(seconds=10)
    return bool(inside) and abs(min(moments) - inside[0]) <= step and abs(max(moments) - inside[-1]) <= step


def _is_whole(held: Held, subject: Subject) -> bool:
    row, series = held.row, held.series
    if series is None or not row.complete or not series.is_dense(row.params) or not concerns_any(series, subject.names):
        return False
    return bool(subject.asked) and not any(is_open(one) for one in subject.asked) and covers(row, subject)


def _is_unfiltered(row: Row) -> bool:
    selector = str(row.params.get("selector", ""))
    return "," not in selector.replace("|", "") and ("__name__" in selector or "{" not in selector)


def _is_just_before(at: datetime, subject: Subject) -> bool:
    span = subject.asked[0].span
    if span is None:
        return False
    asked = span.first
    second = timedelta(seconds=asked.clock.seconds % 60)
    return any(
        asked.on(day).start - second <= at < asked.on(day).end
        for day in (at.date(), at.date() - timedelta(days=1), at.date() + timedelta(days=1))
    )
