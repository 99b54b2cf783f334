"""A Gate over the memory store and a scripted verifier: no model, no server, no network."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundtrace import outcomes
from groundtrace.coverage import ExpectedSource
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.outcomes import Support
from groundtrace.ports import LanguageModel
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace.small_talk import small_talk
from groundtrace_adapters.models.script import Line, Role, Script, ScriptModel
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.chat import Turn, TurnRules
from groundtrace_app.chat.closing import KeepLater, TraceStore
from groundtrace_app.gate import Gate, Talk
from groundtrace_testing.chat_bench import CANARY, KEY, verdict
from groundtrace_testing.watching_model import WatchingModel

QUESTION = "did the primary fail over at 03:12?"
ANSWER = f"{CANARY} because disk sdb was full"
FOUND = outcomes.Success(support=Support.DIRECT, output="03:12 the primary failed over: disk sdb was full")
PASS_E1 = verdict("PASS", "e1")
QUICK = TurnRules(verifier_seconds=0.3, turn_seconds=5, flush_seconds=0.5, verifier_retries=0)

_open_sinks: list[QueueSink] = []


@dataclass(slots=True, kw_only=True)
class GateBench:
    """A gate and what it left behind."""

    gate: Gate
    store: MemoryStore
    sink: QueueSink
    model: WatchingModel

    def record(
        self, *given: outcomes.Outcome, session_id: str = "s-1", turn_id: str | None = "t-1", tool: str = "query_logs"
    ) -> None:
        """Record one call for each outcome."""
        for outcome in given:
            opened = self.gate.recorder.open(tool, {"pattern": "failover"}, session_id=session_id, turn_id=turn_id)
            self.gate.recorder.record(opened, outcome)

    def check(self, answer: str | None = ANSWER, *, question: str = QUESTION, turn_id: str | None = "t-1") -> Turn:
        """Check an answer from synchronous code."""
        return self.gate.check_now(question, answer, session_id="s-1", turn_id=turn_id)

    def rows(self, session_id: str = "s-1") -> tuple[Invocation, ...]:
        """Return the stored rows of a session."""
        self.sink.flush(session_id, deadline=5)
        return self.store.rows(session_id).unwrap()

    def evaluations(self, session_id: str = "s-1") -> tuple[Evaluation, ...]:
        """Return the stored evaluations of a session."""
        return self.store.evaluations(session_id).unwrap()


def gate_bench(
    *,
    verifier: Sequence[Line | str] | None = (PASS_E1,),
    store: TraceStore | None = None,
    rules: TurnRules = QUICK,
    spool: Spool | None = None,
    later: KeepLater | None = None,
    expected: Sequence[ExpectedSource] = (),
    own: LanguageModel | None = None,
    talk: Talk = small_talk,
) -> GateBench:
    """Return a gate whose verifier gives these replies; None switches verification off, `own` takes its place."""
    lines = [Line(text=one) if isinstance(one, str) else one for one in verifier or ()]
    model = WatchingModel(own or ScriptModel(Script(lines={Role.VERIFIER: lines})))
    memory = MemoryStore()
    sink = QueueSink(store or memory, spool=spool)
    _open_sinks.append(sink)
    gate = Gate(
        store=store or memory,
        sink=sink,
        record=RecordRules(redactor=Redactor(KEY)),
        verifier=None if verifier is None else model,
        rules=rules,
        expected=expected,
        later=later,
        talk=talk,
    )
    return GateBench(gate=gate, store=memory, sink=sink, model=model)


def close_gate_benches() -> None:
    """Close the sinks of all benches made so far."""
    while _open_sinks:
        _open_sinks.pop().close(deadline=0.5)
