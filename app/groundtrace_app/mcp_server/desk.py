"""What a call of each tool does: evidence by the recorder, an answer through the gate, the summary from the store.

Whatever is withheld stays so: `check_answer` returns the text that a user may see and its verdict, nothing beside.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_types import CallToolResult, TextContent
from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.plan import PlannedCall
from groundtrace.ports import StoreError
from groundtrace.summary import describe_entry
from groundtrace.wording import one_line
from groundtrace_app.chat.calling import CallRunner
from groundtrace_app.chat.offering import offer
from groundtrace_app.chat.turn import Done, Turn
from groundtrace_app.gate import Gate
from groundtrace_app.loop import in_own_thread
from groundtrace_app.mcp_server.offered import CHECK_ANSWER, SESSION_SUMMARY, CheckParams, SummaryParams, offered
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.tools.params import read_params
from groundtrace_app.trace import Trace
from groundtrace_app.trace_summary import ToolTraceSummaryService

ERROR_CHARACTERS = 1_000
DESCRIBE_SECONDS = 10.0

Params = Mapping[str, object]


class Desk:
    """Answers calls for one or many sessions; holds nothing between them but what the gate remembers."""

    def __init__(
        self, tools: Sequence[EvidenceTool], trace: Trace, gate: Gate, /, *, seconds: float, flush_seconds: float
    ) -> None:
        """Answer from these tools, each within `seconds`; recorded by the gate's own recorder."""
        self._tools = tools
        self._names = frozenset(tool.name for tool in tools)
        self._trace = trace
        self._gate = gate
        self._runner = CallRunner(tools, gate.recorder)
        self._seconds = seconds
        self._flush_seconds = flush_seconds

    async def tools(self) -> list[Any]:
        """Return the tools as the protocol lists them."""
        redactor = self._gate.recorder.rules.redactor
        return offered(await offer(self._tools, redactor=redactor, seconds=DESCRIBE_SECONDS))

    async def call(self, tool: str, params: Params, /, *, session_id: str) -> CallToolResult:
        """Answer one call; an error is a result with `isError` and one line."""
        match tool:
            case "check_answer":
                checked = read_params(CheckParams, params)
                return await checked.map(lambda asked: self._check(asked, session_id)).lash(_bad_params).unwrap()
            case "session_summary":
                read = read_params(SummaryParams, params)
                return await read.map(lambda _: self._summary(session_id)).lash(_bad_params).unwrap()
            case _:
                planned = PlannedCall(tool=tool, params=dict(params))
                return self._told(await self._runner.run(planned, session_id=session_id, seconds=self._seconds))

    async def _check(self, asked: CheckParams, session_id: str) -> CallToolResult:
        return _checked(await self._gate.check(asked.question, asked.answer, session_id=session_id))

    async def _summary(self, session_id: str) -> CallToolResult:
        def read() -> Result[str, StoreError]:
            self._trace.sink.flush(session_id, deadline=self._flush_seconds)
            entries = ToolTraceSummaryService(self._trace.store).session(session_id)
            return entries.map(
                lambda found: "\n".join(
                    f"{one.level.value}  {one.tool_name} about {one.topic_domain}: {describe_entry(one)}"
                    for one in found
                )
            )

        summed = await in_own_thread(read)
        return summed.map(lambda text: _said(text or "No call is recorded in this session.")).lash(_unread).unwrap()

    def _told(self, done: Done) -> CallToolResult:
        if not isinstance(done.outcome, outcomes.Failure):
            return _said(done.text)
        known = "" if done.row is None or done.row.tool_name in self._names else f"; also {_OWN_NAMES}"
        return refused(self._gate.recorder.rules.redactor.text(done.outcome.message) + known)


_OWN_NAMES = f"{CHECK_ANSWER}, {SESSION_SUMMARY}"


def refused(words: str, /) -> CallToolResult:
    """Return an error in one line."""
    return CallToolResult(content=[TextContent(type="text", text=one_line(words, ERROR_CHARACTERS))], is_error=True)


def _said(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)])


def _checked(turn: Turn) -> CallToolResult:
    verdict = None if turn.decision is None else turn.decision.verdict.value
    cause = None if turn.decision is None else turn.decision.cause.value
    told = {"text": turn.text, "verdict": verdict, "cause": cause}
    return CallToolResult(content=[TextContent(type="text", text=turn.text)], structured_content=told)


async def _bad(words: str) -> CallToolResult:
    return refused(words)


def _bad_params(failure: outcomes.Failure) -> "Result[Any, outcomes.Failure]":
    return result.Success(_bad(failure.message))


def _unread(error: StoreError) -> Result[CallToolResult, StoreError]:
    return result.Success(refused(f"the store cannot be read: {error.message}"))
