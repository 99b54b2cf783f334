"""The stored form of values that hold no others, each by a function of its own (`encoding` has the whole table)."""

import math
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

from groundtrace.json_text import JsonValue

INT_BITS = 2_000
"""A longer integer is stored as text: 640 decimal digits is the lowest limit that a reader can set."""

BYTES = 16 * 1024 * 1024 + 1
"""So much of a bytes value is read: one more than any text keeps, so that its cut is seen."""


def integer(value: int, /) -> JsonValue:
    """Return an integer, or its hexadecimal text if it is too long for a number."""
    return value if value.bit_length() <= INT_BITS else hex(value)


def finite(value: float, /) -> JsonValue:
    """Return a float, or the word for one that JSON cannot say."""
    if math.isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _duration(value: timedelta) -> str:
    sign, span = ("-", -value) if value < timedelta(0) else ("", value)
    seconds = span.days * 86_400 + span.seconds
    return f"{sign}PT{seconds}{f'.{span.microseconds:06d}' if span.microseconds else ''}S"


def _bytes(value: "bytes | bytearray | memoryview") -> str:
    return bytes(value[:BYTES]).decode("utf-8", "backslashreplace")


def _is_long(value: Fraction) -> bool:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) > INT_BITS


# In this order: an enum member may be a str or an int, and a datetime is a date.
SCALARS: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (Enum, lambda value: value.value),
    (str, str.__str__),
    (int, int.__index__),
    (float, float.__float__),
    (bytes, _bytes),
    (bytearray, _bytes),
    (memoryview, _bytes),
    (Decimal, Decimal.__str__),
    (Fraction, lambda value: f"{hex(value.numerator)}/{hex(value.denominator)}" if _is_long(value) else str(value)),
    (complex, complex.__repr__),
    (datetime, datetime.isoformat),
    (date, date.isoformat),
    (time, time.isoformat),
    (timedelta, _duration),
    (UUID, UUID.__str__),
)
"""For a class and all below it: the function that gives a simpler value, which is then encoded in its place."""
