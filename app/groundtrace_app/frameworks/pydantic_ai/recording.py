"""Tool calls of Pydantic AI, recorded at the toolset, where exceptions are not yet turned into words for the model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturn, ToolReturnPart
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
from typing_extensions import override

from groundtrace_app.frameworks.grounding import Grounding, Place

SUSPENDED = (ApprovalRequired, CallDeferred)
"""A call that raises one of these has not ended: it waits for a person, or for another process."""


@dataclass
class RecordedToolset(WrapperToolset[Any]):
    """A toolset whose calls are recorded; what the model reads of them stays as it is."""

    grounding: Grounding
    place: Place

    @override
    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        call = self.grounding.begin(name, tool_args, session_id=self.place.session_id, turn_id=self.place.turn_id)
        try:
            value = await self.wrapped.call_tool(name, tool_args, ctx, tool)
        except SUSPENDED:
            raise
        except BaseException as error:
            call.raised(behind(error))
            raise
        call.returned(value.return_value if isinstance(value, ToolReturn) else value)
        return value


def behind(error: BaseException, /) -> BaseException:
    """Return what made a tool ask the model to try again, where it says so: a timeout, or another exception."""
    if not isinstance(error, ModelRetry):
        return error
    context = error.__context__ if isinstance(error.__context__, TimeoutError) else None
    return error.__cause__ or context or error


def denied_in(messages: Sequence[ModelMessage], /) -> Iterator[tuple[ToolCallPart, str]]:
    """Yield the calls that the last request tells the model were denied, and why."""
    last = messages[-1] if messages else None
    if not isinstance(last, ModelRequest):
        return
    asked = {
        part.tool_call_id: part
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, ToolCallPart)
    }
    for part in last.parts:
        if isinstance(part, ToolReturnPart) and part.outcome == "denied" and part.tool_call_id in asked:
            yield asked[part.tool_call_id], part.model_response_str()
