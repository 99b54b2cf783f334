"""Tool calls of LangChain and LangGraph, recorded as they truly ended; what the model reads of them stays as it is."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind
from groundtrace_app.frameworks.calls import BegunCall
from groundtrace_app.frameworks.grounding import Grounding, Place
from groundtrace_app.frameworks.langchain.seeing import Sight, under_sight

Told: TypeAlias = ToolMessage | Command[Any]
Handler: TypeAlias = Callable[[ToolCallRequest], Told]
AsyncHandler: TypeAlias = Callable[[ToolCallRequest], Awaitable[Told]]

REFUSED = "the call was not made: "


def call_tool(grounding: Grounding, place: Place, request: ToolCallRequest, handler: Handler, /) -> Told:
    """Run a call through `handler` and record it."""
    call, sight, watched = _begin(grounding, place, request)
    try:
        told = handler(watched)
    except BaseException as error:
        _raised(call, sight, error)
        raise
    _told(call, sight, request, told)
    return told


async def call_tool_async(
    grounding: Grounding, place: Place, request: ToolCallRequest, handler: AsyncHandler, /
) -> Told:
    """Run a call through `handler` and record it, a cancellation too."""
    call, sight, watched = _begin(grounding, place, request)
    try:
        told = await handler(watched)
    except BaseException as error:
        _raised(call, sight, error)
        raise
    _told(call, sight, request, told)
    return told


def _begin(grounding: Grounding, place: Place, request: ToolCallRequest) -> tuple[BegunCall, Sight, ToolCallRequest]:
    asked = request.tool_call
    call = grounding.begin(asked["name"], asked["args"], session_id=place.session_id, turn_id=place.turn_id)
    sight = Sight()
    return call, sight, request if request.tool is None else request.override(tool=under_sight(request.tool, sight))


def _raised(call: BegunCall, sight: Sight, error: BaseException) -> None:
    """Record the exception that the tool raised; one that only suspends the graph ends no call."""
    if not isinstance(error, GraphBubbleUp):
        call.raised(sight.error or error)


def _told(call: BegunCall, sight: Sight, request: ToolCallRequest, told: Told) -> None:
    """Record what the tool's body gave; of one that never ran, what the framework says in its place."""
    if sight.error is not None:
        call.raised(sight.error)
    elif not sight.seen:
        call.returned(_instead(told))
    elif request.tool is not None and request.tool.response_format == "content_and_artifact":
        content, *_ = sight.value if isinstance(sight.value, tuple) and sight.value else (sight.value,)
        call.returned(content)
    else:
        call.returned(_said(sight.value))


def _said(value: object) -> object:
    """Return what a tool gave the model: of a message or a command, the words in it."""
    if isinstance(value, Command):
        value = _messages_of(value)
    if isinstance(value, list) and value and all(isinstance(one, ToolMessage | Command) for one in value):
        said = [_said(one) for one in value]
        return said[0] if len(said) == 1 else said
    if not isinstance(value, ToolMessage):
        return value
    return _failed(value) if value.status == "error" else value.content


def _instead(told: object) -> object:
    """Return the outcome of a call that did not reach the tool's body: another middleware answered, or refused it."""
    if isinstance(told, ToolMessage) and told.status == "error":
        return _failed(told)
    return _said(told)


def _failed(message: ToolMessage) -> outcomes.Failure:
    return outcomes.failure_because(FailureKind.ERROR, message.text)


def _messages_of(command: Command[Any]) -> object:
    update = command.update
    messages = update.get("messages") if isinstance(update, dict) else None
    return [one for one in messages if isinstance(one, ToolMessage)] if isinstance(messages, list) else update
