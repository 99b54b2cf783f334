"""Why true statements do not answer a question of a certain shape: each shape with what its answer must state."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from groundtrace_adapters.models.rules.asking import (
    Shape,
    Wanted,
    asks_whether,
    is_open,
    shapes_of,
    uncounted,
    wanted_entries,
)
from groundtrace_adapters.models.rules.claims import Claims
from groundtrace_adapters.models.rules.concern import concerns
from groundtrace_adapters.models.rules.evidence import LogUnit, Row
from groundtrace_adapters.models.rules.findings import Judgement
from groundtrace_adapters.models.rules.reach import Key, entries_of, key_of
from groundtrace_adapters.models.rules.readings import DIRECTIONS, count_noun
from groundtrace_adapters.models.rules.shape_of_series import (
    compares_series,
    gives_extreme,
    gives_mean,
    gives_value,
    is_measured,
    meant_series,
)
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import SYMPTOMS, name_words
from groundtrace_adapters.models.rules.trouble import names_trouble
from groundtrace_adapters.models.rules.words import tokens

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The carried statements of an answer, each with its claims, beside all usable rows."""

    subject: Subject
    wanted: Wanted
    rows: tuple[Row, ...]
    statements: tuple[tuple[Judgement, Claims], ...]


def shape_faults(
    subject: Subject, carried: Iterable[tuple[Judgement, Claims]], rows: Iterable[Row], /
) -> tuple[str, ...]:
    """Return why the carried statements do not have the shape that the question asks for; none if they have."""
    told = Told(
        subject=subject,
        wanted=wanted_entries(subject),
        rows=tuple(row for row in rows if row.usable),
        statements=tuple(carried),
    )
    shapes = shapes_of(subject)
    found = [check(told) for shape, check in _CHECKS.items() if shape in shapes]
    return tuple(dict.fromkeys(fault for fault in found if fault))


def _count(told: Told) -> str:
    if is_measured(told.subject, _judgements(told), told.rows):
        return ""
    other = uncounted(told.subject)
    wanted, fault = _entries(told)
    if fault or other:
        return fault or f"entries were counted, not {other}"
    counted = [_keys(one) for one, claims in told.statements if any(count_noun(n, claims) for n in claims.numbers)]
    inside = [keys for keys in counted if keys <= set(wanted)]
    if not inside:
        return "the answer states no count of what was asked"
    return "" if frozenset().union(*inside) == set(wanted) else "the answer does not count every entry that was asked"


def _first(told: Told) -> str:
    return _end(told, min, "first")


def _last(told: Told) -> str:
    return _end(told, max, "last")


def _end(told: Told, choose: Callable[[Iterable[datetime]], datetime], word: str) -> str:
    wanted, fault = _entries(told)
    if fault:
        return fault
    if told.subject.names and asks_whether(told.subject):
        return f"that something was the {word} of all is not shown by the entries of what is named"
    end = choose(log.at for log in wanted.values() if log.at)
    if _wider(told) and choose([end, *_wider(told)]) != end:
        return f"other entries of that trouble lie beyond the {word} one of those words"
    keys = {key for key, log in wanted.items() if log.at == end}
    if any(_states(claims, end) and keys & _keys(one) for one, claims in told.statements):
        return ""
    return f"the answer does not state the {word} of the entries that were asked"


def _wider(told: Told) -> list[datetime]:
    """Return the times of severe entries of the asked kinds of trouble, where the question speaks of failing."""
    if not (told.wanted.severe and told.wanted.roots):
        return []
    wider = Wanted(roots=frozenset(), identifiers=(), severe=True)
    found = entries_of(told.rows, told.subject, wider) or {}
    patterns = [symptom for symptom in SYMPTOMS if symptom.kind in told.subject.kinds and symptom.kind != "errors"]
    return [log.at for log in found.values() if log.at and any(re.search(one.pattern, log.text) for one in patterns)]


def _states(claims: Claims, moment: datetime) -> bool:
    return any(stamp.covers(moment) and stamp.precision <= _MINUTE for stamp in claims.stamps)


def _most(told: Told) -> str:
    if compares_series(told.subject, _judgements(told)):
        return ""
    if len(told.subject.names) < 2 or _entries(told)[1]:
        return "the answer does not compare all that was asked"
    wanted = _entries(told)[0]
    counted = [_keys(one) for one, claims in told.statements if any(count_noun(n, claims) for n in claims.numbers)]
    for mention in told.subject.names:
        own = {key for key, log in wanted.items() if concerns(log, mention)}
        inside = [keys for keys in counted if keys <= own]
        if not own or frozenset().union(*inside) != own:
            return f"the answer does not count every such entry of {mention.text}"
    return ""


def _extreme(told: Told) -> str:
    good = gives_extreme(told.subject, told.statements)
    return "" if good else "the answer does not state the extreme of the asked series over the asked time"


def _mean(told: Told) -> str:
    good = gives_mean(told.subject, told.statements)
    return "" if good else "the answer states no average over the asked time"


def _whole(told: Told) -> str:
    del told
    return "that something was all, the only one, the next one or none is never shown by what was found"


def _state(told: Told) -> str:
    del told
    return "that something is over or well again is never shown by what was found"


def _trouble(told: Told) -> str:
    good = names_trouble(told.subject, _judgements(told), told.rows)
    return "" if good else "the answer names no error"


def _logs(told: Told) -> str:
    quoted = (held.log for one, _ in told.statements for held in one.logs)
    good = any(log is not None and told.subject.in_time_exactly(log.at) for log in quoted)
    return "" if good else "the answer quotes no log entry of the asked time"


def _value(told: Told) -> str:
    if Shape.TROUBLE in shapes_of(told.subject) or not meant_series(told.subject, told.rows):
        return ""
    return "" if gives_value(told.subject, _judgements(told), told.rows) else "the answer states no value at that time"


def _trend(told: Told) -> str:
    said = any(set(DIRECTIONS) & set(claims.words) for _, claims in told.statements)
    return "" if said else "the answer states no change"


def _rate(told: Told) -> str:
    series = [held.series for one, _ in told.statements for held, _ in one.points if held.series is not None]
    logs = [held.log for one, _ in told.statements for held in one.logs if held.log is not None]
    good = any(one.aggregate == "rate" or "rate" in name_words(one.metric) for one in series)
    return "" if good or any("rate" in tokens(log.text) for log in logs) else "the answer states no rate"


_CHECKS: dict[Shape, Callable[[Told], str]] = {
    Shape.COUNT: _count,
    Shape.FIRST: _first,
    Shape.LAST: _last,
    Shape.EXTREME: _extreme,
    Shape.MOST: _most,
    Shape.MEAN: _mean,
    Shape.WHOLE: _whole,
    Shape.STATE: _state,
    Shape.TROUBLE: _trouble,
    Shape.LOGS: _logs,
    Shape.VALUE: _value,
    Shape.RATE: _rate,
    Shape.TREND: _trend,
}


def _entries(told: Told) -> tuple[dict[Key, LogUnit], str]:
    """Return the entries that were asked, or why they cannot be told."""
    if not told.wanted:
        return {}, "the question names nothing that could be counted or put in order"
    if any(is_open(one) for one in told.subject.asked):
        return {}, "the asked time is open at one end, and was not searched to its end"
    found = entries_of(told.rows, told.subject, told.wanted)
    if found is None:
        return {}, "no shown search is sure to hold every such entry of the asked time"
    return (found, "") if found else ({}, "no shown entry is one of those that were asked")


def _keys(one: Judgement) -> frozenset[Key]:
    return frozenset(key_of(held.log) for held in one.logs if held.log is not None)


def _judgements(told: Told) -> Sequence[Judgement]:
    return [one for one, _ in told.statements]
