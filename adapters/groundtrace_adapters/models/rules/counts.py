"""Counts of entries, computed again from the cited rows: only complete rows that cover the stretch carry a total."""

import re
from collections.abc import Iterable

from groundtrace_adapters.models.rules.case import Case, is_searched
from groundtrace_adapters.models.rules.claims import Number
from groundtrace_adapters.models.rules.concern import concerns_any
from groundtrace_adapters.models.rules.evidence import LogUnit, Row
from groundtrace_adapters.models.rules.findings import Finding, Held, Standing, contradicted, unsupported
from groundtrace_adapters.models.rules.quotations import holds
from groundtrace_adapters.models.rules.symptoms import SEVERE, SYMPTOMS
from groundtrace_adapters.models.rules.words import tokens

_LEVELS = {
    "error": re.compile(r"\b(?:ERROR|FATAL|PANIC|CRITICAL|SEVERE)\b"),
    "warning": re.compile(r"\b(?:WARN|WARNING)\b"),
}
OURS = frozenset({SEVERE, *(symptom.pattern for symptom in SYMPTOMS)})
"""Patterns of our own, which Python may run on text: one of a user might never end."""


def check_count(number: Number, noun: str, case: Case, /) -> Finding:
    """Return how a count stands: any reading of it that the rows yield carries it."""
    rows = [row for row in case.rows if row.logs]
    if not rows:
        return unsupported(f"no cited row holds entries of which there could be {number.text}")
    if not all(row.complete for row in rows):
        return unsupported(f"{number.text} {noun} is a total, and the cited evidence is not complete")
    if not all(is_searched(row, case) for row in rows):
        return unsupported(f"{number.text} {noun}: the cited search does not cover that stretch of time")
    readings = tuple(_readings(number, noun, case, rows))
    for reading in readings:
        if len(reading) == number.value:
            return Finding(standing=Standing.SUPPORTED, logs=reading, words=frozenset(tokens(noun)))
    counts = ", ".join(str(len(reading)) for reading in readings if reading)
    if not counts:
        return unsupported(f"{number.text} {noun} cannot be counted in the cited evidence")
    return contradicted(f"the cited entries number {counts}, not {number.text}", logs=readings[0])


def _readings(number: Number, noun: str, case: Case, rows: list[Row]) -> Iterable[tuple[Held, ...]]:
    level = _level_of(noun)
    if level is not None and case.claims.quotes and _counts_the_quote(number, case):
        yield from _errors_with_the_quote(level, case, rows)
        return
    for quote in case.claims.quotes:
        held = tuple(one for one in case.logs if one.log is not None and holds(one.log.text, quote.text))
        if held and (all(_finds(row, quote.text) for row in rows) or _are_all(held, quote.text, case)):
            yield held
    if level is not None and all(_has_all_errors(row, case) for row in rows):
        yield tuple(one for one in case.logs if one.log is not None and _has_level(one.log, level))
    if level is None and not _counts_the_quote(number, case) and all(_is_whole(row, case) for row in rows):
        yield case.logs


def _are_all(held: tuple[Held, ...], quote: str, case: Case) -> bool:
    """Tell whether another shown row, sure to hold every entry with a quotation, holds no more of them."""
    for row in case.shown:
        if row.usable and row.complete and _finds(row, quote) and _is_of_named(row, case) and is_searched(row, case):
            alike = [log for log in row.logs if holds(log.text, quote) and case.in_time(log.at)]
            if len([log for log in alike if concerns_any(log, case.claims.names)]) == len(held):
                return True
    return False


def _errors_with_the_quote(level: re.Pattern[str], case: Case, rows: list[Row]) -> Iterable[tuple[Held, ...]]:
    """Yield the entries of a level with a quotation: a search for errors holds each of them, whoever else says it."""
    for quote in case.claims.quotes:
        held = tuple(one for one in case.logs if one.log is not None and holds(one.log.text, quote.text))
        own = tuple(one for one in held if one.log is not None and _has_level(one.log, level))
        if own and all(_has_all_errors(row, case) or _finds(row, quote.text) for row in rows):
            yield own


def has_error_level(log: LogUnit, /) -> bool:
    """Tell whether an entry counts as an error."""
    return _has_level(log, _LEVELS["error"])


def _level_of(noun: str) -> re.Pattern[str] | None:
    """Return what entries of a counted level show: `errors` are of any severe level, `fatal entries` of that one."""
    first, _, rest = noun.partition(" ")
    if rest:
        return re.compile(rf"\b{first.upper()}\b")
    return next((found for word, found in _LEVELS.items() if noun.startswith(word)), None)


def _counts_the_quote(number: Number, case: Case) -> bool:
    """Tell whether the number counts a quotation: nothing but words stands between the two."""
    masked, quotes = case.claims.masked, case.claims.quotes
    if not quotes:
        return False
    place = quotes[0].begin
    between = masked[number.end : place] if place > number.end else masked[place : number.begin]
    return re.search("[,:;()]", between) is None


def _has_level(log: LogUnit, level: re.Pattern[str]) -> bool:
    return level.search(log.fields.get("level", "").upper() or log.text) is not None


def _finds(row: Row, quote: str) -> bool:
    """Tell whether the row's search must have found every entry with the quotation: else they cannot be counted."""
    pattern = row.params.get("pattern")
    if not pattern:
        return True
    if not isinstance(pattern, str):
        return False
    if row.params.get("regex"):
        plain = re.escape(pattern.removeprefix("(?i)").replace("\\", "")) == pattern.removeprefix("(?i)")
        return (pattern in OURS or plain) and re.search(pattern, quote) is not None
    return pattern in quote


def _has_all_errors(row: Row, case: Case) -> bool:
    """Tell whether the row holds every error of the things that the statement names."""
    return _is_whole(row, case) or (row.params.get("pattern") == SEVERE and _is_of_named(row, case))


def _is_whole(row: Row, case: Case) -> bool:
    """Tell whether the row holds every entry of the things that the statement names."""
    return not row.params.get("pattern") and _is_of_named(row, case)


def _is_of_named(row: Row, case: Case) -> bool:
    named = {name.value for mention in case.claims.names for name in mention.names}
    return all(value in named for value in row.filters().values())
