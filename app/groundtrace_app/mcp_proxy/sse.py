"""The messages in a stream of server-sent events, and whether the stream can be taken up again."""

import re
from dataclasses import replace

from groundtrace.mcp_traffic_lines import LINE_HELD, Line, Lines

LINE_COSTS = 16
"""So many bytes more than its own a line of an event counts: what holds it takes room too."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MANY_ENDS = re.compile(rb"\n{3,}")


class EventStream:
    """One response under way; several `data` lines of one event are one message, which its blank line ends."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self._lines = Lines(blank=True)
        self._event: list[Line] = []
        self._held = 0
        self._begun, self._after_return = False, False
        self.resumable = False

    def feed(self, piece: bytes, /) -> list[Line]:
        """Return the messages that end in this piece."""
        return self._messages(self._lines.feed(self._with_line_feeds(piece)))

    def finish(self) -> list[Line]:
        """Return the last message, if the stream ended without the line that ends an event."""
        last = self._lines.finish()
        return [*self._messages([] if last is None else [last]), *self._ended()]

    def _with_line_feeds(self, piece: bytes) -> bytes:
        """Return a piece whose lines end in a line feed alone: a return, or both, may stand there too."""
        ended = self._after_return and piece.startswith(b"\n")
        if piece:
            self._after_return = piece.endswith(b"\r")
        piece = piece[1:] if ended else piece
        return _MANY_ENDS.sub(b"\n\n", piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))

    def _messages(self, lines: list[Line]) -> list[Line]:
        return [message for line in lines for message in self._line(line)]

    def _line(self, line: Line) -> list[Line]:
        if line.data is None:
            return [*self._ended(), line]
        data = line.data if self._begun else line.data.removeprefix(_BYTE_ORDER_MARK)
        self._begun = True
        name, _, value = data.partition(b":")
        if name == b"data":
            self._event.append(replace(line, data=value))
            self._held += len(value) + LINE_COSTS
            return self._ended() if self._held > LINE_HELD else []
        self.resumable = self.resumable or (name == b"id" and bool(value.strip()))
        return [] if data else self._ended()

    def _ended(self) -> list[Line]:
        """Return the message of the event; of one that is none each line that is one, and what may have been one."""
        lines, self._event = self._event, []
        cut_off, self._held = self._held > LINE_HELD, 0
        whole = Line(
            data=b"\n".join(line.data or b"" for line in lines),
            length=sum(line.length for line in lines),
            shortened=any(line.shortened for line in lines),
        )
        if cut_off or _may_be_message(whole):
            return [whole]
        return [line for line in lines if _may_be_message(line)]


def _may_be_message(line: Line) -> bool:
    return line.message() is not None or line.is_beyond_reading
