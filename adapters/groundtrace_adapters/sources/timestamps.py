"""Times as logs and metric files write them, read as UTC: at the head of a line, or as the value of a field.

ISO 8601 and RFC 3339 (`T`, space or underscore, `.` or `,` before the fraction, `Z`, `UTC`, `GMT` or an offset), epoch
numbers, access logs, and the forms without a year (syslog, klog). Nanoseconds are cut to microseconds, a leap second
is the second before it. A time without a zone is in the zone given; zone abbreviations other than UTC and GMT are
ambiguous and count as none.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

_STAMP = (
    rb"(\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)?"
    rb"(?: ?(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)(?![\w:]))?"
)
_MONTHS = {name: at for at, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), start=1)}
_MONTH = rb"(" + b"|".join(_MONTHS) + rb")"
_CLOCK = rb"(\d\d:\d\d:\d\d)"

_ISO = re.compile(rb"(?:(?:time|ts|timestamp|t|at)=)?[\[\"(]?" + _STAMP)
_ACCESS = re.compile(rb"\S{1,255} \S{1,255} \S{1,255} \[(\d\d)/" + _MONTH + rb"/(\d{4}):" + _CLOCK + rb" ([+-]\d{4})\]")
_SYSLOG = re.compile(rb"(?:<\d{1,3}>)?" + _MONTH + rb" ([ \d]\d) " + _CLOCK + rb"(?:\.(\d{1,9}))?(?= )")
_KLOG = re.compile(rb"[IWEF](\d\d)(\d\d) " + _CLOCK + rb"\.(\d{6})(?= )")
_FORMS = (_ISO, _ACCESS, _SYSLOG, _KLOG)
_ANY_FORM = re.compile(b"|".join(re.sub(rb"(?<!\\)\((?!\?)", b"(?:", form.pattern) for form in _FORMS))
_FIRST_BYTES = 800

_WHOLE = re.compile(rb"\s*" + _STAMP + rb"(?: [A-Z]{3,5})?(?: m=[+-][\d.]+)?\s*")
_NUMBER = re.compile(r"\s*\d{1,20}(\.\d{1,12})?\s*")
_EPOCH_SCALES = ((1e11, 1), (1e14, 1_000), (1e17, 1_000_000), (math.inf, 1_000_000_000))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
_ZONES = {b"Z": UTC, b"UTC": UTC, b"GMT": UTC}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clockwork:
    """What a file's times mean where they do not say: their zone, and the latest moment they can be (UTC).

    A stamp without a year is in the latest year that does not put it after `latest` plus one day.
    """

    zone: tzinfo
    latest: datetime


def leading_time(line: bytes, clockwork: Clockwork, /, *, at: int = 0) -> datetime | None:
    """Return the time that a line starting at offset `at` shows at its head, in UTC; None if it shows none."""
    for form in _FORMS:
        found = form.match(line, at, at + _FIRST_BYTES)
        if found is not None:
            return _READERS[form](found, clockwork)
    return None


def starts_with_time(block: bytes, at: int, /) -> bool:
    """Tell whether a line starting at offset `at` shows a time at its head."""
    return _ANY_FORM.match(block, at, at + _FIRST_BYTES) is not None


def read_time(value: object, clockwork: Clockwork, /) -> datetime | None:
    """Return a field's value as UTC: text as above, or epoch seconds, milli-, micro- or nanoseconds by magnitude."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return from_epoch(value)
    if not isinstance(value, str):
        return None
    if _NUMBER.fullmatch(value):
        return from_epoch(int(value) if value.strip().isdecimal() else float(value))
    found = _WHOLE.fullmatch(value.encode(errors="replace"))
    return None if found is None else _iso(found, clockwork)


def from_epoch(value: float, /, *, scale: int | None = None) -> datetime | None:
    """Return an epoch number as UTC; `scale` is how many of its units a second has (None: told by its magnitude)."""
    if not 0 <= value < math.inf:
        return None
    units = scale or next(units for below, units in _EPOCH_SCALES if value < below)
    micros = value * 1_000_000 // units if isinstance(value, int) else round(value / units * 1_000_000)
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


def epoch_micros(moment: datetime, /) -> int:
    """Return a time as microseconds since 1970, exactly."""
    passed = moment - _EPOCH
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds


def from_micros(micros: int, /) -> datetime:
    """Return microseconds since 1970 as UTC; out of the calendar's range they are its nearest end."""
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return _LAST if micros > 0 else _FIRST


def _iso(found: re.Match[bytes], clockwork: Clockwork) -> datetime | None:
    stamp, fraction, zone = found.groups()
    return _fine(_second(stamp, zone, clockwork), fraction)


# The lines of a log share their seconds: most of the work is done once for all lines of one second.
@lru_cache(maxsize=4_096)
def _second(stamp: bytes, zone: bytes | None, clockwork: Clockwork) -> datetime | None:
    return _utc(int(stamp[:4]), int(stamp[5:7]), int(stamp[8:10]), stamp[11:], _zone(zone) or clockwork.zone)


def _access(found: re.Match[bytes], clockwork: Clockwork) -> datetime | None:
    day, month, year, clock, zone = found.groups()
    return _utc(int(year), _MONTHS[month], int(day), clock, _zone(zone) or clockwork.zone)


def _yearless(found: re.Match[bytes], clockwork: Clockwork) -> datetime | None:
    month, day, clock, fraction = found.groups()
    newest = clockwork.latest + timedelta(days=1)
    parts = (_MONTHS.get(month) or int(month), int(day), clock, clockwork.zone)
    # 29 February may be eight years ago; far east of Greenwich next year's first hours are this year's last.
    years = (_utc(newest.year - back, *parts) for back in range(-1, 9))
    return _fine(next((moment for moment in years if moment is not None and moment <= newest), None), fraction)


def _utc(year: int, month: int, day: int, clock: bytes, zone: tzinfo) -> datetime | None:
    hour, minute, second = int(clock[:2]), int(clock[3:5]), min(59, int(clock[6:8] or 0))
    try:
        return datetime(year, month, day, hour, minute, second, 0, zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _fine(moment: datetime | None, fraction: bytes | None) -> datetime | None:
    if moment is None or fraction is None:
        return moment
    return moment.replace(microsecond=int(fraction[:6].ljust(6, b"0")))


def _zone(text: bytes | None) -> tzinfo | None:
    if text is None or text in _ZONES:
        return _ZONES[text] if text else None
    sign = -1 if text.startswith(b"-") else 1
    digits = text[1:].replace(b":", b"").ljust(4, b"0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return timezone(sign * timedelta(minutes=minutes)) if minutes < 24 * 60 else None


_READERS: dict[re.Pattern[bytes], Callable[[re.Match[bytes], Clockwork], datetime | None]] = {
    _ISO: _iso,
    _ACCESS: _access,
    _SYSLOG: _yearless,
    _KLOG: _yearless,
}
