"""JSON documents: a top-level array item by item, an object whole; what of a torn array is good is still read."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts.nesting import DEEPEST
from groundtrace_adapters.transcripts.pieces import NO_RECORD, TOO_DEEP, Piece, Unread, integer, value_in

DOCUMENT_BYTES = 64 * 1024 * 1024
"""The largest document that is read whole; of a larger one an array is read item by item, an object not at all."""

_PART = 1024 * 1024
_DECODER = json.JSONDecoder(parse_int=integer)
_BLANK = re.compile(r"[\s\x1e]*")
_OPENING = frozenset({"start_map", "start_array"})
_CLOSING = frozenset({"end_map", "end_array"})

NO_READER = "reading it needs the extra `import` (pip install 'groundtrace[import]')"
TOO_LARGE = f"one object of more than {DOCUMENT_BYTES:,} bytes; split it, or export it as JSON lines"


def items(values: Iterable[JsonValue], /) -> Iterator[Piece]:
    """Yield the items of a top-level array that was read whole."""
    return (_item(number, value) for number, value in enumerate(values, start=1))


def document(text: str, /) -> Iterator[Piece] | None:
    """Return the records of a whole document, None if the text is none."""
    value = value_in(text).value_or(None)
    if isinstance(value, list):
        return items(value)
    return iter((Record(place="", value=value),)) if isinstance(value, dict) else None


def concatenated(text: str, /) -> Iterator[Piece] | None:
    """Return the objects that stand one behind another, over lines or on one; None where the first is not followed."""
    try:
        first, end = _DECODER.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    followed = text.lstrip()[end:].lstrip()[:1] == "{"
    return _one_by_one(text.lstrip()) if isinstance(first, dict) and followed else None


def _one_by_one(text: str) -> Iterator[Piece]:
    """Yield each object; behind one that is broken, go on at the next line that begins with one."""
    at = number = 0
    while at < len(text):
        number += 1
        try:
            value, at = _DECODER.raw_decode(text, at)
            yield _item(number, value)
        except (ValueError, RecursionError):
            yield Unread(place=f"item {number}", why="no JSON")
            found = text.find("\n{", at)
            at = len(text) if found < 0 else found + 1
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]


def streamed_items(stream: BinaryIO, /) -> Iterator[Piece]:
    """Yield the items of a top-level array as they are read; where it breaks, the rest is told as one place."""
    try:
        import ijson  # type: ignore[import-untyped]
    except ImportError:
        yield Unread(place="document", why=NO_READER)
        return
    number = 0
    try:
        for value in _built(ijson.basic_parse(_without_mark(stream), use_float=True), ijson.ObjectBuilder):
            number += 1
            yield _item(number, value)
    except _TooDeepError:
        yield Unread(place=f"item {number + 1}", why=f"{TOO_DEEP}; nothing behind it was read")
    except (ijson.JSONError, UnicodeDecodeError, RecursionError, ValueError):
        yield Unread(place=f"item {number + 1}", why="the JSON breaks here; nothing behind it was read")


class _TooDeepError(Exception):
    """A value is nested more deeply than is read."""


def _built(events: Iterable[tuple[str, object]], builder: Callable[[], Any]) -> Iterator[JsonValue]:
    """Yield the items of the array that events tell of; the bound on their depth is one on memory."""
    depth = 0
    item = builder()
    for event, value in events:
        depth -= event in _CLOSING
        inside = depth > 0
        depth += event in _OPENING
        if depth > DEEPEST:
            raise _TooDeepError
        if not inside:
            continue
        item.event(event, value)
        if depth == 1:
            yield item.value
            item = builder()


def _item(number: int, value: JsonValue) -> Piece:
    place = f"item {number}"
    return Record(place=place, value=value) if isinstance(value, dict | list) else Unread(place=place, why=NO_RECORD)


class _Reader:
    """A stream whose first bytes were read already."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts

    def read(self, size: int = -1) -> bytes:
        """Return the next part; nothing when asked for nothing."""
        return b"" if size == 0 else next(self._parts, b"")


def _without_mark(stream: BinaryIO) -> _Reader:
    head = stream.read(3)
    first = b"" if head == b"\xef\xbb\xbf" else head
    return _Reader(chain((first,) if first else (), iter(lambda: stream.read(_PART), b"")))
