"""The stretch of time that a question asks about, and how it gets its day.

`at 11:52` asks about the minute before it to the minute behind it: what begins in a minute is often seen in the next.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from groundtrace_adapters.models.rules.moments import (
    Span,
    Stamp,
    Window,
    days_around,
    find_dates,
    find_spans,
    find_stamps,
)

MARGIN = timedelta(minutes=1)
"""How far around a single time a question looks."""

ABOUT = timedelta(minutes=5)
"""How far where the question says `around` or `about`."""

REACH = timedelta(minutes=30)
"""How far `since`, `after` and `before` reach where nothing else bounds them."""

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands for the time of a question that no row dates."""

_DAYS_BACK = 7
_UNITS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hr": 3600,
    "hour": 3600,
    "day": 86400,
}
LAST_STRETCH = re.compile(
    r"\b(?:last|past|previous)\s+(?:(?P<count>\d{1,4}|an?|few|couple of)\s+)?"
    r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?)\b|\b(?P<short>\d{1,4})(?P<letter>[smh])\s+ago\b"
    r"|\b(?P<ago>\d{1,4}|an?)\s+(?P<agounit>seconds?|minutes?|mins?|hours?|days?)\s+ago\b",
    re.IGNORECASE,
)
"""A stretch that ends now: `in the last 10 minutes`, `5m ago`."""

_DAY_WORDS = {"yesterday": 1, "today": 0}
_DAY_WORD = re.compile(r"\b(yesterday|today)\b", re.IGNORECASE)
_NOW = re.compile(r"\b(?:right now|just now|currently|at the moment|now)\b", re.IGNORECASE)
_ROUGH = re.compile(r"\b(?:around|about|roughly|approximately|circa|near|~)\s*(?:at\s+)?$", re.IGNORECASE)
_ONWARD = re.compile(r"\b(?:since|after|from)\s+(?:about\s+)?$", re.IGNORECASE)
_BACKWARD = re.compile(r"\b(?:before|until|till|by)\s+(?:about\s+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One asked stretch: a written span widened by `before` and `after`, or a window that is fixed already."""

    span: Span | None = None
    before: timedelta = timedelta(0)
    after: timedelta = timedelta(0)
    fixed: Window | None = None

    @property
    def day(self) -> date | None:
        """Return the day as written, None where the question leaves it open."""
        if self.fixed is not None:
            return self.fixed.start.date()
        return None if self.span is None else self.span.first.day

    def on(self, day: date, /) -> Window:
        """Return the asked window on a day."""
        if self.fixed is not None:
            return self.fixed
        assert self.span is not None
        window = self.span.on(day)
        return Window(start=window.start - self.before, end=window.end + self.after)

    def has(self, moment: datetime, /) -> bool:
        """Tell whether a moment is asked about, on whatever day where none is written."""
        return any(self.on(day).has(moment) for day in days_around(moment))

    def has_exactly(self, moment: datetime, /) -> bool:
        """Tell whether a moment lies in the stretch as written, without the margin around a single time."""
        if self.span is not None and self.before == self.after == MARGIN:
            return self.span.covers(moment)
        return self.has(moment)


def asked_times(question: str, now: datetime, /) -> tuple[Asked, ...]:
    """Return every stretch that a question names, in order; relative ones are counted from `now`."""
    day = _spoken_day(question, now)
    stamps = tuple(_dated(stamp, day) for stamp in find_stamps(question))
    spans = find_spans(question, stamps)
    inside = {stamp.begin for span in spans for stamp in (span.first, span.last)}
    found = [Asked(span=span) for span in spans]
    found += [_around(question, stamp) for stamp in stamps if stamp.begin not in inside]
    if found:
        return tuple(found)
    return _relative(question, now) or _whole_days(question, day)


def resolve(asked: Asked, now: datetime, /, *, earliest: datetime | None, latest: datetime | None) -> Window:
    """Return the window with its day: the written one, else the latest in the data that meets it, else of `now`."""
    if asked.day is not None or earliest is None or latest is None:
        return asked.on(asked.day or _latest_past(asked, now))
    for back in range(_DAYS_BACK + 1):
        window = asked.on(latest.date() - timedelta(days=back))
        if window.start <= latest and window.end > earliest:
            return window
    return asked.on(latest.date())


def _latest_past(asked: Asked, now: datetime) -> date:
    return now.date() if asked.on(now.date()).start <= now else now.date() - timedelta(days=1)


def _dated(stamp: Stamp, day: date | None) -> Stamp:
    if stamp.day is not None or day is None:
        return stamp
    return replace(stamp, day=day)


def _around(question: str, stamp: Stamp) -> Asked:
    head = question[: stamp.begin]
    span = Span(first=stamp, last=stamp)
    if _ROUGH.search(head):
        return Asked(span=span, before=ABOUT, after=ABOUT)
    if _ONWARD.search(head):
        return Asked(span=span, after=REACH)
    if _BACKWARD.search(head):
        return Asked(span=span, before=REACH)
    return Asked(span=span, before=MARGIN, after=MARGIN)


def _spoken_day(question: str, now: datetime) -> date | None:
    word = _DAY_WORD.search(question)
    if word is None:
        return None
    return now.astimezone(UTC).date() - timedelta(days=_DAY_WORDS[word[1].casefold()])


def _relative(question: str, now: datetime) -> tuple[Asked, ...]:
    found = LAST_STRETCH.search(question)
    if found is not None:
        return (Asked(fixed=Window(start=now - _length(found), end=now + timedelta(seconds=1))),)
    if _NOW.search(question):
        return (Asked(fixed=Window(start=now - ABOUT, end=now + timedelta(seconds=1))),)
    return ()


def _length(found: re.Match[str]) -> timedelta:
    amount = found["count"] or found["short"] or found["ago"] or "1"
    unit = (found["unit"] or found["letter"] or found["agounit"]).casefold()
    number = int(amount) if amount.isdigit() else {"few": 5, "couple of": 2}.get(amount.casefold(), 1)
    length = timedelta(seconds=number * _UNITS[unit if unit in _UNITS else unit.removesuffix("s")])
    return length if found["unit"] else length + MARGIN


def _whole_days(question: str, spoken: date | None) -> tuple[Asked, ...]:
    days = [day for day, _, _ in find_dates(question)] or ([] if spoken is None else [spoken])
    starts = [datetime.combine(day, time(0), UTC) for day in days]
    return tuple(Asked(fixed=Window(start=start, end=start + timedelta(days=1))) for start in starts)
