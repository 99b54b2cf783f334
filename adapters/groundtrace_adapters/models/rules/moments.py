"""Time expressions in questions and answers: `at 11:52`, `between 16:50 and 16:55 UTC`, `in the last 10 minutes`.

Pure. A time of day without a date stays without one; who resolves it brings the day.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

LONGEST_NIGHT = timedelta(hours=12)
"""A pair of times that runs backwards passes midnight only if it is no longer than this; else it is no span."""

_YEARS = (1970, 2200)
_OFFSETS = {
    "z": 0.0,
    "utc": 0.0,
    "gmt": 0.0,
    "cet": 1.0,
    "cest": 2.0,
    "est": -5.0,
    "edt": -4.0,
    "pst": -8.0,
    "pdt": -7.0,
}
_NAMED = r"[zZ]\b|(?i:UTC|GMT|CEST|CET|EST|EDT|PST|PDT)\b"
# `16:50-16:55` is a span: an offset below zero needs a date before it.
_OFFSET = r"\+(?:0\d|1[0-4]):?[0-5]\d\b|(?(day)-(?:0\d|1[0-2]):?[0-5]\d\b|(?!))"
_DAY = r"(?P<day>\d{4}-\d\d-\d\d)"
_STAMP = re.compile(
    rf"(?<![\w:.])(?:{_DAY}(?:T|,?\s+(?:at\s+)?))?"
    r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,](?P<part>\d{1,9}))?)?"
    rf"(?:\s?(?P<half>[aApP]\.?[mM]\b\.?))?(?:\s?(?P<zone>{_NAMED}|{_OFFSET}))?(?!\w|:\d)"
)
_HOUR = re.compile(
    rf"(?<![\w:.])(?P<hour>1[0-2]|[1-9])\s?(?P<half>[aApP]\.?[mM]\b\.?)(?:\s?(?P<zone>{_NAMED}))?(?!\w|:\d)"
)
_DATE = re.compile(rf"(?<![\w-]){_DAY}(?![\w-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """`start` <= time < `end`, both UTC."""

    start: datetime
    end: datetime

    def has(self, moment: datetime, /) -> bool:
        """Tell whether a moment lies inside."""
        return self.start <= moment < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A time as written: `clock` is its offset from midnight UTC (it may leave the day), `precision` its last digit.

    `day` and `zone` (already taken off the clock) are None where none stood with it; `begin` and `end` are its place.
    """

    day: date | None
    clock: timedelta
    precision: timedelta
    zone: timedelta | None
    begin: int
    end: int

    def on(self, day: date, /) -> Window:
        """Return what the stamp covers on a day; its own day wins."""
        start = datetime.combine(self.day or day, time(0), UTC) + self.clock
        return Window(start=start, end=start + self.precision)

    def covers(self, moment: datetime, /) -> bool:
        """Tell whether the stamp means this moment, on whatever day it is where the stamp says none."""
        return any(self.on(day).has(moment) for day in days_around(moment))


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From one stamp to another, as written."""

    first: Stamp
    last: Stamp

    @property
    def length(self) -> timedelta:
        """Return how long the span is where it passes midnight, else nothing."""
        window = self.on(date(2000, 1, 2))
        passes = self.first.on(date(2000, 1, 2)).start > self.last.on(date(2000, 1, 2)).start
        return window.end - window.start if passes else timedelta(0)

    def on(self, day: date, /) -> Window:
        """Return the span on a day, its last stamp included; a span that runs backwards passes midnight."""
        start, end = self.first.on(day).start, self.last.on(day).end
        return Window(start=start, end=end if end > start else end + timedelta(days=1))

    def until(self, day: date, /) -> datetime:
        """Return where the last stamp begins: what a search up to that time has covered."""
        return self.on(day).end - self.last.precision

    def covers(self, moment: datetime, /) -> bool:
        """Tell whether a moment lies in the span."""
        return any(self.on(day).has(moment) for day in days_around(moment))


def days_around(moment: datetime, /) -> tuple[date, date, date]:
    """Return the day of a moment and its neighbours: a clock with a zone may have left its day."""
    day = moment.astimezone(UTC).date()
    return (day, day - timedelta(days=1), day + timedelta(days=1))


def find_stamps(text: str, /) -> tuple[Stamp, ...]:
    """Return the times in a text in their order; a date that stands alone in the text lends itself to bare times."""
    days = {found["day"] for found in _DATE.finditer(text)}
    shared = _date(days.pop()) if len(days) == 1 else None
    found = [_stamp(match, shared) for pattern in (_STAMP, _HOUR) for match in pattern.finditer(text)]
    return tuple(sorted((stamp for stamp in found if stamp is not None), key=lambda stamp: stamp.begin))


def find_dates(text: str, /) -> tuple[tuple[date, int, int], ...]:
    """Return the dates in a text with their places."""
    found = ((_date(match["day"]), match.start(), match.end()) for match in _DATE.finditer(text))
    return tuple((day, begin, end) for day, begin, end in found if day is not None)


_JOINED = re.compile(r"\s*(?:and|to|until|till|through|-|\u2013|\u2014|\.\.)\s*(?:at\s+)?", re.IGNORECASE)
_OPENED = re.compile(r"(?:between|from)\s+(?:about\s+)?$", re.IGNORECASE)
_RANGE_ONLY = re.compile(r"\s*(?:-|\u2013|\u2014|until|till|through|to|\.\.)\s*", re.IGNORECASE)


def find_spans(text: str, stamps: tuple[Stamp, ...], /) -> tuple[Span, ...]:
    """Return the spans that pairs of neighbouring stamps form: `between A and B`, `from A to B`, `A - B`."""
    found: list[Span] = []
    for first, last in pairwise(stamps):
        between = text[first.end : last.begin]
        opened = _OPENED.search(text[: first.begin]) is not None
        joined = _JOINED.fullmatch(between) if opened else _RANGE_ONLY.fullmatch(between)
        taken = bool(found) and found[-1].last.begin == first.begin
        span = Span(first=_in_zone_of(last, first), last=last)
        if joined is not None and not taken and span.length <= LONGEST_NIGHT:
            found.append(span)
    return tuple(found)


def _in_zone_of(last: Stamp, first: Stamp) -> Stamp:
    if first.zone is not None or last.zone is None:
        return first
    return replace(first, clock=first.clock - last.zone, zone=last.zone)


def _stamp(match: re.Match[str], shared: date | None) -> Stamp | None:
    parts = match.groupdict()
    hour = _hour(int(parts["hour"]), parts["half"])
    if hour is None:
        return None
    minute, second, part = parts.get("minute"), parts.get("second"), parts.get("part")
    micro = int((part or "").ljust(6, "0")[:6] or 0)
    clock = timedelta(hours=hour, minutes=int(minute or 0), seconds=int(second or 0), microseconds=micro)
    day = _date(parts["day"]) if parts.get("day") else shared
    if parts.get("day") and day is None:
        return None
    zone = _offset(parts["zone"])
    return Stamp(
        day=day,
        clock=clock - (zone or timedelta(0)),
        precision=_precision(minute, second, part),
        zone=zone,
        begin=match.start(),
        end=match.end(),
    )


def _hour(hour: int, half: str | None) -> int | None:
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half[0] in "pP" else 0)


def _precision(minute: str | None, second: str | None, part: str | None) -> timedelta:
    if part:
        return timedelta(microseconds=10 ** max(0, 6 - len(part)))
    if second:
        return timedelta(seconds=1)
    return timedelta(minutes=1) if minute else timedelta(hours=1)


def _offset(zone: str | None) -> timedelta | None:
    if zone is None:
        return None
    hours = _OFFSETS.get(zone.casefold())
    if hours is not None:
        return timedelta(hours=hours)
    sign = -1 if zone[0] == "-" else 1
    return sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))


def _date(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if _YEARS[0] <= day.year <= _YEARS[1] else None
