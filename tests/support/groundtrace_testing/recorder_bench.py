"""A recorder over the memory store, and what it left there: no model, no server, no network, no spool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from groundtrace.invocation import Invocation
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.recorded import recorded
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.settable_clock import SettableClock

SESSION = "acme/outage"
RULES = RecordRules(redactor=Redactor(bytes(range(32))))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderBench:
    """A recorder, its clock, and the store that its rows go to."""

    memory: MemoryStore
    store: MoodyStore
    sink: QueueSink
    clock: SettableClock
    recorder: ToolInvocationRecorder

    def rows(self, session_id: str = SESSION) -> list[Invocation]:
        """Return what is persisted of a session, once all that was put is."""
        self.sink.flush(session_id, deadline=5)
        return list(self.memory.rows(session_id).unwrap())

    def row(self) -> Invocation:
        """Return the one row of the session; another number of rows fails the test."""
        (row,) = self.rows()
        return row

    def wrapped(self, tool: Callable[..., Any], /, **options: Any) -> Callable[..., Any]:
        """Return a tool recorded in the session."""
        return recorded(tool, recorder=self.recorder, session_id=SESSION, **options)

    def close(self) -> None:
        """Let the sink end."""
        self.store.mood = Mood.WORKS
        self.sink.close(deadline=5)


def recorder_bench() -> RecorderBench:
    """Return a bench with nothing recorded yet."""
    memory, clock = MemoryStore(), SettableClock()
    store = MoodyStore(memory)
    sink = QueueSink(store, spool=None)
    recorder = ToolInvocationRecorder(sink, rules=RULES, clock=clock)
    return RecorderBench(memory=memory, store=store, sink=sink, clock=clock, recorder=recorder)
