"""The messages in a stream of server-sent events, and whether the stream can be taken up again."""

from groundtrace.mcp_traffic_lines import LINE_HELD, Line, Lines

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EventStream:
    """One response under way; several `data` lines of one event are one message."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self._lines = Lines()
        self._pending = b""
        self._begun, self._after_return = False, False
        self.resumable = False

    def feed(self, piece: bytes, /) -> list[Line]:
        """Return the messages that end in this piece."""
        return self._messages(self._lines.feed(self._with_line_feeds(piece)))

    def finish(self) -> list[Line]:
        """Return the last message, if the stream ended without a line feed behind it."""
        last = self._lines.finish()
        return [] if last is None else self._messages([last])

    def _with_line_feeds(self, piece: bytes) -> bytes:
        """Return a piece whose lines end in a line feed alone: a return, or both, may stand there too."""
        ended = self._after_return and piece.startswith(b"\n")
        if piece:
            self._after_return = piece.endswith(b"\r")
        piece = piece[1:] if ended else piece
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _messages(self, lines: list[Line]) -> list[Line]:
        return [found for line in lines if (found := self._message(line)) is not None]

    def _message(self, line: Line) -> Line | None:
        if line.data is None:
            return line
        data = line.data if self._begun else line.data.removeprefix(_BYTE_ORDER_MARK)
        self._begun = True
        name, _, value = data.partition(b":")
        if name != b"data":
            self._pending = b""
            self.resumable = self.resumable or (name == b"id" and bool(value.strip()))
            return None
        whole = self._pending + value
        read = Line(data=whole, length=line.length, shortened=line.shortened)
        unfinished = read.message() is None and len(whole) < LINE_HELD
        self._pending = whole + b"\n" if unfinished else b""
        return None if unfinished else read
