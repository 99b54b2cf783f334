"""What a stream gave so far, bounded: texts and bytes are joined, other items become one list. Values only."""

from typing import cast

from groundtrace import outcomes
from groundtrace.encoding import encode, output_of
from groundtrace.json_text import JsonValue, canonical

STREAM_CHARACTERS = 1024 * 1024
"""So much of a stream is kept for its row, in characters or bytes; the rest is counted."""


class Stream:
    """The items as they were when they were given, whatever their reader does to them."""

    __slots__ = ("_items", "_room", "_whole", "count")

    def __init__(self) -> None:
        """Hold nothing yet."""
        self.count = 0
        self._items: list[str | bytes | JsonValue] = []
        self._room = STREAM_CHARACTERS
        self._whole = True

    def add(self, item: object, /) -> None:
        """Take the next item; the first that does not fit is cut, and nothing is kept behind it."""
        self.count += 1
        if not self._whole:
            return
        if isinstance(item, str | bytes):
            kept: str | bytes | JsonValue = item[: self._room]
            size = len(item)
        else:
            kept = encode(item)
            size = len(canonical(kept))
        self._whole = size <= self._room
        self._room -= size
        if self._whole or isinstance(kept, str | bytes):
            self._items.append(kept)

    def value(self) -> object:
        """Return all that is kept: one text, one bytes, or a list."""
        if self._items and all(isinstance(item, str) for item in self._items):
            return "".join(cast("list[str]", self._items))
        if self._items and all(isinstance(item, bytes) for item in self._items):
            return b"".join(cast("list[bytes]", self._items))
        return list(self._items)

    def output(self) -> outcomes.Output | None:
        """Return what is kept as a tool's output, None if that is nothing."""
        return output_of(self.value()) if self._items else None

    def left_out(self) -> tuple[str, ...]:
        """Tell what is not kept."""
        kept = f"only the first {STREAM_CHARACTERS:,} characters of the {self.count} items of the stream were recorded"
        return () if self._whole else (kept,)
