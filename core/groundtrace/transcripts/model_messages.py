"""Messages of a model's input and output as spans keep them: OpenTelemetry's parts, chat messages, LangChain's."""

from collections.abc import Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.attributes import listed, unwritten
from groundtrace.transcripts.chat_messages import chat_events
from groundtrace.transcripts.content_blocks import output_in
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, flag_of, text_of, word_of
from groundtrace.transcripts.langchain_messages import LANGCHAIN

_LISTS = ("messages", "input", "output", "choices")
_TEXTS = ("content", "input", "output", "question", "query", "answer", "text")
_CALLS = frozenset({"tool_call", "server_tool_call"})
_RESPONSES = frozenset({"tool_call_response", "server_tool_call_response"})
_DEPTH = 6


def message_events(value: JsonValue, place: str, /, *, given: bool, depth: int = _DEPTH) -> Iterator[Event]:
    """Yield what messages tell, in whatever form they stand; a text alone is a question, or an answer if `given`."""
    value = unwritten(value)
    if isinstance(value, str):
        said = Answered if given else Asked
        yield said(place=place, text=value)
    elif isinstance(value, list):
        for one in value if depth else ():
            if not isinstance(one, str):
                yield from message_events(one, place, given=given, depth=depth - 1)
    elif isinstance(value, dict) and value:
        yield from _message(value, place, given=given, depth=depth)


def _message(body: Body, place: str, *, given: bool, depth: int) -> Iterator[Event]:
    if isinstance(body.get("message"), dict):
        body = body_of(body["message"])
    if _numbered(body):
        yield from message_events(listed(body), place, given=given, depth=depth - 1) if depth else ()
    elif isinstance(body.get("parts"), list):
        yield from _parts(body, place, given=given)
    elif LANGCHAIN.fits(body):
        events = LANGCHAIN.read((Record(place=place, value=body),))
        yield from (event for event in events if not isinstance(event, Skipped | Ended))
    elif "role" in body:
        events = chat_events(_as_chat(body), place)
        yield from (event for event in events if not isinstance(event, Skipped))
    else:
        yield from _held(body, place, given=given, depth=depth)


def _held(body: Body, place: str, *, given: bool, depth: int) -> Iterator[Event]:
    """Yield what an object that is no message holds: messages under a known name, or a text."""
    for name in _LISTS:
        if depth and isinstance(body.get(name), list | dict):
            yield from message_events(body[name], place, given=given, depth=depth - 1)
            return
    if body.get("tool_calls"):
        yield from chat_events(
            {"role": "assistant", "content": body.get("content"), "tool_calls": body["tool_calls"]}, place
        )
        return
    text = next((found for name in _TEXTS if (found := text_of(body.get(name)))), None)
    if text is not None:
        yield from message_events(text, place, given=given, depth=0) if text[:1] not in "[{" else ()


def _parts(message: Body, place: str, *, given: bool) -> Iterator[Event]:
    """Yield results first, then what is said, then calls."""
    parts = list(bodies_of(message["parts"]))
    for part in parts:
        if word_of(part.get("type")) in _RESPONSES:
            yield _response(part, place)
    texts = (text_of(part.get("content")) for part in parts if word_of(part.get("type")) == "text")
    text = "\n".join(one for one in texts if one)
    role = word_of(message.get("role")) or ("assistant" if given else "user")
    if text and role in ("user", "assistant", "model"):
        said = Asked if role == "user" else Answered
        yield said(place=place, text=text)
    elif text and role == "tool":
        yield Returned(place=place, call_id=text_of(message.get("id")), output=text)
    for part in parts:
        if word_of(part.get("type")) in _CALLS:
            inner = part.get("server_tool_call")
            yield Called(
                place=place,
                call_id=text_of(part.get("id")),
                tool_name=text_of(part.get("name")) or "unnamed",
                arguments=part.get("arguments", inner),
            )


def _response(part: Body, place: str) -> Returned:
    found = next(
        (part[name] for name in ("response", "result", "server_tool_call_response", "content") if name in part), None
    )
    failed = flag_of(part.get("is_error"))
    output = output_in(found)
    return Returned(
        place=place,
        call_id=text_of(part.get("id")),
        output=output,
        failed=failed,
        error=text_of(output) if failed else None,
        tool_name=text_of(part.get("name")),
    )


def _as_chat(message: Body) -> Body:
    """Return a chat message whose lists are lists, also where they stand under their numbers."""
    chat = dict(message)
    if message.get("tool_calls") is not None:
        calls = listed(unwritten(message["tool_calls"]))
        chat["tool_calls"] = [_as_call(body_of(one)) for one in calls]
    if "content" in message:
        chat["content"] = _content(unwritten(message["content"]), message["content"])
    elif (parts := listed(message.get("contents"))) != []:
        chat["content"] = [body_of(part).get("message_content") for part in parts]
    if message.get("role") in ("model", "ai"):
        chat["role"] = "assistant"
    return chat


def _as_call(call: Body) -> Body:
    inner = call.get("tool_call")
    return inner if isinstance(inner, dict) else call


def _content(content: JsonValue, written: JsonValue) -> JsonValue:
    """Return content blocks where a text writes some; any other text stands as it is."""
    blocks = isinstance(content, list) and any("type" in one for one in bodies_of(content))
    return content if blocks else written


def _numbered(body: Body) -> bool:
    return bool(body) and all(name.isdecimal() for name in body)
