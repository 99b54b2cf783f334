"""The known transcript formats, and which of them a file is in."""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Format, Record
from groundtrace.transcripts.openai_chat import OPENAI_CHAT

FORMATS: tuple[Format, ...] = (OPENAI_CHAT,)
"""In the order in which a record is tried: what is told apart by more comes first."""

NEAREST = 3
LOOKED_AT = 20


def format_of(records: Iterable[Record], /) -> Format | None:
    """Return the format of the first record that shows one; a file may begin with records that show nothing."""
    for record in records:
        for one in FORMATS:
            if one.fits(record.value):
                return one
    return None


def nearest(value: JsonValue, /) -> tuple[Format, ...]:
    """Return up to three formats that share most names with a record that shows none of them, the nearest first."""
    names = frozenset(_names(value, 3))
    shared = sorted(FORMATS, key=lambda one: (-len(one.keys & names), FORMATS.index(one)))
    return tuple(one for one in shared[:NEAREST] if one.keys & names)


def _names(value: JsonValue, depth: int) -> Iterator[str]:
    """Yield the names in a record and its first parts."""
    if isinstance(value, dict):
        yield from value
    inner = list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    for one in inner[:LOOKED_AT] if depth else ():
        yield from _names(one, depth - 1)


def format_named(name: str, /) -> Format | None:
    """Return the format with this name."""
    return next((one for one in FORMATS if one.name == name), None)
