"""From calls that were opened and ended in the traffic to rows, by way of the recorder."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from groundtrace.encoding import FrozenParams, freeze_params
from groundtrace.invocation import NAME_CHARACTERS, ToolCall
from groundtrace.json_text import short_text
from groundtrace.mcp_traffic import CallEnded, CallOpened, Event
from groundtrace.text import clean
from groundtrace_app.clock import IdMaker
from groundtrace_app.mcp_proxy.moments import Moment
from groundtrace_app.recorder import ToolInvocationRecorder

Details: TypeAlias = Mapping[str, object]
_ID_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    id: str
    seq: int
    tool: str
    params: FrozenParams
    details: Details
    at: Moment


class CallLog:
    """The rows of one session; `server` names the server before each tool, where there are several."""

    def __init__(self, recorder: ToolInvocationRecorder, /, *, session_id: str, server: str | None = None) -> None:
        """Record into a session that may hold rows of others."""
        self._recorder = recorder
        self._session_id = session_id
        self._server = server
        self._ids = IdMaker()
        self._positions = itertools.count(1)

    def of_one_stream(self) -> "StreamLog":
        """Return the log of one stream of messages, in which calls are numbered."""
        return StreamLog(self)

    def begun(self, opened: CallOpened, at: Moment, /) -> _Begun:
        """Fix a call's id, position and parameters."""
        name = clean(opened.tool if self._server is None else f"{self._server}/{opened.tool}")
        return _Begun(
            id=self._ids.id_at(at.at),
            seq=next(self._positions),
            tool=name[:NAME_CHARACTERS],
            params=freeze_params(opened.params),
            details=_details(opened),
            at=at,
        )

    def record(self, begun: _Begun, ended: CallEnded, at: Moment, /) -> None:
        """Hand one ended call to the recorder."""
        call = ToolCall(
            session_id=self._session_id,
            id=begun.id,
            tool_name=begun.tool,
            input_params=begun.params,
            started_at=begun.at.at,
            duration_ms=at.milliseconds_since(begun.at),
            seq=begun.seq,
            details=begun.details,
        )
        self._recorder.record(call, ended.outcome)


class StreamLog:
    """The calls under way in one stream of messages."""

    def __init__(self, log: CallLog, /) -> None:
        """Begin with none."""
        self._log = log
        self._under_way: dict[int, _Begun] = {}

    def take(self, events: Iterable[Event], at: Moment, /) -> None:
        """Take what happened in the traffic at one moment."""
        for event in events:
            match event:
                case CallOpened():
                    self._under_way[event.call] = self._log.begun(event, at)
                case CallEnded():
                    self._log.record(self._under_way.pop(event.call), event, at)
                case _:
                    assert_never(event)


def _details(opened: CallOpened) -> Details:
    id = opened.request_id
    shown = short_text(id, _ID_SHOWN) if isinstance(id, str) else id
    unseen = {"request_unseen": list(opened.unseen)} if opened.unseen else {}
    return {"recorded_by": "mcp-proxy", "request_id": shown, **unseen}
