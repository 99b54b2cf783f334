"""A ChatService over the memory store, scripted models and canned tools: no model, no server, no network."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from groundtrace import outcomes
from groundtrace.coverage import ExpectedSource
from groundtrace.outcomes import Support
from groundtrace.problem import Problem
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace.roles import ToolSpec
from groundtrace.sources import Description
from groundtrace_adapters.models.script import Line, Role, Script, ScriptModel
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.chat import ChatService, Models, Progress, Turn, TurnRules
from groundtrace_app.chat.closing import KeepLater, TraceStore
from groundtrace_app.clock import Clock
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.tools.answer import EvidenceTool, ToolAnswer
from groundtrace_testing.watching_model import WatchingModel

CANARY = "CANARY-7f3a the primary failed over at 03:12"
PLAN_ONE = '{"calls": [{"tool": "query_logs", "params": {"pattern": "failover"}}]}'
NO_CALLS = '{"calls": []}'
KEY = bytes(range(32))

_open_sinks: list[QueueSink] = []
FOUND = outcomes.Success(support=Support.DIRECT, output="03:12 the primary failed over")


@dataclass(slots=True, kw_only=True)
class CannedTool:
    """An evidence tool that gives one prepared answer a call, the last one again and again."""

    name: str = "query_logs"
    outcomes_given: Sequence[outcomes.Outcome] = (FOUND,)
    raises: BaseException | None = None
    seconds: float = 0.0
    retrieves: bool = False
    calls: list[Mapping[str, object]] = field(default_factory=list)

    async def describe(self) -> ToolSpec:
        """Return a specification without a source."""
        return ToolSpec(name=self.name, purpose="canned", parameters={}, source=Description(name=self.name))

    async def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> ToolAnswer:
        """Give the next answer, late or not at all if so prepared."""
        self.calls.append(params)
        await asyncio.sleep(self.seconds)
        if self.raises is not None:
            raise self.raises
        given = self.outcomes_given[min(len(self.calls), len(self.outcomes_given)) - 1]
        return ToolAnswer(outcome=given, text=str(getattr(given, "output", None) or ""))


def verdict(word: str, *ids: str, **more: object) -> str:
    """Return a verifier's reply."""
    return json.dumps({"verdict": word, "confidence": 0.9, "evidence_ids": list(ids), "reasons": ["as shown"], **more})


@dataclass(slots=True, kw_only=True)
class Bench:
    """A chat service and what it left behind."""

    chat: ChatService
    store: MemoryStore
    sink: QueueSink
    model: WatchingModel

    def ask(self, question: str = "did the primary fail over at 03:12?", session_id: str = "s-1") -> Turn:
        """Ask from synchronous code and return the turn; a refused question fails the test."""
        answered = self.chat.answer_now(question, session_id=session_id)
        turn = answered.value_or(None)
        assert turn is not None, answered
        return turn

    def streamed(self, question: str = "did the primary fail over?") -> list[Progress | Turn | Problem]:
        """Return all that the stream yields."""

        async def collect() -> list[Progress | Turn | Problem]:
            return [step async for step in self.chat.stream(question, session_id="s-1")]

        return asyncio.run(collect())


def bench(
    *,
    planner: Sequence[Line | str] = (PLAN_ONE, NO_CALLS),
    executor: Sequence[Line | str] = (CANARY,),
    verifier: Sequence[Line | str] | None = (),
    tools: Sequence[EvidenceTool] | None = None,
    store: TraceStore | None = None,
    rules: TurnRules | None = None,
    clock: Clock | None = None,
    spool: Spool | None = None,
    later: KeepLater | None = None,
    expected: Sequence[ExpectedSource] | None = None,
) -> Bench:
    """Return a service whose roles play these lines; `verifier=None` switches verification off."""
    script = Script(
        lines={
            Role.PLANNER: [_line(one) for one in planner],
            Role.EXECUTOR: [_line(one) for one in executor],
            Role.VERIFIER: [_line(one) for one in verifier or ()],
        }
    )
    model = WatchingModel(ScriptModel(script))
    memory = MemoryStore()
    served = store or memory
    sink = QueueSink(served, spool=spool)
    _open_sinks.append(sink)
    recorder = ToolInvocationRecorder(sink, rules=RecordRules(redactor=Redactor(KEY)))
    chat = ChatService(
        models=Models(planner=model, executor=model, verifier=None if verifier is None else model),
        tools=[CannedTool()] if tools is None else tools,
        recorder=recorder,
        sink=sink,
        store=served,
        later=later,
        expected=expected,
        rules=rules or TurnRules(flush_seconds=2, verifier_retries=0),
        clock=clock,
    )
    return Bench(chat=chat, store=memory, sink=sink, model=model)


def close_benches() -> None:
    """Close the sinks of all benches made so far, without waiting for a store that hangs."""
    while _open_sinks:
        _open_sinks.pop().close(deadline=0.5)


def _line(given: Line | str) -> Line:
    return Line(text=given) if isinstance(given, str) else given
