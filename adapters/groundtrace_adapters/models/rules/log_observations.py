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
from groundtrace_adapters.models.rules.templates import fragment_of, is_severe, sentence_of, tells
from groundtrace_adapters.models.rules.words import stem, tokens

TOLD = 5
"""The most forms that are told."""

_SHORTEST = 8
_SPECIFIC = 3
"""With so many words of the question an entry is likely its answer, and is quoted with its numbers."""
_Group = tuple[Row, str, list[LogUnit]]


def log_statements(rows: Iterable[Row], subject: Subject, /) -> tuple[tuple[datetime, str], ...]:
    """Return statements of entries in the asked stretch: severe ones first, then the more frequent."""
    told: dict[tuple[str, str], tuple[datetime, str]] = {}
    for row, fragment, logs in sorted(_groups(rows, subject), key=lambda group: _rank(group, subject)):
        thing = owner(logs[0].fields)
        if not any(thing == other and (fragment in said or said in fragment) for other, said in told):
            told[thing, fragment] = _statement(row, fragment, logs, subject)
    return tuple(told.values())[:TOLD]


def _groups(rows: Iterable[Row], subject: Subject) -> list[_Group]:
    found: dict[tuple[str, str, str], _Group] = {}
    for row in rows:
        for log in row.logs:
            if not _is_asked(log, subject):
                continue
            fragment = fragment_of(log.text)
            if _is_long(fragment) or _is_long(sentence_of(log.text)):
                found.setdefault((row.label, owner(log.fields), fragment), (row, fragment, []))[2].append(log)
    return list(found.values())


def _is_long(text: str) -> bool:
    return len(re.sub(r"\W", "", text)) >= _SHORTEST


def _is_asked(log: LogUnit, subject: Subject) -> bool:
    return log.at is not None and subject.in_time(log.at) and concerns_any(log, subject.names)


def _rank(group: _Group, subject: Subject) -> tuple[int, bool, bool, int, str, str]:
    row, fragment, logs = group
    asked = any(re.search(one.pattern, logs[0].text) for one in SYMPTOMS if one.kind in subject.kinds)
    return (-_shared(logs[0], subject), not asked, not is_severe(logs[0]), -len(logs), row.label, fragment)


def _shared(log: LogUnit, subject: Subject) -> int:
    return len(subject.asked_words() & {stem(word) for word in tokens(log.text)})


def _statement(row: Row, fragment: str, logs: Sequence[LogUnit], subject: Subject) -> tuple[datetime, str]:
    times = sorted(log.at for log in logs if log.at is not None)
    first, last = times[0], times[-1]
    whole = _shared(logs[0], subject) >= _SPECIFIC or not tells(fragment)
    if len(logs) > 1 and not whole and _can_be_counted(row, fragment, logs):
        when = f"at {clock(first)}" if clock(first) == clock(last) else f"between {clock(first)} and {clock(last)}"
        return first, f"{speaker(logs[0])} {quoted(fragment)} {len(logs)} times {when} [{row.label}]."
    earliest = next(log for log in logs if log.at == first)
    return first, f"{speaker(earliest)} {quoted(sentence_of(earliest.text))} at {clock(first)} [{row.label}]."


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
