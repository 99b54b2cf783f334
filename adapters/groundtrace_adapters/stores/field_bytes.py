"""Values as fields of PostgreSQL's binary COPY: four bytes of length, then the value; NULL is a length of -1.

A column of many records at a time, which costs a third less than value by value. Pure, and the one check that a value
can be kept at all: each function raises one of `UNSTORABLE` for what no store can hold, and its text never holds the
value. The bytes also stand for a row's content in its digest, in every store.
"""

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from pydantic_core import from_json

from groundtrace_adapters.stores.columns import Kind
from groundtrace_adapters.stores.plain_values import as_json

Fields: TypeAlias = Callable[[Sequence[Any]], list[bytes]]
"""Turns the values of one column, of as many records as there are, into a field of each; None into `NULL`."""

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


def text_fields(texts: Sequence[str | None], /) -> list[bytes]:
    """Return texts as they are; without NUL and without halves of surrogate pairs."""
    if "\0" in "".join(filter(None, texts)):
        raise ValueError("a text holds NUL")
    return [NULL if text is None else _length(len(held := text.encode())) + held for text in texts]


def shared_fields(kept: int, /) -> Fields:
    """Return what does as `text_fields`, and keeps so many of the texts as the fields they are."""

    @lru_cache(kept)
    def field(text: str | None) -> bytes:
        return text_fields((text,))[0]

    return lambda texts: list(map(field, texts))


def number_fields(numbers: Sequence[int | None], /) -> list[bytes]:
    """Return integers of 64 bits."""
    return [NULL if number is None else _sized_number(8, number) for number in numbers]


def flag_fields(flags: Sequence[bool], /) -> list[bytes]:
    """Return what is true or false."""
    return list(map(_FLAGS.__getitem__, flags))


def time_fields(moments: Sequence[datetime], /) -> list[bytes]:
    """Return times with a zone, in microseconds since 2000."""
    micros = [(moment - EPOCH) // _MICROSECOND for moment in moments]
    if micros and not _FIRST <= min(micros) <= max(micros) <= _LAST:
        raise OverflowError("a time is outside the years 1 to 9999 of UTC")
    return number_fields(micros)


def json_fields(texts: Sequence[str | None], /) -> list[bytes]:
    """Return strict JSON as it is written."""
    for text in texts:
        if text is not None and text != "{}":
            _check_json(text)
    return text_fields(texts)


def words_fields(lists: Sequence[tuple[str, ...]], /) -> list[bytes]:
    """Return lists of texts, each as a JSON array."""
    return text_fields([json.dumps(words, ensure_ascii=False) for words in lists])


def _check_json(text: str) -> None:
    try:
        # Refuses more than the other does, such as an escaped half of a surrogate pair; takes a third of its time.
        from_json(text, allow_inf_nan=False, cache_strings=False)
    except ValueError:
        as_json(text)


_FIRST = -63_082_281_600_000_000
_LAST = 252_455_615_999_999_999

FIELDS: Mapping[Kind, Fields] = MappingProxyType(
    {
        Kind.TEXT: text_fields,
        Kind.NAME: shared_fields(NAMES_KEPT),
        # One of few, and as a member of an enumeration slower to encode than any other text.
        Kind.WORD: shared_fields(256),
        Kind.NUMBER: number_fields,
        Kind.FLAG: flag_fields,
        Kind.TIME: time_fields,
        Kind.JSON: json_fields,
        Kind.WORDS: words_fields,
    }
)
"""The fields of each kind of column."""
