"""Nodes for a LangGraph graph of one's own: the tools, recorded, and the model, whose answer is checked in its node."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest

from groundtrace.classify import Classifier
from groundtrace_app.frameworks.grounding import Grounding, Heard, nobody
from groundtrace_app.frameworks.langchain.holding import (
    finish_reason_of,
    spoken,
    unheard,
    without_asides,
    without_listeners,
)
from groundtrace_app.frameworks.langchain.place import is_final, messages_in, place_of, question_in
from groundtrace_app.frameworks.langchain.recording import AsyncHandler, Handler, Told, call_tool, call_tool_async
from groundtrace_app.gate import Gate

Messages: TypeAlias = dict[str, list[BaseMessage]]


def recorded_tool_node(
    tools: Sequence[BaseTool | Callable[..., Any]],
    gate: Gate,
    /,
    *,
    session_id: str | None = None,
    classify: Classifier | None = None,
    **options: Any,
) -> ToolNode:
    """Return a `ToolNode` that records each call; `options` are its own (`name`, `handle_tool_errors`, ...)."""
    grounding = Grounding(gate=gate, session_id=session_id, classify=classify)

    def wrap(request: ToolCallRequest, handler: Handler) -> Told:
        return call_tool(grounding, place_of(grounding, request.state, request.runtime.config), request, handler)

    async def awrap(request: ToolCallRequest, handler: AsyncHandler) -> Told:
        place = place_of(grounding, request.state, request.runtime.config)
        return await call_tool_async(grounding, place, request, handler)

    return ToolNode(list(tools), wrap_tool_call=wrap, awrap_tool_call=awrap, **options)


def gated_model_node(
    model: Any,
    gate: Gate,
    /,
    *,
    session_id: str | None = None,
    cite: bool = False,
    heard: Heard = nobody,
) -> RunnableLambda[Any, Messages]:
    """Return a node that asks `model`, a chat model with its tools bound, about the messages of the state.

    A message that calls tools goes on; an answer goes out as far as the recorded calls of its turn carry it. What is no
    message of a model (a structured value, say) is a TypeError: nobody could check it here.
    """
    grounding = Grounding(gate=gate, session_id=session_id, cite=cite, heard=heard)
    alone = without_listeners(model)

    def ask(state: Any, config: RunnableConfig) -> Messages:
        with unheard():
            message = _message(alone.invoke(messages_in(state), {"callbacks": []}))
        if not is_final(message):
            return {"messages": [without_asides(message)]}
        session, turn_id = place_of(grounding, state, config)
        turn = grounding.check_now(
            question_in(state),
            message.text,
            session_id=session,
            turn_id=turn_id,
            finish_reason=finish_reason_of(message),
        )
        return {"messages": [spoken(grounding, turn, message)]}

    async def aask(state: Any, config: RunnableConfig) -> Messages:
        with unheard():
            message = _message(await alone.ainvoke(messages_in(state), {"callbacks": []}))
        if not is_final(message):
            return {"messages": [without_asides(message)]}
        session, turn_id = place_of(grounding, state, config)
        with unheard():
            turn = await grounding.check(
                question_in(state),
                message.text,
                session_id=session,
                turn_id=turn_id,
                finish_reason=finish_reason_of(message),
            )
        return {"messages": [spoken(grounding, turn, message)]}

    return RunnableLambda(ask, aask)


def _message(said: object) -> AIMessage:
    if not isinstance(said, AIMessage):
        raise TypeError(f"the model of a gated node gives messages, not {type(said).__name__}")
    return said
