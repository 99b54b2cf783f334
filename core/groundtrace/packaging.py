"""What may stand around a verifier's one JSON object, and what to call a reply in which something else stands.

Nothing here searches for an object in order to use it: `name_the_fault` looks into prose only to tell a person
what was wrong (DESIGN section 8).
"""

import json
from typing import Never

from returns import result
from returns.result import Result

from groundtrace.text import is_blank
from groundtrace.verdict import Cause

BOM = "\ufeff"

_THINKING = ("think", "thinking")
_FENCE_MARK = "```"
_FENCE_TAGS = frozenset({"", "json"})
_TRIES = 16


def unwrap(text: str, /) -> Result[str, Cause]:
    """Return what stands inside the accepted packaging: a BOM, white space, a closed thinking block, a code fence.

    JSON begins with neither `<` nor a backtick, so a text that is JSON as it stands comes back as it stands. A block
    that is opened and never closed is `cut_off`: the sign of a reply that did not end.
    """
    return _without_thinking(text.removeprefix(BOM).strip()).bind(_without_fence).bind(_unless_blank)


def name_the_fault(text: str, /) -> Cause:
    """Return which fault a text that is no strict JSON has: several objects, prose around one, or no JSON at all."""
    first = None if text.startswith("[") else _first_object(text)
    if first is None:
        return Cause.INVALID_JSON
    return Cause.PROSE_AROUND_JSON if _first_object(text[first:].lstrip(" ,;\r\n\t")) is None else Cause.SEVERAL_OBJECTS


def _without_thinking(text: str) -> Result[str, Cause]:
    for tag in _THINKING:
        if text.startswith(f"<{tag}>"):
            _, closed, rest = text.partition(f"</{tag}>")
            return result.Success(rest.strip()) if closed else result.Failure(Cause.CUT_OFF)
    return result.Success(text)


def _without_fence(text: str) -> Result[str, Cause]:
    """A fence opens with its mark and tag alone on the first line and closes with its mark alone on the last."""
    if not text.startswith(_FENCE_MARK):
        return result.Success(text)
    first, _, rest = text.partition("\n")
    if not rest.endswith(_FENCE_MARK):
        return (
            result.Success(text) if _FENCE_MARK in rest or _FENCE_MARK in first[1:] else result.Failure(Cause.CUT_OFF)
        )
    body, _, last = rest.rpartition("\n")
    tag = first.removeprefix(_FENCE_MARK).strip()
    whole = last.strip() == _FENCE_MARK and tag.isascii() and tag.lower() in _FENCE_TAGS
    return result.Success(body.strip() if whole else text)


def _unless_blank(text: str) -> Result[str, Cause]:
    return result.Failure(Cause.MISSING) if is_blank(text) else result.Success(text)


def _first_object(text: str) -> int | None:
    """Return where the first whole JSON object ends; None if there is none among the first few braces."""
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            return None
        end = _end_of_object(text, start)
        if end is not None:
            return end
        if not text[:start].strip():
            return None
        start = text.find("{", start + 1)
    return None


def _end_of_object(text: str, start: int) -> int | None:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is no JSON")


_DECODER = json.JSONDecoder(parse_int=float, parse_constant=_refuse)
