"""One request and its response over HTTP, read behind the traffic: a message in, one or many messages back."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.mcp_traffic import CallEnded, CallOpened
from groundtrace.mcp_traffic_lines import Line, Lines
from groundtrace.outcomes import FailureKind, Outcome, failure_because
from groundtrace.shapes.http_status import kind_of_status
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.mcp_proxy.background import Background
from groundtrace_app.mcp_proxy.http_sessions import HttpSessions, HttpTraffic
from groundtrace_app.mcp_proxy.moments import Moment, now
from groundtrace_app.mcp_proxy.sse import EventStream
from groundtrace_app.mcp_proxy.unzipping import Unzipped

Headers = Mapping[bytes, bytes]

_log = CarefulLog("groundtrace.mcp_proxy")


class Exchange:
    """Told by the event loop what passes, before it is handed on; reads it in the background thread."""

    def __init__(self, background: Background, sessions: HttpSessions, method: str, headers: Headers, /) -> None:
        """Begin with the request's head."""
        self._background = background
        self._sessions = sessions
        self._method = method
        self._session = headers.get(b"mcp-session-id")
        self._asked, self._answer = Lines(), Lines()
        self._events: EventStream | None = None
        self._asked_plain, self._answer_plain = Unzipped(headers), Unzipped({})
        self._status = 0
        self._waiting: list[JsonValue] = []
        self._missed = False
        self._place: HttpTraffic | None = None

    def asked(self, piece: bytes, /, *, last: bool) -> None:
        """Take a piece of the request's body."""
        at = now()
        self._put(lambda: self._read_asked(piece, at, last=last), weight=len(piece))

    def answered(self, status: int, headers: Headers, /) -> None:
        """Take the response's head."""
        self._put(lambda: self._read_head(status, headers))

    def answer(self, piece: bytes, /) -> None:
        """Take a piece of the response's body."""
        at = now()
        self._put(lambda: self._read_answer(piece, at), weight=len(piece))

    def ended(self, broken: Outcome | None = None, /) -> None:
        """End the exchange: whole, or `broken` off, which then is what its calls amount to."""
        at = now()
        self._put(lambda: self._end(broken, at))

    def _put(self, work: Callable[[], None], *, weight: int = 0) -> None:
        self._missed = not self._background.put(work, weight=weight) or self._missed

    @property
    def _traffic(self) -> HttpTraffic:
        if self._place is None:
            self._place = self._sessions.of(self._session)
        return self._place

    def _read_asked(self, piece: bytes, at: Moment, *, last: bool) -> None:
        for plain in self._asked_plain.feed(piece):
            self._asked.feed_whole(plain)
        if last and not self._asked_plain.is_readable:
            _log.error("a request in an encoding that cannot be read was handed on, and is not recorded")
        line = self._asked.finish() if last else None
        if line is not None:
            events = self._traffic.traffic.client_sent(line.message(), marks=line.marks())
            self._waiting += [event.request_id for event in events if isinstance(event, CallOpened)]
            self._traffic.log.take(events, at)

    def _read_head(self, status: int, headers: Headers) -> None:
        self._status = status
        if headers.get(b"content-type", b"").lower().startswith(b"text/event-stream"):
            self._events = EventStream()
        self._answer_plain = Unzipped(headers)
        self._missed = self._missed or not self._answer_plain.is_readable

    def _read_answer(self, piece: bytes, at: Moment) -> None:
        for plain in self._answer_plain.feed(piece):
            if self._events is None:
                self._answer.feed_whole(plain)
            else:
                self._take(self._events.feed(plain), at)
        self._missed = self._missed or not self._answer_plain.is_readable

    def _take(self, lines: list[Line], at: Moment) -> None:
        for line in lines:
            message = line.message()
            self._missed = self._missed or message is None
            ended = self._traffic.traffic.server_sent(message, marks=line.marks())
            self._traffic.log.take(map(self._as_status_says, ended), at)

    def _as_status_says(self, ended: CallEnded) -> CallEnded:
        """Return a call's end with the kind that the status gives its failure: codes of errors mean many things."""
        kind = kind_of_status(self._status)
        if kind is None or not isinstance(ended.outcome, outcomes.Failure):
            return ended
        return replace(ended, outcome=failure_because(kind, ended.outcome.message))

    def _end(self, broken: Outcome | None, at: Moment) -> None:
        whole = self._answer.finish()
        last = ([] if whole is None else [whole]) if self._events is None else self._events.finish()
        if self._waiting or self._events is not None:
            self._take(last, at)
        goes_on = self._events is not None and self._events.resumable and self._session is not None
        if not goes_on or self._missed:
            outcome = self._without_answer(broken)
            for id in self._waiting:
                self._traffic.log.take(self._traffic.traffic.request_ended(id, outcome), at)
        if self._method == "DELETE" and self._session is not None and 200 <= self._status < 300:
            self._sessions.ended(self._session, at)

    def _without_answer(self, broken: Outcome | None) -> Outcome:
        """Return what a call amounts to whose answer was not in the response."""
        if broken is not None:
            return broken
        if self._status >= 400:
            kind = kind_of_status(self._status) or FailureKind.ERROR
            return failure_because(kind, f"the server answered with HTTP status {self._status}")
        if self._missed:
            why = "an answer passed that could not be read: it was too long, too quick or in an unknown encoding"
            return failure_because(FailureKind.NOT_RECORDED, why)
        if self._status == 202:
            return failure_because(FailureKind.NOT_RECORDED, "the answer was to come on another connection")
        why = f"the response ended without an answer (HTTP status {self._status})"
        return failure_because(FailureKind.UNAVAILABLE, why)
