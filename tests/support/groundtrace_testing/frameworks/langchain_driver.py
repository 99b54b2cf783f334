"""LangChain's `create_agent`, in a task and from synchronous code."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import ToolException
from langchain_core.tools import tool as tool_of
from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import override

from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.langchain import GroundtraceMiddleware, as_language_model
from groundtrace_testing.frameworks.agents import Asked, Driver, Ran, Step, Tool
from groundtrace_testing.frameworks.scripted_chat import ScriptedChat


class Listener(BaseCallbackHandler):
    """Tells whatever LangChain tells its handlers."""

    def __init__(self, ran: Ran, /) -> None:
        self._ran = ran

    @override
    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        self._ran.tell(token)

    @override
    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        self._ran.tell(response)

    @override
    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        self._ran.tell(outputs)


def config_of(asked: Asked, ran: Ran) -> RunnableConfig:
    """Return the configuration of a run that somebody listens to."""
    return {"configurable": {"thread_id": asked.session_id}, "callbacks": [Listener(ran)]}


def at_once(tool: Tool) -> Tool:
    """Return a function for code that knows no event loop."""
    if not inspect.iscoroutinefunction(tool):
        return tool
    signature = inspect.signature(tool)

    @functools.wraps(tool)
    def run(*args: Any, **kwargs: Any) -> Any:
        return asyncio.run(tool(*args, **kwargs))

    run.__signature__ = signature  # type: ignore[attr-defined]
    del run.__wrapped__
    return run


def agent_of(asked: Asked) -> tuple[Any, ScriptedChat]:
    """Return an agent whose tools hide their exceptions from everybody around them, and its model."""
    model = ScriptedChat.of(asked.steps)
    tools = [tool_of(one) for one in asked.tools]
    for one in tools:
        one.handle_tool_error = True
    middleware = [] if asked.gate is None else [GroundtraceMiddleware(asked.gate, **asked.options)]
    return create_agent(model, tools, middleware=middleware, checkpointer=InMemorySaver()), model


def ended(ran: Ran, state: Any, model: ScriptedChat) -> Ran:
    """Return a run with what stayed behind of it: the messages are what the next turn begins with."""
    ran.tell(state)
    ran.text = state["messages"][-1].text
    ran.shown = model.shown()
    return ran


class LangChain(Driver):
    """`ainvoke`, `astream` and `astream_events`."""

    hidden = ToolException

    @override
    def language_model(self, *steps: Step) -> LanguageModel:
        return as_language_model(ScriptedChat.of(steps))

    @override
    async def ask(self, asked: Asked, /) -> Ran:
        agent, model = agent_of(asked)
        ran = asked.ran
        state = await agent.ainvoke({"messages": [("user", asked.question)]}, config_of(asked, ran))
        return ended(ran, state, model)

    @override
    async def streams(self, asked: Callable[[], Asked], /) -> list[Ran]:
        return [await _streamed(asked()), await _events(asked())]


class LangChainSync(LangChain):
    """`invoke` and `stream`."""

    @override
    async def ask(self, asked: Asked, /) -> Ran:
        agent, model = agent_of(replace(asked, tools=[at_once(one) for one in asked.tools]))
        ran = asked.ran
        given = {"messages": [("user", asked.question)]}
        return ended(ran, await asyncio.to_thread(agent.invoke, given, config_of(asked, ran)), model)

    @override
    async def streams(self, asked: Callable[[], Asked], /) -> list[Ran]:
        return [await asyncio.to_thread(_streamed_now, asked())]


MODES = ["messages", "updates", "values", "custom", "debug"]


async def _streamed(asked: Asked) -> Ran:
    agent, model = agent_of(asked)
    ran, config = asked.ran, config_of(asked, asked.ran)
    async for mode, chunk in agent.astream({"messages": [("user", asked.question)]}, config, stream_mode=MODES):
        hear(ran, mode, chunk)
    return ended(ran, (await agent.aget_state(config)).values, model)


def _streamed_now(asked: Asked) -> Ran:
    agent, model = agent_of(asked)
    ran, config = asked.ran, config_of(asked, asked.ran)
    for mode, chunk in agent.stream({"messages": [("user", asked.question)]}, config, stream_mode=MODES):
        hear(ran, mode, chunk)
    return ended(ran, agent.get_state(config).values, model)


def hear(ran: Ran, mode: str, chunk: Any) -> None:
    """Keep what a stream gave; the pieces of an answer are the messages of the model's node."""
    ran.tell(chunk)
    if mode == "messages" and chunk[1].get("langgraph_node") == "model" and chunk[0].text:
        ran.pieces.append(chunk[0].text)


async def _events(asked: Asked) -> Ran:
    agent, model = agent_of(asked)
    ran, config = asked.ran, config_of(asked, asked.ran)
    async for event in agent.astream_events({"messages": [("user", asked.question)]}, config, version="v2"):
        ran.tell(event)
        if event["event"] == "on_chain_stream" and event["name"] == "model":
            ran.pieces += [one.text for one in _messages_in(event["data"]["chunk"]) if one.text]
    return ended(ran, (await agent.aget_state(config)).values, model)


def _messages_in(chunk: Any) -> list[Any]:
    commands = chunk if isinstance(chunk, list) else [chunk]
    updates = [getattr(one, "update", one) for one in commands]
    return [message for one in updates if isinstance(one, dict) for message in one.get("messages", ())]


DRIVERS: dict[str, Driver] = {"langchain": LangChain(), "langchain_sync": LangChainSync()}
