"""Pieces of a stream cut into its lines; of a line that is too long to hold a shortened form is kept."""

import json
from dataclasses import dataclass

from groundtrace.json_text import JsonValue
from groundtrace.mcp_traffic_long import Shortening

_MOST_DIGITS = 4_000

LINE_HELD = 4 * 1024 * 1024
"""The longest line that is held as it is, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line without its end; `data` is None where it could not even be shortened. `length` is that of the stream."""

    data: bytes | None
    length: int
    shortened: bool = False

    def marks(self) -> tuple[str, ...]:
        """Return in words what of the line was not seen."""
        if not self.shortened:
            return ()
        return (f"the message had {self.length:,} bytes; texts and lists in it were shortened when it was recorded",)

    def message(self) -> JsonValue:
        """Return the line as JSON; None, which is no message, for all that is none."""
        try:
            return self._read()
        except (ValueError, RecursionError):
            return None

    @property
    def is_beyond_reading(self) -> bool:
        """Tell whether it may be a message that `message` could not make out: too long, or nested too deep."""
        try:
            return self._read() is None and self.shortened
        except RecursionError:
            return True
        except ValueError:
            return self.shortened

    def _read(self) -> JsonValue:
        if not self.data or self.data.isspace():
            return None
        text = self.data.decode("utf-8", "replace").removeprefix("\ufeff")
        value: JsonValue = json.loads(text, parse_int=_whole)
        return value


def _whole(digits: str) -> JsonValue:
    """Return a number; one with more digits than Python reads stays its text."""
    return digits if len(digits) > _MOST_DIGITS else int(digits)


class Lines:
    """A stream under way, cut at its line feeds; holds at most one line, and that within its bounds."""

    def __init__(self, *, held: int = LINE_HELD, blank: bool = False) -> None:
        """Begin at the start of a line; with `blank`, lines of which nothing stands in the stream are returned too."""
        self._most = held
        self._blank = blank
        self._torn = False
        self._begin()

    def feed(self, piece: bytes, /) -> list[Line]:
        """Return the lines that end in this piece."""
        *ended, rest = piece.split(b"\n")
        done = [line for part in ended if (line := self._ended(part)) is not None]
        if rest:
            self._add(rest)
        return done

    def feed_whole(self, piece: bytes, /) -> None:
        """Take a piece of what is one message as a whole, whatever line feeds stand in it; `finish` returns it."""
        if piece:
            self._add(piece)

    def gap(self) -> None:
        """Some of the stream was not seen: the line under way is torn, and so is what comes until the next one."""
        self._begin()
        self._torn = True

    def finish(self) -> Line | None:
        """Return the last line, if the stream ended without a line feed behind it."""
        return self._ended(b"") if self._length else None

    def _begin(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0
        self._long: Shortening | None = None

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        if self._long is None and self._length > self._most:
            self._long = Shortening()
            for held in self._parts:
                self._long.feed(held)
            self._parts = []
        if self._long is None:
            self._parts.append(part)
        else:
            self._long.feed(part)

    def _ended(self, part: bytes) -> Line | None:
        if part:
            self._add(part)
        torn, self._torn = self._torn, False
        data = b"".join(self._parts) if self._long is None else self._long.finish()
        line = Line(data=data, length=self._length, shortened=self._long is not None)
        self._begin()
        return None if torn or not (line.length or self._blank) else line
