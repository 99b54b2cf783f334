"""The messages in a stream of server-sent events, and whether the stream can be taken up again."""

from groundtrace.mcp_traffic_lines import LINE_HELD, Line, Lines


class EventStream:
    """One response under way; several `data` lines of one event are one message."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self._lines = Lines()
        self._pending = b""
        self.resumable = False

    def feed(self, piece: bytes, /) -> list[Line]:
        """Return the messages that end in this piece."""
        return self._messages(self._lines.feed(piece))

    def finish(self) -> list[Line]:
        """Return the last message, if the stream ended without a line feed behind it."""
        last = self._lines.finish()
        return [] if last is None else self._messages([last])

    def _messages(self, lines: list[Line]) -> list[Line]:
        return [found for line in lines if (found := self._message(line)) is not None]

    def _message(self, line: Line) -> Line | None:
        if line.data is None:
            return line
        name, _, value = line.data.rstrip(b"\r").partition(b":")
        if name != b"data":
            self._pending = b""
            self.resumable = self.resumable or (name == b"id" and bool(value.strip()))
            return None
        whole = self._pending + value
        read = Line(data=whole, length=line.length, shortened=line.shortened)
        unfinished = read.message() is None and len(whole) < LINE_HELD
        self._pending = whole + b"\n" if unfinished else b""
        return None if unfinished else read
