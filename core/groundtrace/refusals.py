"""What pydantic refuses, said as one Problem: the first fault, its place, how many more there are; never a value."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from groundtrace.problem import Problem
from groundtrace.text import clean, cut

Keys: TypeAlias = Mapping[tuple[str, ...], Sequence[str]]
"""The keys that are known, by the place of the object that holds them."""

_WHERE_CHARACTERS = 120
_WHAT_CHARACTERS = 300
_NO_TIME = "this is no time; write RFC 3339, for example 2026-11-30T16:55:00Z"

_TAGGED = "outcome"
"""The key whose object has several forms: pydantic puts the form's name behind it, which is no part of the line.

Its form decides which other keys are right, so a wrong one is told first.
"""

# Where pydantic's own words would not help the person who wrote the line, or would repeat a value of it.
_WHAT: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "this key is missing",
    "json_invalid": lambda _: "this is no JSON",
    "json_type": lambda _: "this is no JSON text",
    "timezone_aware": lambda _: "this time has no zone; write RFC 3339, for example 2026-11-30T16:55:00Z",
    "datetime_parsing": lambda _: _NO_TIME,
    "datetime_from_date_parsing": lambda _: _NO_TIME,
    "datetime_type": lambda _: _NO_TIME,
    "union_tag_invalid": lambda told: f"this kind is not known; known are {told['expected_tags']}",
    "union_tag_not_found": lambda _: "its `kind` is missing",
}

# What others call our keys.
_MEANT: Mapping[str, str] = {
    "arguments": "input_params",
    "duration": "duration_ms",
    "error": "message",
    "error_message": "message",
    "failure": "reason",
    "failure_kind": "reason",
    "params": "input_params",
    "result": "output",
    "session": "session_id",
    "tool": "tool_name",
    "turn": "turn_id",
}


def refusal(refused: ValidationError, /, *, mend: str, keys: Keys | None = None) -> Problem:
    """Return a refusal in words; values stay out of it, since they may be secrets or megabytes long.

    With `keys` an unknown key is told which ones are known where it stands.
    """
    faults = refused.errors(include_url=False, include_input=False)
    first = min(faults, key=_rank)
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    where = ".".join(map(str, _place(first["loc"])))
    what = cut(clean(_what(first, keys or {})), _WHAT_CHARACTERS)
    return Problem(what=what + more, where=cut(clean(where), _WHERE_CHARACTERS), mend=mend)


def _rank(fault: ErrorDetails) -> int:
    """Return what is told first: a wrong form, then an unknown key, which may be a missing one under another name."""
    if fault["loc"] == (_TAGGED,) and fault["type"] != "missing":
        return 0
    return 1 if fault["type"] == "extra_forbidden" else 2


def _what(fault: ErrorDetails, keys: Keys) -> str:
    if fault["type"] == "extra_forbidden":
        return _unknown_key(fault["loc"], keys)
    words = _WHAT.get(fault["type"])
    return fault["msg"] if words is None else words(fault.get("ctx", {}))


def _unknown_key(place: Sequence[int | str], keys: Keys) -> str:
    known = keys.get(tuple(part for part in place[:-1] if isinstance(part, str)), ())
    meant = _MEANT.get(str(place[-1]), "")
    if meant in known:
        return f"this key is not known; perhaps `{meant}` is meant"
    return f"this key is not known; known are {', '.join(known)}" if known else "this key is not known"


def _place(place: Sequence[int | str]) -> Sequence[int | str]:
    return (_TAGGED, *place[2:]) if len(place) > 1 and place[0] == _TAGGED else place
