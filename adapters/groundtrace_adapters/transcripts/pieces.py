"""What reading a transcript file gives piece by piece: records, and places that could not be read."""

import json
from dataclasses import dataclass
from typing import TypeAlias

from returns import result
from returns.result import Result

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A place that could not be read, or (`kept`) only with replacements; `line` counts from 1, None in a document."""

    place: str
    why: str
    line: int | None = None
    kept: bool = False


Piece: TypeAlias = Record | Unread

NO_UTF8 = "bytes that are not UTF-8; read with replacements"
NO_RECORD = "neither an object nor an array"
TOO_DEEP = "nested too deeply"


def value_in(text: str, /) -> Result[JsonValue, str]:
    """Return the JSON value that a whole text writes, or why there is none."""
    try:
        return result.Success(json.loads(text, parse_int=integer))
    except RecursionError:
        return result.Failure(TOO_DEEP)
    except json.JSONDecodeError as broken:
        return result.Failure(f"no JSON ({broken.msg})")


def integer(digits: str, /) -> int | str:
    """Return a number; one that the interpreter does not take stands as its digits."""
    try:
        return int(digits)
    except ValueError:
        return digits
