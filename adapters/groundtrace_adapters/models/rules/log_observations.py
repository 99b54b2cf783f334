"""What the drafter says of log entries: each form once, by whom, how often (if that can be told), from when to when."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.concern import concerns_any
from groundtrace_adapters.models.rules.counts import OURS
from groundtrace_adapters.models.rules.evidence import LogUnit, Row
from groundtrace_adapters.models.rules.saying import clock, owner, quoted, speaker
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import SYMPTOMS
from groundtrace_adapters.models.rules.templates import fragment_of, is_severe

TOLD = 5
"""The most forms that are told."""

_SHORTEST = 8
_Group = tuple[Row, str, list[LogUnit]]


def log_statements(rows: Iterable[Row], subject: Subject, /) -> tuple[tuple[datetime, str], ...]:
    """Return statements of entries in the asked stretch: severe ones first, then the more frequent."""
    groups = _groups(rows, subject)
    told: dict[tuple[str, str], tuple[datetime, str]] = {}
    for row, fragment, logs in sorted(groups, key=lambda group: _rank(group, subject)):
        told.setdefault((owner(logs[0].fields), fragment), _statement(row, fragment, logs))
    return tuple(told.values())[:TOLD]


def _groups(rows: Iterable[Row], subject: Subject) -> list[_Group]:
    found: dict[tuple[str, str, str], _Group] = {}
    for row in rows:
        for log in row.logs:
            if not _is_asked(log, subject):
                continue
            fragment = fragment_of(log.text)
            if len(re.sub(r"\W", "", fragment)) >= _SHORTEST:
                found.setdefault((row.label, owner(log.fields), fragment), (row, fragment, []))[2].append(log)
    return list(found.values())


def _is_asked(log: LogUnit, subject: Subject) -> bool:
    return log.at is not None and subject.in_time(log.at) and concerns_any(log, subject.names)


def _rank(group: _Group, subject: Subject) -> tuple[bool, bool, int, str, str]:
    row, fragment, logs = group
    asked = any(re.search(one.pattern, logs[0].text) for one in SYMPTOMS if one.kind in subject.kinds)
    return (not asked, not is_severe(logs[0]), -len(logs), row.label, fragment)


def _statement(row: Row, fragment: str, logs: Sequence[LogUnit]) -> tuple[datetime, str]:
    times = sorted(log.at for log in logs if log.at is not None)
    first, last = times[0], times[-1]
    head = f"{speaker(logs[0])} logged {quoted(fragment)}"
    if len(logs) > 1 and _can_be_counted(row, fragment, logs):
        return first, f"{head} {len(logs)} times between {clock(first)} and {clock(last)} [{row.label}]."
    return first, f"{head} at {clock(first)} [{row.label}]."


def _can_be_counted(row: Row, fragment: str, logs: Sequence[LogUnit]) -> bool:
    """Tell whether the row must hold every entry with this fragment, and the fragment stands in no other entry."""
    if not row.complete:
        return False
    thing = owner(logs[0].fields)
    alike = [one for one in row.logs if fragment in " ".join(one.text.split()) and owner(one.fields) == thing]
    span = (min(log.at for log in logs if log.at), max(log.at for log in logs if log.at))
    if len([one for one in alike if one.at is not None and span[0] <= one.at <= span[1]]) != len(logs):
        return False
    pattern = row.params.get("pattern")
    if not pattern:
        return True
    return pattern in OURS and re.search(str(pattern), fragment) is not None
