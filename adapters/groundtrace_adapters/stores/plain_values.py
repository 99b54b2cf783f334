"""What any store may hold in one column, as checks and conversions of single values; no rows and no SQL here."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import Enum
from types import MappingProxyType, NoneType
from typing import Any, Never, TypeAlias

Reader: TypeAlias = Callable[[Any], object]
"""Turns what a driver gives for one column into our value; raises ValueError or TypeError for what is none."""

KEY_BYTES = 2_600
"""The longest key (session id and id together), in bytes of UTF-8: what an index page of PostgreSQL takes."""

INTEGERS = range(-(2**63), 2**63)
"""What a 64-bit column holds."""


def to_plain(value: object, /) -> object:
    """Return a field's value as stores are given it: words as text, lists of words as JSON, times in UTC.

    Raises ValueError, OverflowError or TypeError for what no store can hold; the text never holds the value.
    """
    return (_BY_TYPE.get(type(value)) or _by_ancestor(value))(value)


def is_storable(text: str, /) -> bool:
    """Tell whether text can stand in a column: no NUL, no half of a surrogate pair."""
    if "\x00" in text:
        return False
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def as_text(value: object, /) -> str:
    """Return a text column's value. Raises TypeError for another type, as all readers below do, or ValueError."""
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def as_integer(value: object, /) -> int:
    """Return an integer column's value."""
    if not isinstance(value, int):
        raise TypeError("no integer")
    return value


def as_flag(value: object, /) -> bool:
    """Return a boolean column's value; SQLite keeps 0 and 1."""
    if value not in (0, 1):
        raise ValueError("neither true nor false")
    return bool(value)


def as_time(value: object, /) -> datetime:
    """Return a time column's value in UTC; SQLite keeps text."""
    return _in_utc(value if isinstance(value, datetime) else datetime.fromisoformat(as_text(value)))


def as_json(value: object, /) -> str:
    """Return a JSON column's text as it stands, once it is seen to be strict JSON."""
    text = as_text(value)
    # Digits go through `float`: an integer of over 4,300 digits is good JSON, and `int` would refuse it.
    _STRICT_JSON.decode(text)
    return text


def as_words(value: object, /) -> tuple[str, ...]:
    """Return a column that holds a JSON array of text."""
    items = json.loads(as_text(value))
    if not isinstance(items, list):
        raise TypeError("no JSON array")
    return tuple(as_text(item) for item in items)


def optional(read: Reader, /) -> Reader:
    """Return a reader that lets NULL through."""
    return lambda value: None if value is None else read(value)


"""Reads a JSON column that may be NULL."""


def read_columns(readers: Mapping[str, Reader], values: tuple[object, ...], /) -> dict[str, Any] | str:
    """Return the values by column, or the name of the first column whose value cannot be read."""
    found: dict[str, Any] = {}
    for (column, read), value in zip(readers.items(), values, strict=True):
        try:
            found[column] = read(value)
        except (ValueError, TypeError, OverflowError, RecursionError):
            return column
    return found


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("a text holds NUL or half of a surrogate pair")
    return text


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time has no zone")
    return moment.astimezone(UTC)


def _in_64_bits(number: int) -> int:
    if number not in INTEGERS:
        raise ValueError("a number is beyond 64 bits")
    return number


def _as_array(words: tuple[str, ...]) -> str:
    return _storable(json.dumps(words, ensure_ascii=False))


def _word(member: Enum) -> str:
    return _storable(str(member.value))


def _by_ancestor(value: object) -> Callable[[Any], object]:
    for kind, plain in ((Enum, _word), *_BY_TYPE.items()):
        if isinstance(value, kind):
            return plain
    raise TypeError("no value of a column")


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is no JSON")


_STRICT_JSON = json.JSONDecoder(parse_constant=_refuse, parse_int=float)
_BY_TYPE: Mapping[type, Callable[[Any], object]] = MappingProxyType(
    {
        str: _storable,
        bool: bool,
        int: _in_64_bits,
        NoneType: lambda nothing: nothing,
        datetime: _in_utc,
        tuple: _as_array,
    }
)
