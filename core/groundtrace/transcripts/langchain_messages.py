"""LangChain messages in each form they are written in: dumped, `message_to_dict`, `model_dump`, by class name.

Lists of them, objects that hold them under `messages`, and journals of stages whose events repeat what came before.
"""

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.chat_messages import asked_functions
from groundtrace.transcripts.content_blocks import called_blocks, output_in
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, moment_of, prose_of, text_of, word_of
from groundtrace.transcripts.growing import Growing

_KINDS = MappingProxyType(
    {
        **dict.fromkeys(("human", "HumanMessage", "HumanMessageChunk"), "human"),
        **dict.fromkeys(("ai", "AIMessage", "AIMessageChunk"), "ai"),
        **dict.fromkeys(("tool", "ToolMessage", "ToolMessageChunk", "function", "FunctionMessage"), "tool"),
        **dict.fromkeys(("system", "SystemMessage", "remove", "RemoveMessage", "chat", "ChatMessage"), "system"),
    }
)
_CLASSES = frozenset(name for name in _KINDS if name[0].isupper())
_STATES = ("values", "channel_values")
_KNOWN = frozenset({"metadata", "stage_start", "stage_end"})


class _Message(NamedTuple):
    kind: str
    body: Body


def _message(value: JsonValue) -> _Message | None:
    body = body_of(value)
    if body.get("lc") is not None and isinstance(body.get("kwargs"), dict):
        name = next(reversed(items_of(body.get("id"))), None)
        kind = _KINDS.get(name) if isinstance(name, str) else None
        return None if kind is None else _Message(kind, body_of(body["kwargs"]))
    name = word_of(body.get("type"))
    kind = _KINDS.get(name) if isinstance(name, str) else None
    inner = body.get("data")
    if kind is None:
        return None
    if isinstance(inner, dict) and "content" in inner:
        return _Message(kind, inner)
    return _Message(kind, body) if "content" in body else None


def _fits(value: JsonValue) -> bool:
    return _message(value) is not None or any(_message(one) is not None for one in _messages(value)[:3])


def _read(records: Iterable[Record]) -> Iterator[Event]:
    growing = Growing()
    for record in records:
        found = _message(record.value)
        if found is not None:
            yield from _events(found, record.place, None)
            continue
        body, messages = body_of(record.value), _messages(record.value)
        if not messages:
            kind = word_of(body.get("type"))
            yield Skipped(place=record.place, what=f"type {kind!r}", known=kind in _KNOWN)
            continue
        own = _session_of(body)
        session = own or (record.place or None)
        known = growing.known(own, messages) if own else 0
        yield from _conversation(messages, known, record.place, session)
        if own is None:
            yield Ended(session=session)


def _conversation(messages: list[JsonValue], before: int, place: str, session: str | None) -> Iterator[Event]:
    for number, value in enumerate(messages[before:], start=before + 1):
        where = f"{place} message {number}".strip()
        message = _message(value)
        if message is None:
            yield Skipped(place=where, what=f"message {body_of(value).get('type')!r}", known=False)
        else:
            yield from _events(message, where, session)


def _events(message: _Message, place: str, session: str | None) -> Iterator[Event]:
    kind, body = message
    at = moment_of(body_of(body.get("additional_kwargs")).get("timestamp")) or moment_of(body.get("timestamp"))
    if kind == "human":
        yield Asked(place=place, text=prose_of(body.get("content")), session=session, at=at)
    elif kind == "ai":
        yield Answered(place=place, text=prose_of(body.get("content")), session=session, at=at)
        for call_id, name, arguments in _calls(body):
            yield Called(place=place, call_id=call_id, tool_name=name, arguments=arguments, session=session, at=at)
    elif kind == "tool":
        yield _returned(body, place, session)
    else:
        yield Skipped(place=place, what=kind, known=True)


def _calls(body: Body) -> Iterator[tuple[str | None, str, JsonValue]]:
    """Yield each call by its id, tool and arguments; older messages keep them as their model's API gave them."""
    calls = (*bodies_of(body.get("tool_calls")), *bodies_of(body.get("invalid_tool_calls")))
    for call in calls:
        yield text_of(call.get("id")), text_of(call.get("name")) or "unnamed", call.get("args")
    if calls:
        return
    given = list(asked_functions(body_of(body.get("additional_kwargs"))))
    for call_id, function in given:
        yield call_id, text_of(function.get("name")) or "unnamed", function.get("arguments")
    if not given:
        for block in called_blocks(body.get("content")):
            yield text_of(block.get("id")), text_of(block.get("name")) or "unnamed", block.get("input")


def _returned(body: Body, place: str, session: str | None) -> Returned:
    status = word_of(body.get("status"))
    return Returned(
        place=place,
        call_id=text_of(body.get("tool_call_id")),
        output=output_in(body.get("content")),
        failed=None if status not in ("success", "error") else status == "error",
        tool_name=text_of(body.get("name")),
        session=session,
        at=moment_of(body.get("timestamp")),
    )


def _messages(value: JsonValue) -> list[JsonValue]:
    """Return a list itself, that of an object, or that of the state which a graph's snapshot or checkpoint holds."""
    if isinstance(value, list):
        return value
    body = body_of(value)
    checkpoint = body_of(body.get("checkpoint"))
    states = (body, *(body_of(one.get(name)) for one in (body, checkpoint) for name in _STATES))
    return next((found for one in states if (found := items_of(one.get("messages")))), [])


def _session_of(body: Body) -> str | None:
    configured = body_of(body_of(body.get("config")).get("configurable"))
    return text_of(body.get("stage")) or text_of(body.get("thread_id")) or text_of(configured.get("thread_id"))


LANGCHAIN = Format(
    name="langchain",
    title="LangChain messages",
    fits=_fits,
    read=_read,
    unique_sessions=False,
    keys=frozenset({"type", "data", "content", "lc", "kwargs", "tool_calls", "messages", "values", "channel_values"}),
)
