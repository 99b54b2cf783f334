"""Copies of both directions of one connection, read behind the traffic: pieces of bytes in, rows out."""

from enum import StrEnum

from groundtrace.mcp_traffic import McpTraffic
from groundtrace.mcp_traffic_lines import Line, Lines
from groundtrace.outcomes import FailureKind, Outcome, failure_because
from groundtrace_app.mcp_proxy.background import Background
from groundtrace_app.mcp_proxy.call_log import StreamLog
from groundtrace_app.mcp_proxy.moments import Moment, now


class Side(StrEnum):
    """Who wrote."""

    CLIENT = "client"
    SERVER = "server"


class Watch:
    """One connection. `saw` may be called from one thread a side and returns at once."""

    def __init__(self, background: Background, log: StreamLog, /) -> None:
        """Watch a connection on which nothing passed yet."""
        self._background = background
        self._log = log
        self._traffic = McpTraffic()
        self._lines = {side: Lines() for side in Side}
        self._gap = dict.fromkeys(Side, False)
        self._unread = 0

    def saw(self, side: Side, piece: bytes, /) -> None:
        """Take a copy of what one side wrote, before it is handed on; the bytes are shared, not copied."""
        at, gap = now(), self._gap[side]
        took = self._background.put(lambda: self._read(side, piece, at, after_gap=gap), weight=len(piece))
        self._gap[side] = not took

    def ended(self, outcome: Outcome, /) -> None:
        """End the calls that are open: no answer can come any more."""
        at = now()
        self._background.put(lambda: self._end(outcome, at))

    def _read(self, side: Side, piece: bytes, at: Moment, *, after_gap: bool) -> None:
        if after_gap:
            self._lines[side].gap()
            self._unread += side is Side.SERVER
        for line in self._lines[side].feed(piece):
            self._read_line(side, line, at)

    def _read_line(self, side: Side, line: Line, at: Moment) -> None:
        message = line.message()
        if side is Side.CLIENT:
            self._log.take(self._traffic.client_sent(message, marks=line.marks()), at)
        else:
            self._unread += message is None and line.is_beyond_reading
            self._log.take(self._traffic.server_sent(message, marks=line.marks()), at)

    def _end(self, outcome: Outcome, at: Moment) -> None:
        for side, lines in self._lines.items():
            last = lines.finish()
            if last is not None:
                self._read_line(side, last, at)
        if self._unread:
            why = "an answer may have passed that could not be read: it was too long, or too much passed at once"
            outcome = failure_because(FailureKind.NOT_RECORDED, why)
        self._log.take(self._traffic.ended(outcome), at)
