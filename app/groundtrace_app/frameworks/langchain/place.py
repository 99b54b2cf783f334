"""Where in a trace a LangChain run belongs: its session and its turn."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from groundtrace_app.frameworks.grounding import Grounding, Place

TURN = "groundtrace_turn"
"""The key of the state under which the middleware keeps a turn's id: it outlives an interrupt of the graph."""


def place_of(grounding: Grounding, state: object, config: RunnableConfig | None = None, /) -> Place:
    """Return the place of a run: its `thread_id` is the session, and the turn is what began with its last question."""
    configurable = (config or ensure_config()).get("configurable", {})
    messages = messages_in(state)
    asked = next((one.id for one in reversed(messages) if isinstance(one, HumanMessage) and one.id), None)
    kept = state.get(TURN) if isinstance(state, Mapping) else None
    thread, turn = configurable.get("thread_id"), kept or asked or configurable.get("run_id")
    return grounding.place(None if thread is None else str(thread), None if turn is None else str(turn))


def messages_in(state: object, /) -> list[BaseMessage]:
    """Return the messages of a state, of whatever kind it is; none where it has none."""
    found: Any = state.get("messages", ()) if isinstance(state, Mapping) else getattr(state, "messages", state)
    return [one for one in found if isinstance(one, BaseMessage)] if isinstance(found, list | tuple) else []


def question_in(state: object, /) -> str:
    """Return the text of the last question."""
    asked = (one for one in reversed(messages_in(state)) if isinstance(one, HumanMessage))
    return next((one.text for one in asked), "")


def is_final(message: BaseMessage, /) -> bool:
    """Tell whether a message is an answer: the model's, with no call of a tool in it."""
    return isinstance(message, AIMessage) and not message.tool_calls
