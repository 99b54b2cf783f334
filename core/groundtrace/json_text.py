"""Strict JSON text of JSON values: the canonical form, its fingerprint, and a bounded form whose cut is seen.

How any Python value becomes a JSON value is `encoding`.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, cast

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
"""What RFC 8259 can say; floats are finite, texts hold no NUL and no lone surrogate."""

JSON_BYTES = 64 * 1024
"""The longest stored JSON text, in bytes of UTF-8."""

# (characters a text, members a container): tried in turn until the whole fits.
_MEASURES = ((8_192, 1_000), (2_048, 200), (512, 100), (128, 40), (64, 12), (24, 4))


def _writer(*, sort_keys: bool) -> Callable[[JsonValue, int], Iterable[str]]:
    """Return the function that writes pieces of JSON text, made once: `json.dumps` makes its own at every call."""
    encoder = json.JSONEncoder(
        sort_keys=sort_keys, ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
    )
    quick = getattr(json.encoder, "c_make_encoder", None)
    if quick is None:  # an interpreter without the C accelerator
        return lambda value, _: encoder.iterencode(value)
    return cast(
        "Callable[[JsonValue, int], Iterable[str]]",
        quick(None, encoder.default, json.encoder.encode_basestring, None, ":", ",", sort_keys, False, False),
    )


_canonical = _writer(sort_keys=True)
_in_order = _writer(sort_keys=False)


def canonical(value: JsonValue, /) -> str:
    """Return the one text of a JSON value: keys sorted by code point, no white space, types and list order kept."""
    return "".join(_canonical(value, 0))


def plain(value: JsonValue, /) -> str:
    """Return the text of a JSON value with its keys in the order given."""
    return "".join(_in_order(value, 0))


def fingerprint(value: JsonValue, /) -> str:
    """Return the SHA-256 of the canonical text, in hex.

    Key order does not matter; list order and types do: 1, 1.0, "1" and true are four different values.
    """
    return fingerprint_of(canonical(value))


def fingerprint_of(text: str, /) -> str:
    """Return the fingerprint of a value whose canonical text is at hand."""
    return hashlib.sha256(text.encode()).hexdigest()


def bounded_json(value: JsonValue, /, *, limit: int = JSON_BYTES) -> str:
    """Return strict JSON text of at most `limit` bytes of UTF-8 (64 at least), keys sorted.

    What does not fit is shortened from the longest parts on, and each cut says how much it left out: in a text, as a
    last list item, or under the key `[...]` of an object.
    """
    return bounded_text(value, canonical(value), limit=limit)


def bounded_text(value: JsonValue, text: str, /, *, limit: int = JSON_BYTES) -> str:
    """Return what `bounded_json` does, where the canonical text is at hand."""
    if _fits(text, limit):
        return text
    for characters, members in _MEASURES:
        shorter = canonical(_shortened(value, characters, members))
        if _fits(shorter, limit):
            return shorter
    left_out = f"[... {len(text):,} characters left out]"
    return canonical({"[...]": left_out} if isinstance(value, dict) else left_out)


def _fits(text: str, limit: int) -> bool:
    return len(text) * 4 <= limit or (len(text) <= limit and len(text.encode()) <= limit)


def _shortened(value: JsonValue, characters: int, members: int) -> JsonValue:
    if isinstance(value, str):
        return short_text(value, characters)
    if isinstance(value, list):
        kept = [_shortened(item, characters, members) for item in value[:members]]
        more = len(value) - members
        return [*kept, f"[... {more:,} more items left out]"] if more > 0 else kept
    if isinstance(value, dict):
        return _shortened_members(value, characters, members)
    return value


def _shortened_members(value: dict[str, JsonValue], characters: int, members: int) -> JsonValue:
    kept: dict[str, JsonValue] = {}
    for number, name in enumerate(sorted(value)):
        if number == members:
            kept["[...]"] = f"[... {len(value) - members:,} more members left out]"
            break
        short = short_text(name, characters)
        kept[free_name(short, kept)] = _shortened(value[name], characters, members)
    return kept


def short_text(text: str, characters: int, /) -> str:
    """Return the text, or its first `characters` and how many more there were."""
    if len(text) <= characters:
        return text
    return f"{text[:characters]}[... {len(text) - characters:,} characters left out]"


def free_name(name: str, taken: Mapping[str, object], /) -> str:
    """Return `name`, or `name (N)` for the N-th member where cleaning or redaction made two names one."""
    free, number = name, len(taken)
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
