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
    """Tell whether brackets outside strings nest deeper than 64, in one pass that stops at the first such place."""
    if _openings(text[:_BLOCK]) <= MAX_DEPTH and _openings(text) <= MAX_DEPTH:
        return False
    depth = 0
    for piece in _PIECES.finditer(text):
        brackets = _STRINGS.sub("", piece[0]).encode("utf-8", "surrogatepass").translate(_STEPS, _NO_BRACKETS)
        for start in range(0, len(brackets), _BLOCK):
            steps = memoryview(brackets[start : start + _BLOCK]).cast("b")
            depths = tuple(accumulate(steps, initial=depth))
            if max(depths) > MAX_DEPTH:
                return True
            depth = depths[-1]
    return False


def object_pairs(value: Json, /) -> tuple[tuple[str, Json], ...]:
    """Return every pair of an object, repeated keys too; nothing for what is no object."""
    if isinstance(value, RepeatedKeys):
        return value.pairs
    return tuple(value.items()) if isinstance(value, dict) else ()


# A string that never ends reaches to the end of the text, even where that is a lone backslash: else each of its quotes
# would be tried as the beginning of another one, in quadratic time.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_STRINGS = re.compile(_STRING, re.DOTALL)
_PIECES = re.compile(rf'(?:[^"]{{1,512}}+|{_STRING}){{1,32}}+', re.DOTALL)
_NO_BRACKETS = bytes(code for code in range(256) if code not in b"[]{}")
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_BLOCK = 1024
_DIGITS = 300


def _openings(text: str) -> int:
    return text.count("[") + text.count("{")


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is no JSON")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)
