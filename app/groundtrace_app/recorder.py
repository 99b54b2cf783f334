"""ToolInvocationRecorder: the one place in the application from which rows come (DESIGN section 4).

A thin shell over `groundtrace.recording`: it reads the clock, gives out ids and positions, and hands rows to the sink.
Recording never changes or breaks a call, and is never silent. Around callables it is `wrapping`.
"""

import itertools
import threading
from collections import OrderedDict
from functools import lru_cache
from typing import NamedTuple

from groundtrace import outcomes
from groundtrace.encoding import freeze_params
from groundtrace.invocation import SESSION_CHARACTERS, ToolCall
from groundtrace.pending_row import BegunCall, pending, pending_end, pending_retrieval, pending_retrieval_end
from groundtrace.ports import Receipt, RowSink
from groundtrace.recording import RecordRules
from groundtrace.retrieval import Retrieval
from groundtrace.text import clean, is_blank
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.forking import call_in_child
from groundtrace_app.clock import Clock, SystemClock

SESSIONS_COUNTED = 10_000
"""Positions are kept for so many sessions; one that comes back later starts at 1 again and is ordered by time."""

TOOLS_KEPT = 256
"""So many names of tools are kept as they are stored."""

_log = CarefulLog("groundtrace.recorder")


class OpenCall(NamedTuple):
    """A call under way: how it began, whatever the tool does to its parameters since, and when (monotonic)."""

    begun: BegunCall
    started: float

    @property
    def id(self) -> str:
        """Return the call's id."""
        return self.begun.id

    @property
    def session_id(self) -> str:
        """Return the session that the call is kept under."""
        return self.begun.session_id


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
        session, seq = self._position(session_id, call_id)
        name = _tool_name(tool_name)
        params = freeze_params(params)
        begun = BegunCall(session, call_id, turn_id, seq, name, topic_domain, scope, params, self._clock.now())
        return OpenCall(begun, self._clock.monotonic())

    def record(self, call: ToolCall | OpenCall, outcome: outcomes.Outcome, /) -> Receipt | None:
        """Hand a finished call to the sink and return its receipt at once; None if that failed, which is reported.

        Only what could still change is read here; the row is built, and its secrets removed, behind the caller's back
        or when the receipt is asked for it.
        """
        try:
            if isinstance(call, ToolCall):
                return self._sink.put(pending(call, outcome, rules=self._rules))
            lasted = self._since(call)
            return self._sink.put(pending_end(call.begun, outcome, duration_ms=lasted, rules=self._rules))
        except Exception as fault:  # noqa: BLE001 - recording never breaks the call that it records
            _not_recorded(call, fault)
            return None

    def record_retrieval(
        self, call: ToolCall | OpenCall, retrieval: Retrieval | None, outcome: outcomes.Outcome, /
    ) -> Receipt | None:
        """Record a retrieval-aware call; `retrieval` is None when it failed before the search."""
        try:
            if isinstance(call, ToolCall):
                return self._sink.put(pending_retrieval(call, retrieval, outcome, rules=self._rules))
            lasted = self._since(call)
            ended = pending_retrieval_end(call.begun, retrieval, outcome, duration_ms=lasted, rules=self._rules)
            return self._sink.put(ended)
        except Exception as fault:  # noqa: BLE001 - recording never breaks the call that it records
            _not_recorded(call, fault)
            return None

    def _since(self, call: OpenCall) -> int:
        return max(0, round((self._clock.monotonic() - call.started) * 1_000))

    def _position(self, session_id: str, call_id: str) -> tuple[str, int]:
        """Return the session to be kept under, and the call's position in it."""
        with self._lock:
            counter = self._positions.get(session_id) if type(session_id) is str else None
            if counter is None:
                session_id = _session(session_id, call_id)
                counter = self._positions.setdefault(session_id, itertools.count(1))
                if len(self._positions) > SESSIONS_COUNTED:
                    self._positions.popitem(last=False)
            self._positions.move_to_end(session_id)
            return session_id, next(counter)

    def _free_lock(self) -> None:
        self._lock = threading.RLock()


@lru_cache(TOOLS_KEPT)
def _tool_name(tool_name: str) -> str:
    return clean(tool_name) if not is_blank(tool_name) else "unnamed"


def _not_recorded(call: ToolCall | OpenCall, fault: Exception) -> None:
    _log.error("call %s of session %r was not recorded: %s", call.id, call.session_id, type(fault).__name__)


def _session(session_id: object, call_id: str) -> str:
    # Whatever a caller's function may have given in place of a text is no session either.
    cleaned = clean(session_id) if isinstance(session_id, str) else ""
    if not is_blank(cleaned) and len(cleaned) <= SESSION_CHARACTERS:
        return cleaned
    _log.error("a session id of %d characters cannot be stored; the call is kept under its own id", len(cleaned))
    return f"unassigned-{call_id}"
