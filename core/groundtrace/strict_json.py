"""Strict JSON from untrusted text: size and depth are found in linear time, before parsing (DESIGN section 8).

Stricter than `json.loads` (no NaN, no Infinity, repeated keys are seen) and total: no text makes it raise.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Never, TypeAlias

from returns import result
from returns.result import Result

MAX_BYTES = 1024 * 1024
"""The longest text that is parsed, in bytes of UTF-8."""

MAX_DEPTH = 64
"""The deepest nesting of arrays and objects that is parsed; `[]` is one deep."""

Json: TypeAlias = object
"""None, bool, int, float, str, or a list or dict of these; a number beyond a double's range is `inf` or `-inf`."""


class JsonFault(StrEnum):
    """Why a text is not used."""

    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One whole JSON value; `repeated` tells whether any of its objects names a key twice.

    Such an object is a `RepeatedKeys`: a reader that must not guess which one counts can refuse it.
    """

    value: Json
    repeated: bool


class RepeatedKeys(dict[str, Json]):
    """An object that names a key more than once: the last value stands, `pairs` holds them all in order."""

    def __init__(self, pairs: list[tuple[str, Json]]) -> None:
        """Keep every pair."""
        super().__init__(pairs)
        self.pairs = tuple(pairs)


def parse_json(text: str, /) -> Result[Document, JsonFault]:
    """Return the one JSON value that `text` holds, JSON's own white space around it allowed."""
    if too_large(text):
        return result.Failure(JsonFault.TOO_LARGE)
    if too_deep(text):
        return result.Failure(JsonFault.TOO_DEEP)
    seen: list[RepeatedKeys] = []

    def object_of(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        seen.append(RepeatedKeys(pairs))
        return seen[-1]

    try:
        value = json.loads(text, object_pairs_hook=object_of, parse_constant=_refuse, parse_int=_integer)
    except (ValueError, RecursionError):
        return result.Failure(JsonFault.INVALID)
    return result.Success(Document(value=value, repeated=bool(seen)))


def too_large(text: str, /) -> bool:
    """Tell whether `text` is over 1 MiB of UTF-8; a text of more characters than that is not looked at."""
    if len(text) > MAX_BYTES:
        return True
    return not text.isascii() and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES


def too_deep(text: str, /) -> bool:
    """Tell whether brackets outside strings nest deeper than 64, in linear time."""
    if _openings(text[:_BLOCK]) <= MAX_DEPTH and _openings(text) <= MAX_DEPTH:
        return False
    return _deepest(_brackets(text[:_BLOCK])) > MAX_DEPTH or _nests_too_deep(_brackets(text))


def object_pairs(value: Json, /) -> tuple[tuple[str, Json], ...]:
    """Return every pair of an object, repeated keys too; nothing for what is no object."""
    if isinstance(value, RepeatedKeys):
        return value.pairs
    return tuple(value.items()) if isinstance(value, dict) else ()


# A string that never ends reaches to the end of the text, even where that is a lone backslash: else each of its quotes
# would be tried as the beginning of another one, in quadratic time.
_STRINGS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_ESCAPE = b"\0"
_NO_MARKS = bytes(code for code in range(256) if code not in b'[]{}"\\\0')
_NO_BRACKETS = bytes(code for code in range(256) if code not in b"[]{}")
_ALIKE = bytes.maketrans(b"{}", b"[]")
_STEPS = bytes.maketrans(b"[]", b"\x01\xff")
_BLOCK = 1024
_PAIRINGS = 4
_DIGITS = 300


def _openings(text: str) -> int:
    return text.count("[") + text.count("{")


def _brackets(text: str) -> bytes:
    """Return the brackets outside strings, each as `[` or `]`, in passes that run over bytes and build no objects."""
    data = text.encode("utf-8", "surrogatepass")
    if b"\\" in data:
        data = data.replace(b"\\\\", _ESCAPE).replace(b'\\"', _ESCAPE)
    # Two quotes side by side end one string and begin another, or hold an empty one: without both the rest is the same.
    marks = data.translate(_ALIKE, _NO_MARKS).replace(b'""', b"")
    outside = b"".join(marks.split(b'"')[::2])
    if _ESCAPE in outside or b"\\" in outside:
        # No JSON: outside of strings a backslash escapes nothing, so that strings must be told one after the other.
        return _STRINGS.sub("", text).encode("utf-8", "surrogatepass").translate(_ALIKE, _NO_BRACKETS)
    return outside


def _nests_too_deep(brackets: bytes) -> bool:
    """Tell it from what is left once closed brackets are taken away some levels from the inside."""
    left = brackets
    for _ in range(_PAIRINGS):
        left = left.replace(b"[]", b"")
    depth = _deepest(left)
    # What was taken away lay at most so many levels deeper.
    return depth > MAX_DEPTH or (depth + _PAIRINGS > MAX_DEPTH and _deepest(brackets) > MAX_DEPTH)


def _deepest(brackets: bytes) -> int:
    """Return the deepest level, or the first that is too deep."""
    depth = deepest = 0
    for start in range(0, len(brackets), _BLOCK):
        steps = memoryview(brackets[start : start + _BLOCK].translate(_STEPS)).cast("b")
        depths = tuple(accumulate(steps, initial=depth))
        depth, deepest = depths[-1], max(deepest, *depths)
        if deepest > MAX_DEPTH:
            break
    return deepest


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is no JSON")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)
