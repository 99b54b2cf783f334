"""JSON documents: a top-level array item by item, an object whole; what of a torn array is good is still read."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts.pieces import NO_RECORD, Piece, Unread, value_in

DOCUMENT_BYTES = 64 * 1024 * 1024
"""The largest document that is read whole; of a larger one an array is read item by item, an object not at all."""

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


def streamed_items(stream: BinaryIO, /) -> Iterator[Piece]:
    """Yield the items of a top-level array as they are read; where it breaks, the rest is told as one place."""
    try:
        import ijson  # type: ignore[import-untyped]
    except ImportError:
        yield Unread(place="document", why=NO_READER)
        return
    number = 0
    try:
        for value in ijson.items(_without_mark(stream), "item", use_float=True):
            number += 1
            yield _item(number, value)
    except (ijson.JSONError, UnicodeDecodeError, RecursionError, ValueError):
        yield Unread(place=f"item {number + 1}", why="the JSON breaks here; nothing behind it was read")


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
    return _Reader(chain((first,) if first else (), iter(lambda: stream.read(64 * 1024), b"")))
