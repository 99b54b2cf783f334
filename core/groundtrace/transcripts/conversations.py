"""Where a record keeps its messages: under a name of its own, or in what was sent to a model and what came back.

A log of requests, a line of a batch and its result, and a reply as the API gave it each hold a part of a conversation.
"""

from collections.abc import Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.fields import Body, bodies_of, body_of, text_of

_SENT = ("messages", "conversation", "input")
_REQUEST = ("request",)
_AFTER = ("body", "params", "response", "result")
_DEEPEST = 4


def messages_in(value: JsonValue, /) -> list[JsonValue]:
    """Return the messages of a record in their order: a list is one, an object holds what was sent and what came."""
    return value if isinstance(value, list) else list(_in(body_of(value), _DEEPEST))


def _in(body: Body, depth: int) -> Iterator[JsonValue]:
    yield from _within(body, _REQUEST, depth)
    yield from _sent(body)
    output = body.get("output")
    if isinstance(output, list):
        yield from output
    for choice in bodies_of(body.get("choices")):
        if isinstance(choice.get("message"), dict):
            yield choice["message"]
    yield from _within(body, _AFTER, depth)
    if depth < _DEEPEST and isinstance(body.get("message"), dict):
        yield body["message"]


def _sent(body: Body) -> Iterator[JsonValue]:
    for name in _SENT:
        found = body.get(name)
        if isinstance(found, list):
            yield from found
            return
        if name == "input" and isinstance(found, str) and text_of(found):
            yield {"role": "user", "content": found}


def _within(body: Body, names: tuple[str, ...], depth: int) -> Iterator[JsonValue]:
    for name in names if depth else ():
        inner = body_of(body.get(name))
        if "role" in inner and "content" in inner:
            yield inner
        elif inner:
            yield from _in(inner, depth - 1)
