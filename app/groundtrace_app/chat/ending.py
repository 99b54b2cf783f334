"""The second half of a turn, from its recorded calls to the shaped reply, for a draft of ours or of somebody else's.

barrier and evidence -> draft -> verify -> decide -> store the evaluation -> shape the reply. Any part may fail.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from returns.result import Result

from groundtrace.decision import fallback
from groundtrace.verdict import Cause
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.chat.closing import Closer, bare_turn
from groundtrace_app.chat.course import Course
from groundtrace_app.chat.evidence import Evidence, EvidenceDesk
from groundtrace_app.chat.outliving import Outliving
from groundtrace_app.chat.turn import Gathered, Progress, Setting, Stage, Turn
from groundtrace_app.chat.verifying import Judge, Verification

Drafting: TypeAlias = Callable[[Evidence], Awaitable[Result[str, Cause]]]
"""Gives the draft that is to be verified, or why there is none."""

_log = CarefulLog("groundtrace.chat")


class Ending:
    """Ends turns; each leaves exactly one evaluation and a shaped reply, whatever breaks in it."""

    def __init__(self, *, desk: EvidenceDesk, judge: Judge, closer: Closer, tasks: Outliving) -> None:
        """Read evidence at `desk`, verify by `judge`, record through `closer`."""
        self._desk = desk
        self._judge = judge
        self._closer = closer
        self._tasks = tasks

    async def end(self, setting: Setting, gathered: Gathered, draft: Drafting, course: Course, /) -> Turn:
        """Return the turn over its calls; run it inside `guard`."""
        course.part = Cause.EVIDENCE_UNREADABLE
        evidence = await self._desk.settle(setting, gathered)
        verification = await self._verify(setting, gathered, evidence, draft, course)
        course.part = Cause.EVALUATION_NOT_STORED
        course.closing = self._tasks.start(self._closer.close(setting, evidence, verification))
        turn = await asyncio.shield(course.closing)
        course.tell(Progress(stage=Stage.DECIDED, detail=turn.decision.verdict.value if turn.decision else ""))
        return turn

    async def guard(self, setting: Setting, course: Course, turn: Callable[[], Awaitable[Turn]], /) -> Turn:
        """Return the turn, or where it broke a shaped reply whose cause names the part that was at work.

        Raises only CancelledError, when the caller is cancelled; the evaluation is stored then too.
        """
        try:
            return await turn()
        except asyncio.CancelledError:
            await self._left_record(setting, course, Cause.CANCELLED)
            raise
        except Exception as bug:  # noqa: BLE001 - whatever breaks in a turn, the user gets a shaped reply
            _log.error("a turn broke: %s", type(bug).__name__)
            return await self._left_record(setting, course, course.part)

    async def _verify(
        self, setting: Setting, gathered: Gathered, evidence: Evidence, draft: Drafting, course: Course
    ) -> Verification:
        if gathered.fault is not None:
            return Verification(decision=fallback(gathered.fault))
        course.tell(Progress(stage=Stage.DRAFT))
        drafted = await draft(evidence)
        answer = drafted.value_or(None)
        if answer is None:
            return Verification(decision=fallback(drafted.failure()))
        return await self._judge.verify(setting, evidence, answer, course)

    async def _left_record(self, setting: Setting, course: Course, cause: Cause) -> Turn:
        """Close a turn that broke off; a second cancellation does not stop it, and a second bug still gets a reply."""
        try:
            return await asyncio.shield(self._tasks.start(self._leave_record(setting, course, cause)))
        except Exception as bug:  # noqa: BLE001 - the last resort: nothing is left that could break
            _log.error("the record of a broken turn broke: %s", type(bug).__name__)
            return bare_turn(setting, cause)

    async def _leave_record(self, setting: Setting, course: Course, cause: Cause) -> Turn:
        """Record a turn with the calls that it made, and why it broke off; one that is being closed is closed once."""
        if course.closing is None:
            evidence = await self._desk.settle(setting, course.gathered())
            verification = Verification(decision=fallback(cause))
            course.closing = self._tasks.start(self._closer.close(setting, evidence, verification))
        return await course.closing
