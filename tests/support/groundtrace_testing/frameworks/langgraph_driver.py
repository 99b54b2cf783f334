"""A graph of one's own in LangGraph: a node for the model and one for its tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.tools import ToolException
from langchain_core.tools import tool as tool_of
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from typing_extensions import override

from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.langchain import as_language_model, gated_model_node, recorded_tool_node
from groundtrace_testing.frameworks.agents import Asked, Driver, Ran, Step
from groundtrace_testing.frameworks.langchain_driver import MODES, config_of, ended, hear
from groundtrace_testing.frameworks.scripted_chat import ScriptedChat


def graph_of(asked: Asked) -> tuple[Any, ScriptedChat]:
    """Return a compiled graph and its model."""
    model = ScriptedChat.of(asked.steps)
    tools = [tool_of(one) for one in asked.tools]
    for one in tools:
        one.handle_tool_error = True
    graph = StateGraph(MessagesState)
    if asked.gate is None or not asked.gated:
        graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    else:
        graph.add_node("model", gated_model_node(model, asked.gate, cite=asked.cite, heard=asked.heard))
    graph.add_node(
        "tools",
        ToolNode(tools) if asked.gate is None else recorded_tool_node(tools, asked.gate, classify=asked.classify),
    )
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=InMemorySaver()), model


class LangGraph(Driver):
    """`ainvoke` and `astream`."""

    hidden = ToolException

    @override
    def language_model(self, *steps: Step) -> LanguageModel:
        return as_language_model(ScriptedChat.of(steps))

    @override
    async def ask(self, asked: Asked, /) -> Ran:
        graph, model = graph_of(asked)
        ran = asked.ran
        state = await graph.ainvoke({"messages": [("user", asked.question)]}, config_of(asked, ran))
        return ended(ran, state, model)

    @override
    async def streams(self, asked: Callable[[], Asked], /) -> list[Ran]:
        one = asked()
        graph, model = graph_of(one)
        ran, config = one.ran, config_of(one, one.ran)
        async for mode, chunk in graph.astream({"messages": [("user", one.question)]}, config, stream_mode=MODES):
            hear(ran, mode, chunk)
        return [ended(ran, (await graph.aget_state(config)).values, model)]


DRIVERS: dict[str, Driver] = {"langgraph": LangGraph()}
