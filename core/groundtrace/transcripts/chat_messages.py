"""Chat messages of three APIs, which logs mix: OpenAI chat, OpenAI Responses items, Anthropic content blocks.

A list of them, one a line, or conversations that hold them under `messages`. All three are read alike.
"""

from collections.abc import Callable, Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.content_blocks import block_events, has_blocks, output_in
from groundtrace.transcripts.conversations import messages_in
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, flag_of, moment_of, prose_of, text_of, word_of
from groundtrace.transcripts.growing import Growing
from groundtrace.transcripts.response_items import is_item, item_events

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
LOOKED_AT = 20
"""So many messages of a conversation are looked at for what tells the API."""

_PROSE = frozenset(
    "text input_text output_text refusal image image_url input_image audio input_audio video video_url file input_file"
    " document reasoning thinking redacted_thinking empty".split()
)
"""Kinds of content blocks that hold no call."""

_SESSIONS = ("session_id", "conversation_id", "thread_id")


def chat_events(message: Body, place: str, /, *, session: str | None = None) -> Iterator[Event]:
    """Yield what one message tells; other formats whose messages have this form read them through here."""
    session = _session_of(message) or session
    content = message.get("content")
    at = moment_of(message.get("timestamp") or message.get("created_at") or message.get("created"))
    if is_item(message):
        yield from item_events(message, place, session=session, at=at)
        return
    if not has_blocks(content):
        yield from _unknown_blocks(content, place)
    match word_of(message.get("role")):
        case "user" | "assistant" as role if has_blocks(content):
            yield from block_events(role, content, place, session=session, at=at)
        case "user":
            yield Asked(place=place, text=prose_of(content), session=session, at=at)
        case "assistant":
            text = prose_of(content) or text_of(message.get("refusal")) or ""
            if text:
                yield Answered(place=place, text=text, session=session, at=at)
            for call_id, function in asked_functions(message):
                name = text_of(function.get("name")) or "unnamed"
                arguments = function.get("arguments", function.get("input"))
                yield Called(place=place, call_id=call_id, tool_name=name, arguments=arguments, session=session, at=at)
        case "tool" | "function":
            yield Returned(
                place=place,
                call_id=text_of(message.get("tool_call_id")),
                output=output_in(content),
                failed=flag_of(message.get("is_error")),
                tool_name=text_of(message.get("name")),
                session=session,
                at=at,
            )
        case "system" | "developer":
            yield Skipped(place=place, what=str(message["role"]), known=True)
        case role:
            yield Skipped(place=place, what=f"role {role!r}", known=False)


def _unknown_blocks(content: JsonValue, place: str) -> Iterator[Skipped]:
    """Yield the blocks of which nothing is read: a call may stand in them, so they are counted and told."""
    for block in bodies_of(content):
        kind = word_of(block.get("type")) or next(iter(block), "empty")
        if kind not in _PROSE and text_of(block.get("text")) is None:
            yield Skipped(place=place, what=f"block {kind[:60]!r}", known=False)


def is_message(value: JsonValue, /) -> bool:
    """Tell whether a value is a chat message."""
    body = body_of(value)
    return word_of(body.get("role")) in _ROLES and (
        "content" in body or "tool_calls" in body or "function_call" in body
    )


def _fits(value: JsonValue) -> bool:
    return _any_like(is_message, value)


def _fits_blocks(value: JsonValue) -> bool:
    return _any_like(lambda one: is_message(one) and has_blocks(body_of(one).get("content")), value)


def _fits_items(value: JsonValue) -> bool:
    return _any_like(is_item, value)


def _any_like(likes: Callable[[JsonValue], bool], value: JsonValue) -> bool:
    return likes(value) or any(map(likes, messages_in(value)[:LOOKED_AT]))


def _read(records: Iterable[Record]) -> Iterator[Event]:
    growing = Growing()
    for record in records:
        messages = [] if is_message(record.value) else messages_in(record.value)
        if not messages:
            yield from _one(record)
            continue
        own = _session_of(body_of(record.value))
        session = own or (record.place or None)
        known = growing.known(own, messages) if own else 0
        for number, message in enumerate(messages[known:], start=known + 1):
            place = f"{record.place}, message {number}" if record.place else f"message {number}"
            yield from chat_events(body_of(message), place, session=session)
        if own is None:
            yield Ended(session=session)


def _one(record: Record) -> Iterator[Event]:
    body = body_of(record.value)
    if "role" in body or is_item(body):
        yield from chat_events(body, record.place)
    else:
        yield Skipped(place=record.place, what=text_of(body.get("type")) or "no message", known=False)


def asked_functions(message: Body, /) -> Iterator[tuple[str | None, Body]]:
    """Yield the calls that a message asks for, each with its id: a list of them, or the one of older days."""
    for call in bodies_of(message.get("tool_calls")):
        function = call.get("function", call.get("custom"))
        if isinstance(function, str):
            function = {**call, "name": function}
        yield text_of(call.get("id")), function if isinstance(function, dict) else call
    if isinstance(old := message.get("function_call"), dict):
        yield None, old


def _session_of(body: Body) -> str | None:
    return next((found for name in _SESSIONS if (found := text_of(body.get(name)))), None)


OPENAI_CHAT = Format(
    name="openai-chat",
    title="OpenAI chat messages",
    fits=_fits,
    read=_read,
    unique_sessions=False,
    keys=frozenset({"role", "content", "tool_calls", "tool_call_id", "messages", "function"}),
)

ANTHROPIC = Format(
    name="anthropic",
    title="Anthropic messages with content blocks",
    fits=_fits_blocks,
    read=_read,
    unique_sessions=False,
    keys=frozenset({"role", "content", "tool_use_id", "input", "messages"}),
)

OPENAI_RESPONSES = Format(
    name="openai-responses",
    title="OpenAI Responses items",
    fits=_fits_items,
    read=_read,
    unique_sessions=False,
    keys=frozenset({"type", "call_id", "arguments", "output", "input"}),
)
