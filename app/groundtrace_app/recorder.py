"""ToolInvocationRecorder: the one place in the application from which rows come (DESIGN section 4).

A thin shell over `groundtrace.recording`: it reads the clock, gives out ids and positions, and hands rows to the sink.
Recording never changes or breaks a call, and is never silent. Around callables it is `wrapping`.
"""

import itertools
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from groundtrace import outcomes
from groundtrace.encoding import FrozenParams, freeze_params
from groundtrace.invocation import SESSION_CHARACTERS, ToolCall
from groundtrace.pending import PendingRow, pending, pending_retrieval
from groundtrace.ports import Receipt, RowSink
from groundtrace.recording import RecordRules
from groundtrace.retrieval import Retrieval
from groundtrace.text import clean, is_blank
from groundtrace_adapters.forking import call_in_child
from groundtrace_app.clock import Clock, SystemClock

SESSIONS_COUNTED = 10_000
"""Positions are kept for so many sessions; one that comes back later starts at 1 again and is ordered by time."""

_log = logging.getLogger("groundtrace.recorder")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """A call that has begun: its id and its parameters as they were then, whatever the tool does to them."""

    id: str
    session_id: str
    turn_id: str | None
    seq: int
    tool_name: str
    input_params: FrozenParams
    topic_domain: str | None
    scope: str | None
    started_at: datetime
    started: float


class ToolInvocationRecorder:
    """Records calls: `open` before the call, `record` or `record_retrieval` once its outcome is known."""

    def __init__(self, sink: RowSink, /, *, rules: RecordRules, clock: Clock | None = None) -> None:
        """Record into `sink` under `rules` (redaction key, topic policy)."""
        self._sink = sink
        self._rules = rules
        self._clock = clock or SystemClock()
        self._positions: OrderedDict[str, itertools.count[int]] = OrderedDict()
        self._lock = threading.RLock()
        call_in_child(self._free_lock)

    @property
    def rules(self) -> RecordRules:
        """Return the rules under which rows are built."""
        return self._rules

    def open(
        self,
        tool_name: str,
        params: object,
        /,
        *,
        session_id: str,
        turn_id: str | None = None,
        topic_domain: str | None = None,
        scope: str | None = None,
    ) -> OpenCall:
        """Begin a call: fix its id, time, position and parameters. Never raises.

        A session id that cannot be stored becomes a session of its own, so that strangers never share one.
        """
        call_id = self._clock.new_id()
        session = _session(session_id, call_id)
        return OpenCall(
            id=call_id,
            session_id=session,
            turn_id=turn_id,
            seq=self._position(session),
            tool_name=clean(tool_name) if not is_blank(tool_name) else "unnamed",
            input_params=freeze_params(params),
            topic_domain=topic_domain,
            scope=scope,
            started_at=self._clock.now(),
            started=self._clock.monotonic(),
        )

    def record(self, call: ToolCall | OpenCall, outcome: outcomes.Outcome, /) -> Receipt | None:
        """Hand a finished call to the sink and return its receipt at once; None if that failed, which is reported.

        Only what could still change is read here; the row is built, and its secrets removed, behind the caller's back
        or when the receipt is asked for it.
        """
        return self._keep(call, lambda finished: pending(finished, outcome, rules=self._rules))

    def record_retrieval(
        self, call: ToolCall | OpenCall, retrieval: Retrieval | None, outcome: outcomes.Outcome, /
    ) -> Receipt | None:
        """Record a retrieval-aware call; `retrieval` is None when it failed before the search."""
        return self._keep(call, lambda finished: pending_retrieval(finished, retrieval, outcome, rules=self._rules))

    def _keep(self, call: ToolCall | OpenCall, still: Callable[[ToolCall], PendingRow]) -> Receipt | None:
        try:
            return self._sink.put(still(call if isinstance(call, ToolCall) else self._finished(call)))
        except Exception as fault:  # noqa: BLE001 - recording never breaks the call that it records
            _log.error("call %s of session %r was not recorded: %s", call.id, call.session_id, type(fault).__name__)
            return None

    def _finished(self, call: OpenCall) -> ToolCall:
        elapsed = self._clock.monotonic() - call.started
        return ToolCall(
            session_id=call.session_id,
            id=call.id,
            tool_name=call.tool_name,
            input_params=call.input_params,
            started_at=call.started_at,
            duration_ms=max(0, round(elapsed * 1_000)),
            turn_id=call.turn_id,
            seq=call.seq,
            topic_domain=call.topic_domain,
            scope=call.scope,
        )

    def _position(self, session_id: str) -> int:
        with self._lock:
            counter = self._positions.setdefault(session_id, itertools.count(1))
            self._positions.move_to_end(session_id)
            if len(self._positions) > SESSIONS_COUNTED:
                self._positions.popitem(last=False)
            return next(counter)

    def _free_lock(self) -> None:
        self._lock = threading.RLock()


def _session(session_id: object, call_id: str) -> str:
    # Whatever a caller's function may have given in place of a text is no session either.
    cleaned = clean(session_id) if isinstance(session_id, str) else ""
    if not is_blank(cleaned) and len(cleaned) <= SESSION_CHARACTERS:
        return cleaned
    _log.error("a session id of %d characters cannot be stored; the call is kept under its own id", len(cleaned))
    return f"unassigned-{call_id}"
