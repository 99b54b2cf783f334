"""What the drafter says where a question has a shape: a total, an end, a value at a time, an extreme, a mean, the most.

What it says is what the verifier of such questions wants; where the rows do not hold it, nothing is said here.
"""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.asking import Shape, shapes_of, wanted_entries
from groundtrace_adapters.models.rules.concern import concerns, concerns_any
from groundtrace_adapters.models.rules.counts import has_error_level
from groundtrace_adapters.models.rules.evidence import LogUnit, Row, SeriesUnit
from groundtrace_adapters.models.rules.log_observations import entry_statement, log_statements, stretch
from groundtrace_adapters.models.rules.reach import Key, entries_of, key_of
from groundtrace_adapters.models.rules.saying import clock, number, owner, series_name, speaker
from groundtrace_adapters.models.rules.shape_of_series import LOWER, has_asked_label, meant_series, value_point
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.words import tokens

Told = tuple[datetime, str]
Found = Sequence[tuple[Row, SeriesUnit]]
TOLD = 9
"""The most statements of one shape."""


_INSTEAD_OF_VALUE = frozenset({Shape.MEAN, Shape.EXTREME, Shape.MOST, Shape.COUNT})


def shaped_statements(rows: Sequence[Row], subject: Subject, /) -> tuple[Told, ...]:
    """Return the statements that answer a question of its shape, none where it has none or nothing answers it."""
    shapes = shapes_of(subject)
    shapes -= {Shape.VALUE} if shapes & _INSTEAD_OF_VALUE else frozenset()
    found = [list(tell(rows, subject)) for shape, tell in _TELLERS.items() if shape in shapes]
    return tuple(dict.fromkeys(told for one in found for told in one[:TOLD]))


def _ends(choose: Callable[[Iterable[datetime]], datetime]) -> Callable[[Sequence[Row], Subject], Iterator[Told]]:
    def tell(rows: Sequence[Row], subject: Subject) -> Iterator[Told]:
        entries = entries_of(rows, subject, wanted_entries(subject)) or {}
        times = [log.at for log in entries.values() if log.at is not None]
        if times:
            end = choose(times)
            keys = {key for key, log in entries.items() if log.at == end}
            held = ((row, log) for row in rows for log in row.logs if key_of(log) in keys)
            yield from (entry_statement(row, log, end) for row, log in list(held)[:1])

    return tell


def _counts(rows: Sequence[Row], subject: Subject) -> Iterator[Told]:
    measured = list(_values(rows, subject)) if subject.kinds or subject.metrics else []
    if measured:
        yield from measured
        return
    wanted = wanted_entries(subject)
    entries = entries_of(rows, subject, wanted) or {}
    if wanted.severe and not wanted.roots and not wanted.identifiers:
        yield from _totals(rows, subject, entries)
    if entries:
        yield from log_statements(rows, subject, only=entries)


def _totals(rows: Sequence[Row], subject: Subject, entries: dict[Key, LogUnit]) -> Iterator[Told]:
    """Yield how many errors each asked thing logged, as far as one row holds them all."""
    for mention in subject.names or (None,):
        own = {key: log for key, log in entries.items() if mention is None or concerns(log, mention)}
        times = sorted(log.at for log in own.values() if log.at is not None)
        whole = [row for row in rows if row.complete and own.keys() <= {key_of(log) for log in row.logs}]
        if not times or not whole or not all(has_error_level(log) for log in own.values()):
            continue
        logs = list(own.values())
        who = speaker(logs[0]) if len({owner(log.fields) for log in logs}) == 1 else "The log holds"
        many = f"{len(logs)} errors" if len(logs) > 1 else "1 error"
        yield times[0], f"{who} {many} {stretch(times[0], times[-1])} [{whole[0].label}]."


def _values(rows: Sequence[Row], subject: Subject) -> Iterator[Told]:
    for row, series in _meant(rows, subject):
        point = value_point(series, subject)
        if point is not None and "total" not in series.metric:
            yield _at(row, series, point)


def _most(rows: Sequence[Row], subject: Subject) -> Iterator[Told]:
    compared = [(row, one) for row, one in _meant(rows, subject) if has_asked_label(one, subject)]
    points = [(row, one, point) for row, one in compared for point in [value_point(one, subject)] if point]
    if not points:
        yield from (told for told in _counts(rows, subject) if len(subject.names) > 1)
        return
    choose = min if LOWER & set(tokens(subject.text)) else max
    told = {one.metric for _, one, _ in points}
    for metric in sorted(told):
        row, series, point = choose((one for one in points if one[1].metric == metric), key=lambda one: one[2][1])
        yield _at(row, series, point)


def _extremes(rows: Sequence[Row], subject: Subject) -> Iterator[Told]:
    choose = min if LOWER & set(tokens(subject.text)) else max
    found: list[tuple[Row, SeriesUnit, tuple[datetime, float]]] = []
    for row, series in _meant(rows, subject):
        inside = [point for point in series.points if subject.asked and subject.in_time_exactly(point[0])]
        if inside:
            found.append((row, series, choose(inside, key=lambda point: point[1])))
    best = [choose(found, key=lambda one: one[2][1])] if found and not subject.names else found
    yield from (_at(row, series, point) for row, series, point in best)


def _means(rows: Sequence[Row], subject: Subject) -> Iterator[Told]:
    median = "median" in tokens(subject.text)
    word, compute = ("had the median", statistics.median) if median else ("averaged", statistics.fmean)
    for row, series in _meant(rows, subject):
        inside = [point for point in series.points if subject.asked and subject.in_time_exactly(point[0])]
        if len(inside) > 1:
            value = number(compute([value for _, value in inside]))
            ends = f"between {clock(inside[0][0])} and {clock(inside[-1][0])}"
            yield inside[0][0], f"{series_name(series, row.series)} {word} {value} {ends} [{row.label}]."


def _at(row: Row, series: SeriesUnit, point: tuple[datetime, float]) -> Told:
    name = series_name(series, row.series)
    return point[0], f"{name} was {number(point[1])} at {clock(point[0])} [{row.label}]."


def _meant(rows: Sequence[Row], subject: Subject) -> Found:
    meant = meant_series(subject, rows)
    held = ((row, one) for row in rows for one in row.series if one.metric in meant)
    return [(row, one) for row, one in held if concerns_any(one, subject.names)]


_TELLERS: dict[Shape, Callable[[Sequence[Row], Subject], Iterator[Told]]] = {
    Shape.MOST: _most,
    Shape.COUNT: _counts,
    Shape.FIRST: _ends(min),
    Shape.LAST: _ends(max),
    Shape.EXTREME: _extremes,
    Shape.MEAN: _means,
    Shape.VALUE: _values,
}
