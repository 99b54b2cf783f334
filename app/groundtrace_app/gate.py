"""Gate: verifies an answer that somebody else drafted, over the calls that are recorded of its turn (DESIGN section 8).

It does what a turn of ChatService does after the draft, with the same parts: barrier, evidence, verification, decision,
one evaluation, and the reply in its shape. The agent, its model and its tools stay whose they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from returns import result
from returns.result import Result

from groundtrace.coverage import Covered, ExpectedSource
from groundtrace.invocation import Invocation
from groundtrace.next_steps import NO_OPTIONS, NextStep, Options, suggest_steps
from groundtrace.ports import LanguageModel, RowSink, Telemetry
from groundtrace.recording import RecordRules
from groundtrace.small_talk import small_talk
from groundtrace.text import clean, cut, is_blank
from groundtrace.verdict import Cause
from groundtrace_adapters.models.rules import RulesModel
from groundtrace_app.chat.closing import Closer, KeepLater, TraceStore
from groundtrace_app.chat.course import Course
from groundtrace_app.chat.drafting import whole_draft
from groundtrace_app.chat.ending import Ending
from groundtrace_app.chat.evidence import Evidence, EvidenceDesk, in_thread
from groundtrace_app.chat.outliving import Outliving
from groundtrace_app.chat.remembering import RememberingRecorder, TurnMemory, done_of, stored_turn_id
from groundtrace_app.chat.service import session_problem
from groundtrace_app.chat.turn import QUESTION_CHARACTERS, Gathered, Progress, Reach, Setting, Turn, TurnRules, Watcher
from groundtrace_app.chat.verifying import Judge
from groundtrace_app.clock import Clock, SystemClock
from groundtrace_app.loop import run_now
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.trace import Trace
from groundtrace_app.trace_summary import ToolTraceSummaryService

NO_QUESTION = "(no question was given)"

Talk: TypeAlias = Callable[[str], str | None]
"""Gives the fixed text for a whole question that needs no evidence, such as a greeting; None for any other."""

_OUR_COMMAND = "groundtrace call "


def _nobody(_: Progress) -> None:
    """Watch nothing."""


class Gate:
    """Lets an answer out as far as the recorded calls of its turn carry it; one for all sessions, from any thread.

    `recorder` is the way to record: calls made through it are read back whole, and with those that other processes
    recorded under the same session and turn.
    """

    def __init__(
        self,
        *,
        store: TraceStore,
        sink: RowSink,
        record: RecordRules,
        verifier: LanguageModel | None,
        rules: TurnRules | None = None,
        expected: Sequence[ExpectedSource] = (),
        options: Options = NO_OPTIONS,
        later: KeepLater | None = None,
        talk: Talk = small_talk,
        telemetry: Telemetry | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Verify by `verifier` (None: nothing passes) under `rules`, of which `verifier_seconds` and the like count.

        `expected` are sources that could have been asked, for what was never asked. `options` are by tool what
        `groundtrace call` needs to reach it; a next step names the other tools by themselves. `later` keeps an
        evaluation that the store does not take. `talk` gives the fixed text for a question that needs no evidence.
        `telemetry` is told each decision.
        """
        self._talk = talk
        self._rules = rules or TurnRules()
        self._clock = clock or SystemClock()
        self._memory = TurnMemory()
        self._recorder = RememberingRecorder(sink, self._memory, rules=record, clock=self._clock)
        self._redactor = record.redactor
        judge = Judge(verifier, rules=self._rules, clock=self._clock)
        desk = EvidenceDesk(
            sink=sink,
            traces=ToolTraceSummaryService(store),
            expected=expected,
            flush_seconds=self._rules.flush_seconds,
            now=self._clock.now,
        )
        closer = Closer(
            store=store,
            expected=tuple(expected),
            verifier_name=judge.verifier_name,
            rules=self._rules,
            clock=self._clock,
            redact=self._redactor.text,
            options=options,
            suggest=_steps,
            later=later,
            telemetry=telemetry,
        )
        self._ending = Ending(desk=desk, judge=judge, closer=closer, tasks=Outliving())

    @classmethod
    def of(
        cls,
        trace: Trace,
        /,
        *,
        verifier: LanguageModel | None = None,
        rules: TurnRules | None = None,
        expected: Sequence[ExpectedSource] = (),
        options: Options = NO_OPTIONS,
        talk: Talk = small_talk,
    ) -> "Gate":
        """Return a gate over an open trace; verified by the embedded rules unless another `verifier` is given."""
        return cls(
            store=trace.store,
            sink=trace.sink,
            record=trace.recorder.rules,
            verifier=verifier or RulesModel(),
            rules=rules,
            expected=expected,
            options=options,
            later=trace.keep_evaluation,
            talk=talk,
            telemetry=trace.telemetry,
        )

    @property
    def recorder(self) -> ToolInvocationRecorder:
        """Return the recorder whose calls this gate remembers until their turn is checked."""
        return self._recorder

    def new_turn_id(self) -> str:
        """Return a fresh id for a turn."""
        return self._clock.new_id()

    async def check(
        self,
        question: str,
        answer: str | None,
        /,
        *,
        session_id: str,
        turn_id: str | None = None,
        finish_reason: str | None = None,
        watch: Watcher = _nobody,
    ) -> Turn:
        """Return the shaped reply to a drafted answer; `turn.text` is all that a user may see, secrets redacted.

        Without `turn_id` the answer may rest on every call of the session. An answer that is None, blank, longer than
        100,000 characters or cut by its `finish_reason` is none. A session id that cannot be stored has no calls.
        Raises only CancelledError, when the caller is cancelled; the evaluation is stored then too.
        """
        setting = self._setting(question, session_id, turn_id)
        words = self._talk(setting.question)
        if words is not None:
            return Turn(session_id=setting.session_id, turn_id=setting.turn_id, text=words)
        course, draft = Course(watch), whole_draft(answer, finish_reason=finish_reason)
        # A secret in it came from an output, and stands in the evidence as the same marker.
        draft = None if draft is None else self._redactor.text(draft)
        return await self._ending.guard(setting, course, lambda: self._checked(setting, draft, course))

    def check_now(
        self,
        question: str,
        answer: str | None,
        /,
        *,
        session_id: str,
        turn_id: str | None = None,
        finish_reason: str | None = None,
        watch: Watcher = _nobody,
    ) -> Turn:
        """Return what `check` does, from synchronous code."""
        return run_now(
            self.check(
                question, answer, session_id=session_id, turn_id=turn_id, finish_reason=finish_reason, watch=watch
            )
        )

    async def _checked(self, setting: Setting, answer: str | None, course: Course) -> Turn:
        course.part = Cause.EVIDENCE_UNREADABLE
        own = None if setting.reach is Reach.SESSION else setting.turn_id
        kept = self._memory.calls(setting.session_id, own)
        calls = await in_thread(lambda: done_of(kept, self._redactor), self._rules.flush_seconds)
        for done in calls or ():
            course.keep(done)
        gathered = Gathered(fault=Cause.EVIDENCE_UNREADABLE) if calls is None else Gathered(calls=calls)

        async def draft(_: Evidence) -> Result[str, Cause]:
            return result.Failure(Cause.EXECUTOR_FAILED) if answer is None else result.Success(answer)

        turn = await self._ending.end(setting, gathered, draft, course)
        self._memory.forget(setting.session_id, own)
        return turn

    def _setting(self, question: object, session_id: object, turn_id: str | None) -> Setting:
        asked = question if isinstance(question, str) and not is_blank(question) else NO_QUESTION
        turn = stored_turn_id(turn_id) if isinstance(turn_id, str) else None
        turn = None if turn is None or is_blank(turn) else turn
        session = session_id if isinstance(session_id, str) and session_problem(session_id) is None else None
        return Setting(
            question=cut(self._redactor.text(clean(asked)), QUESTION_CHARACTERS),
            session_id=session or f"unassigned-{self._clock.new_id()}",
            turn_id=turn or self._clock.new_id(),
            until=self._clock.monotonic() + self._rules.turn_seconds,
            reach=Reach.SESSION if turn is None else Reach.TURN,
            elsewhere=frozenset() if session is None else self._memory.elsewhere(session, turn),
        )


def _steps(
    rows: Sequence[Invocation],
    covered: Sequence[Covered],
    expected: Sequence[ExpectedSource],
    /,
    *,
    options: Options = NO_OPTIONS,
) -> tuple[NextStep, ...]:
    """Return what to check next; a tool that `groundtrace call` does not know is named with its parameters alone."""
    ours = tuple(_OUR_COMMAND + name + " " for name in options)
    return tuple(
        step if step.command.startswith(ours) else replace(step, command=step.command.removeprefix(_OUR_COMMAND))
        for step in suggest_steps(rows, covered, expected, options=options)
    )
