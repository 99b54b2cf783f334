"""What the drafter says of log entries: each form once, by whom, how often (if that can be told), from when to when."""

import re
from collections.abc import Container, Iterable, Sequence
from datetime import datetime

from groundtrace_adapters.models.rules.asking import Shape, shapes_of
from groundtrace_adapters.models.rules.concern import concerns_any
from groundtrace_adapters.models.rules.counts import OURS, has_error_level
from groundtrace_adapters.models.rules.evidence import LogUnit, Row
from groundtrace_adapters.models.rules.quotations import holds
from groundtrace_adapters.models.rules.reach import Key, key_of, own_pattern
from groundtrace_adapters.models.rules.saying import clock, owner, quoted, speaker
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import SEVERE, SYMPTOMS
from groundtrace_adapters.models.rules.templates import (
    form_of,
    is_severe,
    quote_of,
    sentence_of,
    tells,
)
from groundtrace_adapters.models.rules.words import stem, tokens

TOLD = 5
"""The most forms that are told."""

_SHORTEST = 8
_SPECIFIC = 3
"""With so many words of the question an entry is likely its answer, and is quoted with its numbers."""
_Group = tuple[Row, str, list[LogUnit]]


def log_statements(
    rows: Iterable[Row], subject: Subject, /, *, only: Container[Key] | None = None
) -> tuple[tuple[datetime, str], ...]:
    """Return statements of entries in the asked stretch (of those in `only`): severe first, then the more frequent."""
    told: dict[tuple[str, str], tuple[datetime, str]] = {}
    for row, quote, logs in sorted(_groups(rows, subject, only), key=lambda group: _rank(group, subject)):
        thing = owner(logs[0].fields)
        if not any(thing == other and (quote in said or said in quote) for other, said in told):
            told[thing, quote] = _statement(row, quote, logs, subject)
    return tuple(told.values())[:TOLD]


def entry_statement(row: Row, log: LogUnit, at: datetime, /) -> tuple[datetime, str]:
    """Return the statement of one entry, quoted with its numbers."""
    return at, f"{speaker(log)} {quoted(sentence_of(log.text))} at {clock(at)} [{row.label}]."


def stretch(first: datetime, last: datetime, /) -> str:
    """Return when entries were logged: `between 16:52:00Z and 16:52:04Z`, or `at` one second."""
    return f"at {clock(first)}" if clock(first) == clock(last) else f"between {clock(first)} and {clock(last)}"


def _groups(rows: Iterable[Row], subject: Subject, only: Container[Key] | None) -> list[_Group]:
    found: dict[tuple[str, str, str], tuple[Row, list[LogUnit]]] = {}
    for row in rows:
        for log in row.logs:
            if _is_asked(log, subject) and (only is None or key_of(log) in only):
                found.setdefault((row.label, owner(log.fields), form_of(log.text)), (row, []))[1].append(log)
    merged: dict[tuple[str, str, str], _Group] = {}
    for (label, thing, _), (row, logs) in found.items():
        quote = quote_of([log.text for log in logs])
        if _is_long(quote) or _is_long(sentence_of(logs[0].text)):
            merged.setdefault((label, thing, quote), (row, quote, []))[2].extend(logs)
    return list(merged.values())


def _is_long(text: str) -> bool:
    return len(re.sub(r"\W", "", text)) >= _SHORTEST


def _is_asked(log: LogUnit, subject: Subject) -> bool:
    return log.at is not None and subject.in_time(log.at) and concerns_any(log, subject.names)


def _rank(group: _Group, subject: Subject) -> tuple[int, bool, bool, int, bool, str, str]:
    row, quote, logs = group
    asked = any(re.search(one.pattern, logs[0].text) for one in SYMPTOMS if one.kind in subject.kinds)
    loose = not _counting(row, quote, logs)
    return (-_shared(logs[0], subject), not asked, not is_severe(logs[0]), -len(logs), loose, row.label, quote)


def _shared(log: LogUnit, subject: Subject) -> int:
    return len(subject.asked_words() & {stem(word) for word in tokens(log.text)})


def _statement(row: Row, quote: str, logs: Sequence[LogUnit], subject: Subject) -> tuple[datetime, str]:
    times = sorted(log.at for log in logs if log.at is not None)
    first, last = times[0], times[-1]
    counts = Shape.COUNT in shapes_of(subject) or Shape.MOST in shapes_of(subject)
    telling = any(tells(part) for part in quote.split("..."))
    whole = not telling or (_shared(logs[0], subject) >= _SPECIFIC and not counts)
    how = "" if whole else _counting(row, quote, logs)
    if how and (counts or len(logs) > 1):
        number = "once" if len(logs) == 1 else how.format(len(logs))
        return first, f"{speaker(logs[0])} {quoted(quote)} {number} {stretch(first, last)} [{row.label}]."
    earliest = next(log for log in logs if log.at == first)
    return entry_statement(row, earliest, first)


def _counting(row: Row, quote: str, logs: Sequence[LogUnit]) -> str:
    """Return how the entries may be counted, blank if they may not: the row must hold every entry with the quotation.

    A search for errors alone holds every error with it, and not every entry.
    """
    if not row.complete:
        return ""
    pattern = str(row.params.get("pattern") or "")
    errors = pattern == SEVERE and not re.search(SEVERE, quote)
    if pattern and not errors and not (pattern in OURS and re.search(pattern, quote)) and not _is_own(pattern, quote):
        return ""
    if errors and not all(has_error_level(log) for log in logs):
        return ""
    thing = owner(logs[0].fields)
    alike = [one for one in row.logs if holds(one.text, quote) and owner(one.fields) == thing]
    counted = [one for one in alike if not errors or has_error_level(one)]
    span = (min(log.at for log in logs if log.at), max(log.at for log in logs if log.at))
    if len([one for one in counted if one.at is not None and span[0] <= one.at <= span[1]]) != len(logs):
        return ""
    if errors:
        return "in {} errors" if len(logs) > 1 else ""
    return "{} times"


def _is_own(pattern: str, quote: str) -> bool:
    return any(pattern == own_pattern(form) for word in tokens(quote) for form in (word, stem(word)))
