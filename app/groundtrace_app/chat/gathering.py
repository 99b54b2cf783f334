"""The first half of a turn: ask the planner for calls, run them through the recorder, until enough is seen."""

import asyncio
from collections.abc import Sequence

from groundtrace import outcomes
from groundtrace.invocation import row_order
from groundtrace.outcomes import FailureKind
from groundtrace.plan import PlannedCall, parse_plan
from groundtrace.problem import Problem
from groundtrace.roles import ModelReply, PlanRequest, Shown, ToolSpec
from groundtrace.verdict import Cause
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.chat.asking import ask
from groundtrace_app.chat.calling import CallRunner
from groundtrace_app.chat.course import Course
from groundtrace_app.chat.offering import offer
from groundtrace_app.chat.turn import (
    HELD_A_CALL,
    HELD_A_TURN,
    Done,
    Gathered,
    Models,
    Progress,
    Setting,
    Stage,
    TurnRules,
)
from groundtrace_app.clock import Clock
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.tools.answer import EvidenceTool

_log = CarefulLog("groundtrace.chat")


class Gatherer:
    """Plans and runs the calls of turns; holds nothing between them."""

    def __init__(
        self,
        *,
        models: Models,
        tools: Sequence[EvidenceTool],
        recorder: ToolInvocationRecorder,
        rules: TurnRules,
        clock: Clock,
    ) -> None:
        """Gather with these tools; each call leaves one row through `recorder`."""
        self._models = models
        self._tools = tuple(tools)
        self._runner = CallRunner(tools, recorder)
        self._redactor = recorder.rules.redactor
        self._rules = rules
        self._clock = clock

    async def gather(self, setting: Setting, course: Course, /) -> Gathered:
        """Return what the planned calls gave; a planner that fails ends it, and the fault says so.

        `course` is given each call as it ends.
        """
        gathered = Gathered()
        specs = await offer(self._tools, redactor=self._redactor, seconds=self._rules.tool_seconds)
        for step in range(1, self._rules.max_steps + 1):
            if self._left(setting) <= 0:
                return _broken(gathered, Cause.BUDGET_SPENT)
            course.tell(Progress(stage=Stage.PLAN, detail=f"step {step}"))
            calls = await self._plan(setting, specs, gathered, step)
            if calls is None:
                return _broken(gathered, Cause.PLANNER_FAILED)
            if not calls:
                return gathered
            room = self._rules.max_calls - len(gathered.calls)
            gathered = _joined(gathered, await self._run_together(calls[:room], setting, gathered, course))
            if len(calls) > room:
                return _joined(gathered, self._refuse(calls[room:], setting, course))
        return gathered

    def _left(self, setting: Setting) -> float:
        return setting.until - self._clock.monotonic()

    async def _plan(
        self, setting: Setting, specs: Sequence[ToolSpec], gathered: Gathered, step: int
    ) -> tuple[PlannedCall, ...] | None:
        request = PlanRequest(
            question=setting.question,
            now=self._clock.now(),
            tools=tuple(specs),
            history=setting.history,
            seen=shown_of(gathered.calls),
            step=step,
        )
        reply = await ask(self._models.planner, request, seconds=self._left(setting))
        return reply.map(_calls).value_or(None)

    async def _run_together(
        self, calls: Sequence[PlannedCall], setting: Setting, gathered: Gathered, course: Course
    ) -> tuple[Done, ...]:
        held = sum(len(done.text) for done in gathered.calls if done.whole)
        room = min(HELD_A_CALL, max(0, HELD_A_TURN - held) // max(1, len(calls)))
        return tuple(await asyncio.gather(*(self._run(call, setting, room, course) for call in calls)))

    def _refuse(self, calls: Sequence[PlannedCall], setting: Setting, course: Course) -> tuple[Done, ...]:
        """Record calls beyond the turn's limit as denied: they are seen in the trace and among the next steps."""
        words = f"not made: a turn makes at most {self._rules.max_calls} calls"
        refusal = outcomes.failure_because(FailureKind.DENIED, words)
        refused = tuple(
            self._runner.refuse(call, refusal, session_id=setting.session_id, turn_id=setting.turn_id) for call in calls
        )
        for done in refused:
            course.keep(done)
        return refused

    async def _run(self, call: PlannedCall, setting: Setting, held: int, course: Course) -> Done:
        course.tell(Progress(stage=Stage.CALL, detail=call.tool))
        done = await self._runner.run(
            call,
            session_id=setting.session_id,
            turn_id=setting.turn_id,
            seconds=min(self._rules.tool_seconds, self._left(setting)),
            held=held,
            keep=course.keep,
        )
        course.tell(Progress(stage=Stage.RESULT, detail=f"{call.tool}: {outcomes.kind_of(done.outcome)}"))
        return done


def shown_of(calls: Sequence[Done], /) -> tuple[Shown, ...]:
    """Return the recorded calls as rows under labels, in the order of rows; the rest of a Shown is not known yet."""
    recorded = [(done.row, done) for done in calls if done.row is not None]
    recorded.sort(key=lambda pair: row_order(pair[0]))
    return tuple(
        Shown(label=f"e{number}", row=row, text=done.text, whole=done.whole)
        for number, (row, done) in enumerate(recorded, start=1)
    )


def _calls(reply: ModelReply) -> tuple[PlannedCall, ...] | None:
    return parse_plan(reply.text).alt(_tell).value_or(None)


def _tell(problem: Problem) -> Problem:
    """Say what is wrong with a plan; the problem names places and forms, never what the model wrote."""
    _log.warning("the planner failed: %s", problem.line())
    return problem


def _joined(gathered: Gathered, calls: Sequence[Done]) -> Gathered:
    return Gathered(calls=(*gathered.calls, *calls))


def _broken(gathered: Gathered, cause: Cause) -> Gathered:
    return Gathered(calls=gathered.calls, fault=cause)
