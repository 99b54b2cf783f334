"""The words of a model, held back: nobody is told of them, and what goes out is checked or stands in their place."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.config import ensure_config, var_child_runnable_config
from langsmith.run_helpers import tracing_context

from groundtrace_app.chat.turn import Turn
from groundtrace_app.frameworks.grounding import Grounding
from groundtrace_app.frameworks.langchain.place import is_final

CHECKED = "groundtrace"
"""The key of an answer's `response_metadata` that tells its decision."""

_WORDS = ("text", "output_text", "refusal")
"""Blocks of words; `message.text` is made of the first kind alone."""


@contextmanager
def unheard() -> Iterator[None]:
    """Run a model so that no callback handler is told: streams, events and tracers would hand its words on."""
    token = var_child_runnable_config.set({**ensure_config(), "callbacks": []})
    try:
        with tracing_context(enabled=False):
            yield
    finally:
        var_child_runnable_config.reset(token)


def without_listeners(model: Any, /) -> Any:
    """Return a model without the callback handlers of its own, also where tools or a configuration are bound to it."""
    if isinstance(model, RunnableBindingBase):
        config = {name: value for name, value in model.config.items() if name != "callbacks"}
        return model.model_copy(update={"bound": without_listeners(model.bound), "config": config})
    if isinstance(model, BaseChatModel) and model.callbacks:
        return model.model_copy(update={"callbacks": None})
    return model


def finish_reason_of(message: BaseMessage, /) -> str | None:
    """Return how a model says that it ended, None where it does not."""
    told = message.response_metadata
    reason = told.get("finish_reason") or told.get("stop_reason")
    return reason if isinstance(reason, str) else None


def spoken(grounding: Grounding, turn: Turn, message: BaseMessage, /) -> AIMessage:
    """Return the message that goes out; in place of one that is withheld a new one, with nothing of the old in it."""
    text = grounding.spoken(turn, message.text)
    decision = turn.decision
    told: dict[str, str] = {"turn_id": turn.turn_id, "sha256": _digest(text)}
    if decision is not None:
        told |= {"verdict": decision.verdict.value, "cause": decision.cause.value}
    if isinstance(message, AIMessage) and text == message.text:
        metadata = {**message.response_metadata, CHECKED: told}
        return message.model_copy(update={"content": _checked(message), "response_metadata": metadata})
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    return AIMessage(
        content=text, id=message.id, name=message.name, usage_metadata=usage, response_metadata={CHECKED: told}
    )


def was_spoken(message: BaseMessage, /) -> bool:
    """Tell whether a message went out through `spoken`, and says what it said then."""
    told = message.response_metadata.get(CHECKED)
    return isinstance(told, dict) and told.get("sha256") == _digest(message.text)


def without_asides(message: BaseMessage, /) -> BaseMessage:
    """Return a message that calls tools without the words beside the calls: nobody checked those."""
    if not isinstance(message, AIMessage) or is_final(message) or not message.content:
        return message
    if isinstance(message.content, str):
        return message.model_copy(update={"content": ""})
    kept = [block for block in message.content if not isinstance(block, str) and block.get("type") not in _WORDS]
    return message.model_copy(update={"content": kept})


def _checked(message: AIMessage) -> str | list[str | dict[Any, Any]]:
    """Return a confirmed answer's content without blocks of words that are not in its text: nobody checked those."""
    if isinstance(message.content, str):
        return message.content
    unchecked = set(_WORDS) - {"text"}
    return [block for block in message.content if isinstance(block, str) or block.get("type") not in unchecked]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
