"""One tool call through the recorder, under a deadline: whatever happens to it, it leaves one row."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from groundtrace import outcomes
from groundtrace.invocation import Invocation
from groundtrace.outcomes import FailureKind
from groundtrace.plan import PlannedCall
from groundtrace.ports import Receipt
from groundtrace.preview import whole_redacted
from groundtrace.retrieval import Retrieval
from groundtrace_app.chat.turn import HELD_A_CALL, Done
from groundtrace_app.deadline import within
from groundtrace_app.recorder import OpenCall, ToolInvocationRecorder
from groundtrace_app.tools.answer import EvidenceTool, ToolAnswer


def _nobody(_: Done) -> None:
    """Keep nothing."""


class CallRunner:
    """Runs planned calls; holds nothing between them."""

    def __init__(self, tools: Sequence[EvidenceTool], recorder: ToolInvocationRecorder, /) -> None:
        """Run calls of these tools, recorded by `recorder`."""
        self._tools: Mapping[str, EvidenceTool] = {tool.name: tool for tool in tools}
        self._recorder = recorder

    async def run(
        self,
        call: PlannedCall,
        /,
        *,
        session_id: str,
        seconds: float,
        turn_id: str | None = None,
        held: int = HELD_A_CALL,
        keep: Callable[[Done], None] = _nobody,
    ) -> Done:
        """Return the ended call; a deadline or a fault of the tool is a Failure, recorded once, a late result dropped.

        Holds the whole redacted text up to `held` characters. Raises only the caller's cancellation, once it is
        recorded; `keep` is given the ended call in that case too.
        """
        opened = self._recorder.open(call.tool, call.params, session_id=session_id, turn_id=turn_id)
        tool = self._tools.get(call.tool)
        try:
            answer = await self._answer(tool, call, opened, seconds)
        except asyncio.CancelledError as cancellation:
            keep(self._recorded(opened, tool, _failed(outcomes.failure_from(cancellation)), held))
            raise
        done = self._recorded(opened, tool, answer, held)
        keep(done)
        return done

    def refuse(
        self, call: PlannedCall, refusal: outcomes.Failure, /, *, session_id: str, turn_id: str | None = None
    ) -> Done:
        """Record a call that is not made, and why."""
        opened = self._recorder.open(call.tool, call.params, session_id=session_id, turn_id=turn_id)
        return Done(row=_row(self._recorder.record(opened, refusal)), outcome=refusal, text="", whole=True)

    async def _answer(
        self, tool: EvidenceTool | None, call: PlannedCall, opened: OpenCall, seconds: float
    ) -> ToolAnswer:
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return _failed(outcomes.failure_because(FailureKind.ERROR, f"no tool has this name; known: {known}"))

        async def ran() -> ToolAnswer:
            return await tool.run(call.params, session_id=opened.session_id, call_id=opened.id)

        try:
            return _readable(await within(ran(), seconds))
        except Exception as fault:  # noqa: BLE001 - a tool that raises is a failed call
            return _failed(outcomes.failure_from(fault))

    def _recorded(self, opened: OpenCall, tool: EvidenceTool | None, answer: ToolAnswer, held: int) -> Done:
        if tool is not None and tool.retrieves:
            receipt = self._recorder.record_retrieval(opened, answer.retrieval, answer.outcome)
        else:
            receipt = self._recorder.record(opened, answer.outcome)
        return self._done(_row(receipt), answer, held)

    def _done(self, row: Invocation | None, answer: ToolAnswer, held: int) -> Done:
        """Keep the whole redacted text, or the row's preview where that is too large to hold."""
        whole = whole_redacted(answer.text, self._recorder.rules.redactor, limit=held)
        if whole is not None:
            return Done(row=row, outcome=answer.outcome, text=whole, whole=True)
        preview = row.output_preview if row is not None else None
        return Done(row=row, outcome=answer.outcome, text=preview or "", whole=False)


def _row(receipt: Receipt | None) -> Invocation | None:
    return None if receipt is None else receipt.row


def _readable(answer: object) -> ToolAnswer:
    """Return a tool's answer; what is none is a failed call like any other."""
    if isinstance(answer, ToolAnswer) and all(
        (
            isinstance(answer.outcome, outcomes.Outcome),
            isinstance(answer.text, str),
            isinstance(answer.retrieval, Retrieval | None),
        )
    ):
        return answer
    return _failed(outcomes.failure_because(FailureKind.BAD_OUTPUT, "the tool gave no answer that can be read"))


def _failed(outcome: outcomes.Failure) -> ToolAnswer:
    return ToolAnswer(outcome=outcome, text="")
