"""Values as fields of PostgreSQL's binary COPY: four bytes of length, then the value; NULL is a length of -1.

Pure, and the one check that a value can be kept at all: each function raises one of `UNSTORABLE` for what no store
can hold, and its text never holds the value. The bytes also stand for a row's content in its digest, in every store.
"""

import json
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from pydantic_core import from_json

from groundtrace_adapters.stores.columns import Kind
from groundtrace_adapters.stores.plain_values import as_json

Field: TypeAlias = Callable[[Any], bytes]
"""Turns a record's value, other than None, into one field."""

Check: TypeAlias = Callable[[Sequence[Any]], object]
"""Refuses the values of one column, of many records, if one of them has no field; None has one."""

Fields: TypeAlias = Callable[[Sequence[Any]], list[bytes]]
"""Turns the values of one column, of many records, into a field of each; None into `NULL`."""

UNSTORABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, struct.error)

NULL = b"\xff\xff\xff\xff"
NAMES_KEPT = 1_024
"""So many names are kept as the fields they are: of sessions, tools and topics, 200 characters at most."""

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Where PostgreSQL counts microseconds from."""

_MICROSECOND = timedelta(microseconds=1)
_length = struct.Struct("!i").pack
_sized_number = struct.Struct("!iq").pack
_FLAGS: Mapping[object, bytes] = {True: b"\0\0\0\x01\x01", False: b"\0\0\0\x01\x00"}


def text_field(text: str, /) -> bytes:
    """Return text, or a word of ours, as it is; without NUL and without halves of surrogate pairs."""
    if "\0" in text:
        raise ValueError("a text holds NUL")
    encoded = text.encode()
    return _length(len(encoded)) + encoded


def number_field(number: int, /) -> bytes:
    """Return an integer of 64 bits."""
    return _sized_number(8, number)


def time_field(moment: datetime, /) -> bytes:
    """Return a time with a zone, in microseconds since 2000."""
    micros = (moment - EPOCH) // _MICROSECOND
    if not _FIRST <= micros <= _LAST:
        raise OverflowError("a time is outside the years 1 to 9999 of UTC")
    return _sized_number(8, micros)


def json_field(text: str, /) -> bytes:
    """Return strict JSON as it is written."""
    _check_json(text)
    return text_field(text)


def words_field(words: tuple[str, ...], /) -> bytes:
    """Return texts as a JSON array."""
    return text_field(json.dumps(words, ensure_ascii=False))


def _check_json(text: str) -> None:
    if text == "{}":
        return
    try:
        # Refuses more than the other does, such as an escaped half of a surrogate pair; takes a third of its time.
        from_json(text, allow_inf_nan=False, cache_strings=False)
    except ValueError:
        as_json(text)


_FIRST = -63_082_281_600_000_000
_LAST = 252_455_615_999_999_999

FIELDS: Mapping[Kind, Field] = MappingProxyType(
    {
        Kind.TEXT: text_field,
        Kind.NAME: lru_cache(NAMES_KEPT)(text_field),
        # One of few, and as a member of an enumeration slower to encode than any other text.
        Kind.WORD: lru_cache(256)(text_field),
        Kind.NUMBER: number_field,
        Kind.FLAG: _FLAGS.__getitem__,
        Kind.TIME: time_field,
        Kind.JSON: json_field,
        Kind.WORDS: words_field,
    }
)
"""The field of each kind of column."""


def _text_fields(texts: Sequence[str | None]) -> list[bytes]:
    if "\0" in "".join(filter(None, texts)):
        raise ValueError("a text holds NUL")
    return [NULL if text is None else _length(len(held := text.encode())) + held for text in texts]


def _json_fields(texts: Sequence[str | None]) -> list[bytes]:
    for text in texts:
        if text is not None:
            _check_json(text)
    return _text_fields(texts)


def _number_fields(numbers: Sequence[int | None]) -> list[bytes]:
    return [NULL if number is None else _sized_number(8, number) for number in numbers]


def _one_by_one(field: Field) -> Fields:
    return lambda values: [NULL if value is None else field(value) for value in values]


def _often_one(field: Field) -> Fields:
    """Return what makes the fields of a column that often holds one value in all records of a batch.

    Only for kinds whose equal values have equal fields; a number and a float of its value would have been one.
    """
    each = _one_by_one(field)

    def fields(values: Sequence[Any]) -> list[bytes]:
        first, number = values[0], len(values)
        return [field(first)] * number if first is not None and values == (first,) * number else each(values)

    return fields


COLUMNS: Mapping[Kind, Fields] = MappingProxyType(
    {
        **{kind: _one_by_one(field) for kind, field in FIELDS.items()},
        **{kind: _often_one(FIELDS[kind]) for kind in (Kind.NAME, Kind.WORD, Kind.FLAG)},
        # The same fields, without a call for each: most of a row is text.
        Kind.TEXT: _text_fields,
        Kind.NUMBER: _number_fields,
        Kind.JSON: _json_fields,
    }
)
"""The fields of a whole column of each kind, in two thirds of the time."""


def _check_texts(texts: Iterable[str | None]) -> None:
    together = "".join([text for text in texts if text is not None])
    if "\0" in together:
        raise ValueError("a text holds NUL")
    if not together.isascii():
        # Halves of two surrogate pairs stay halves, also side by side.
        together.encode()


def _check_few(texts: Sequence[str | None]) -> None:
    _check_texts(set(texts))


def _check_jsons(texts: Sequence[str | None]) -> None:
    for text in set(texts):
        if text is not None:
            _check_json(text)
    _check_texts(texts)


def _check_numbers(numbers: Sequence[int | None]) -> None:
    present = [number for number in numbers if number is not None]
    struct.pack(f"{len(present)}q", *present)


def _check_times(moments: Sequence[datetime | None]) -> None:
    present = [moment for moment in moments if moment is not None]
    if present:
        time_field(min(present))
        time_field(max(present))


CHECKS: Mapping[Kind, Check] = MappingProxyType(
    {
        **COLUMNS,
        Kind.TEXT: _check_texts,
        Kind.NAME: _check_few,
        Kind.WORD: _check_few,
        Kind.NUMBER: _check_numbers,
        Kind.TIME: _check_times,
        Kind.JSON: _check_jsons,
    }
)
"""What refuses a column exactly where it has no fields, in a third of the time that making them takes."""
