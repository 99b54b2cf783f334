"""ChatService: one turn from question to shaped reply (DESIGN section 10). Any part may fail; the user gets a reply.

plan and gather -> barrier and evidence -> draft -> verify -> decide -> store the evaluation -> shape the reply.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from returns import result
from returns.result import Result

from groundtrace.coverage import ExpectedSource
from groundtrace.invocation import SESSION_CHARACTERS
from groundtrace.next_steps import NO_OPTIONS, Options
from groundtrace.ports import RowSink, Telemetry
from groundtrace.problem import Problem
from groundtrace.small_talk import small_talk
from groundtrace.text import clean, is_blank
from groundtrace_app.chat.closing import Closer, KeepLater, TraceStore
from groundtrace_app.chat.course import Course
from groundtrace_app.chat.drafting import Drafter
from groundtrace_app.chat.ending import Ending
from groundtrace_app.chat.evidence import EvidenceDesk
from groundtrace_app.chat.gathering import Gatherer
from groundtrace_app.chat.outliving import Outliving
from groundtrace_app.chat.turn import (
    QUESTION_CHARACTERS,
    Models,
    Progress,
    Setting,
    Turn,
    TurnRules,
    Watcher,
)
from groundtrace_app.chat.verifying import Judge
from groundtrace_app.clock import Clock, SystemClock
from groundtrace_app.loop import run_now
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.trace_summary import ToolTraceSummaryService


def _nobody(_: Progress) -> None:
    """Watch nothing."""


class ChatService:
    """Answers questions from evidence, gated by a verifier and by what the rows carry."""

    def __init__(
        self,
        *,
        models: Models,
        tools: Sequence[EvidenceTool],
        recorder: ToolInvocationRecorder,
        sink: RowSink,
        store: TraceStore,
        expected: Sequence[ExpectedSource] | None = None,
        rules: TurnRules | None = None,
        clock: Clock | None = None,
        options: Options = NO_OPTIONS,
        later: KeepLater | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        """Serve turns; `expected` are the sources for coverage, by default one a tool.

        `options` are by tool what the commands among a reply's next steps need to reach the same source. `later` keeps
        an evaluation that the store does not take until it does; without it such a one is lost, and reported.
        `telemetry` is told each decision.
        """
        self._rules = rules or TurnRules()
        self._clock = clock or SystemClock()
        self._gatherer = Gatherer(models=models, tools=tools, recorder=recorder, rules=self._rules, clock=self._clock)
        desk = EvidenceDesk(
            sink=sink,
            traces=ToolTraceSummaryService(store),
            expected=[ExpectedSource(tool_name=tool.name, source_name="") for tool in tools]
            if expected is None
            else expected,
            flush_seconds=self._rules.flush_seconds,
            now=self._clock.now,
        )
        self._drafter = Drafter(models.executor, self._clock)
        judge = Judge(models.verifier, rules=self._rules, clock=self._clock)
        self._redact = recorder.rules.redactor.text
        self._closer = Closer(
            store=store,
            expected=desk.expected,
            verifier_name=judge.verifier_name,
            rules=self._rules,
            clock=self._clock,
            redact=self._redact,
            options=options,
            later=later,
            telemetry=telemetry,
        )
        self._tasks = Outliving()
        self._ending = Ending(desk=desk, judge=judge, closer=self._closer, tasks=self._tasks)

    async def answer(self, question: str, /, *, session_id: str, watch: Watcher = _nobody) -> Result[Turn, Problem]:
        """Return the turn's shaped reply; a question or session id that cannot be used is a Problem.

        Raises only CancelledError, when the caller is cancelled; the evaluation is stored then too: as `cancelled`, or
        as it was decided before.
        """
        refused = refusal(question, session_id)
        if refused is not None:
            return result.Failure(refused)
        setting = Setting(
            # Before any model sees it: one that repeats a secret without the word before it could not be redacted.
            question=self._redact(question),
            session_id=session_id,
            turn_id=self._clock.new_id(),
            until=self._clock.monotonic() + self._rules.turn_seconds,
        )
        words = small_talk(question)
        if words is not None:
            return result.Success(Turn(session_id=session_id, turn_id=setting.turn_id, text=words))
        course = Course(watch)
        return result.Success(await self._ending.guard(setting, course, lambda: self._turn(setting, course)))

    def answer_now(self, question: str, /, *, session_id: str, watch: Watcher = _nobody) -> Result[Turn, Problem]:
        """Return what `answer` does, from synchronous code."""
        return run_now(self.answer(question, session_id=session_id, watch=watch))

    async def stream(self, question: str, /, *, session_id: str) -> AsyncIterator[Progress | Turn | Problem]:
        """Yield progress without a word of the answer, then the turn (or the problem).

        A reader that leaves early does not stop the turn: it ends in its deadline and leaves its record.
        """
        told: asyncio.Queue[Progress | None] = asyncio.Queue()
        task = self._tasks.start(self.answer(question, session_id=session_id, watch=told.put_nowait))
        task.add_done_callback(lambda _: told.put_nowait(None))
        while (step := await told.get()) is not None:
            yield step
        yield _ended(task.result())

    async def _turn(self, setting: Setting, course: Course) -> Turn:
        setting = replace(setting, history=await self._closer.history(setting.session_id))
        gathered = await self._gatherer.gather(setting, course)
        return await self._ending.end(
            setting, gathered, lambda evidence: self._drafter.draft(setting, evidence), course
        )


def _ended(answered: Result[Turn, Problem]) -> Turn | Problem:
    turn: Turn | None = answered.value_or(None)
    return answered.failure() if turn is None else turn


def refusal(question: str, session_id: str, /) -> Problem | None:
    """Return why a question or a session id cannot be used, None if both can."""
    if is_blank(question):
        return Problem(what="the question is empty", where="question", mend="say what you want to know")
    if len(question) > QUESTION_CHARACTERS:
        return Problem(
            what=f"the question has {len(question)} characters; at most {QUESTION_CHARACTERS} are read",
            where="question",
            mend="ask in fewer words and let the tools read the data",
        )
    return session_problem(session_id)


def session_problem(session_id: str, /) -> Problem | None:
    """Return why a session id cannot be used, None if it can."""
    if is_blank(session_id) or len(session_id) > SESSION_CHARACTERS or clean(session_id) != session_id:
        return Problem(
            what=f"a session id has 1 to {SESSION_CHARACTERS} characters, is not blank and holds no NUL",
            where="session",
            mend="choose another id",
        )
    return None
