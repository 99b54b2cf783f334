"""Fields of a stranger's JSON, each read as what it should be or as nothing: no value makes these raise."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from groundtrace.json_text import JsonValue
from groundtrace.text import is_blank

Body: TypeAlias = dict[str, JsonValue]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"(\.\d{6})\d+")
_FIRST, _LAST = datetime(1971, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)

# A number is a time in the unit in which it lies between 1971 and the year 9999.
_PER_SECOND = (1, 10**3, 10**6, 10**9)
_SECONDS = (31_536_000, 253_402_300_800 / 10)


def body_of(value: JsonValue, /) -> Body:
    """Return an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items_of(value: JsonValue, /) -> list[JsonValue]:
    """Return a list, an empty one for anything else."""
    return value if isinstance(value, list) else []


def bodies_of(value: JsonValue, /) -> Iterator[Body]:
    """Yield the objects of a list."""
    return (one for one in items_of(value) if isinstance(one, dict))


def text_of(value: JsonValue, /) -> str | None:
    """Return a text that is not blank."""
    return value if isinstance(value, str) and not is_blank(value) else None


def word_of(value: JsonValue, /) -> str | None:
    """Return a text, blank or not, that can be compared with words of a format; a stranger may put anything there."""
    return value if isinstance(value, str) else None


def flag_of(value: JsonValue, /) -> bool | None:
    """Return true or false, None for anything else."""
    return value if isinstance(value, bool) else None


def number_of(value: JsonValue, /) -> int | None:
    """Return a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def moment_of(value: JsonValue, /) -> datetime | None:
    """Return a time in UTC: RFC 3339 text (one without a zone is taken as UTC), or seconds to nanoseconds since 1970.

    None for what is no time, and for one before 1971 or beyond the calendar.
    """
    if isinstance(value, str):
        return _written(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    for unit in _PER_SECOND:
        if _SECONDS[0] * unit <= value < _SECONDS[1] * unit:
            return _EPOCH + timedelta(microseconds=value * 10**6 // unit if unit > 1 else round(value * 10**6))
    return None


def prose_of(value: JsonValue, /) -> str:
    """Return what a message says: its text, or the texts of its parts, a line between them."""
    if isinstance(value, str):
        return value
    parts = (one if isinstance(one, str) else _part(body_of(one)) for one in items_of(value))
    return "\n".join(part for part in parts if part)


def _part(part: Body) -> str:
    if part.get("type") in ("thinking", "reasoning"):
        return ""
    return text_of(part.get("text")) or text_of(part.get("refusal")) or ""


def _written(text: str) -> datetime | None:
    if not text[:4].isdigit():
        return None
    try:
        moment = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if _FIRST <= moment < _LAST else None
