"""The traffic of each MCP session over HTTP: an answer may come on another response than its request's."""

from collections import OrderedDict

from groundtrace.mcp_traffic import McpTraffic
from groundtrace.outcomes import FailureKind, failure_because
from groundtrace_app.mcp_proxy.call_log import CallLog, StreamLog
from groundtrace_app.mcp_proxy.moments import Moment, now

MOST_SESSIONS = 1_000
"""So many sessions are followed at once; the one that was quiet longest gives way, and its open calls end."""


class HttpTraffic:
    """What is open in one session, or in one exchange that belongs to none."""

    def __init__(self, log: StreamLog, /) -> None:
        """Begin with nothing open."""
        self.traffic = McpTraffic()
        self.log = log

    def end(self, why: str, at: Moment, /) -> None:
        """End what is open as a call whose result nobody kept."""
        self.log.take(self.traffic.ended(failure_because(FailureKind.NOT_RECORDED, why)), at)


class HttpSessions:
    """All sessions, by the id that the server gave them; used by the background thread alone."""

    def __init__(self, log: CallLog, /) -> None:
        """Begin with none."""
        self._log = log
        self._sessions: OrderedDict[bytes, HttpTraffic] = OrderedDict()

    def of(self, session: bytes | None, /) -> HttpTraffic:
        """Return the traffic of a session; without one, a traffic of its own."""
        if session is None:
            return HttpTraffic(self._log.of_one_stream())
        found = self._sessions.setdefault(session, HttpTraffic(self._log.of_one_stream()))
        self._sessions.move_to_end(session)
        if len(self._sessions) > MOST_SESSIONS:
            _, quiet = self._sessions.popitem(last=False)
            quiet.end("too many sessions were open at once, and this one was quiet longest", now())
        return found

    def ended(self, session: bytes, at: Moment, /) -> None:
        """End a session that its client has ended."""
        gone = self._sessions.pop(session, None)
        if gone is not None:
            gone.end("the session was ended before the answer came", at)

    def end_all(self) -> None:
        """End what is open everywhere."""
        while self._sessions:
            _, one = self._sessions.popitem()
            one.end("the proxy ended before the answer came", now())
