"""Whether an answer names something that went wrong: an entry of error level, or a series that left its usual range."""

import re
from collections.abc import Iterable

from groundtrace_adapters.models.rules.evidence import LogUnit, Row
from groundtrace_adapters.models.rules.findings import Judgement
from groundtrace_adapters.models.rules.standing_out import LOUD, departures
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import SEVERE, SYMPTOMS, kinds_of
from groundtrace_adapters.models.rules.templates import is_severe

_CALM = frozenset({"info", "debug", "trace", "notice"})
_WARNING = re.compile(r"^warn", re.IGNORECASE)
_LOOSE = re.compile(r"\b(?:wrong|brok(?:e|en)|why|problems?|faults?|faulty)\b", re.IGNORECASE)
_VAGUE = frozenset({"errors", "load"})


def names_trouble(subject: Subject, judgements: Iterable[Judgement], rows: Iterable[Row], /) -> bool:
    """Tell whether one carried statement rests on trouble."""
    carried = tuple(judgements)
    logs = [held.log for one in carried for held in one.logs if held.log is not None]
    in_time = subject.in_time if _LOOSE.search(subject.text) else subject.in_time_exactly
    if any(is_trouble(log, subject) and in_time(log.at) for log in logs):
        return True
    loud = {id(one.series) for one in departures(rows, subject) if one.size >= LOUD}
    series = [held.series for one in carried for held, _ in one.points if held.series is not None]
    return any(id(one) in loud for one in series) or any(_rises(one) for one in carried)


def is_trouble(log: LogUnit, subject: Subject, /) -> bool:
    """Tell whether an entry is an error, a warning, or a symptom of the asked kinds of trouble."""
    level = log.fields.get("level", "")
    if is_severe(log) or _WARNING.search(level):
        return True
    if level.casefold() in _CALM:
        return False
    kinds = subject.kinds - _VAGUE
    patterns = [SEVERE, *(symptom.pattern for symptom in SYMPTOMS if symptom.kind in kinds)]
    return any(re.search(pattern, log.text) for pattern in patterns)


def _rises(one: Judgement) -> bool:
    """Tell whether a statement tells of a counter of errors, from where to where it rose."""
    found = {at: dict(held.series.points)[at] for held, at in one.points if held.series is not None}
    told = {held.series.metric for held, _ in one.points if held.series is not None}
    if len(told) != 1 or len(found) < 2 or "errors" not in kinds_of(next(iter(told))) or "success" in str(told):
        return False
    return found[max(found)] > found[min(found)]
