"""Contents of the Gemini API, which checkpoints and saved chats of Gemini CLI hold: calls and responses are parts."""

from collections.abc import Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Answered, Asked, Called, Event, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, text_of, word_of

_LISTS = ("history", "clientHistory", "contents")
_ROLES = frozenset({"user", "model", "function"})
_NO_QUESTION = ("<session_context>", "This is the Gemini CLI.")


def contents_of(value: JsonValue, /) -> list[JsonValue]:
    """Return the contents of a list, of an object that lists them, or of one that is a content itself."""
    body = body_of(value)
    found = items_of(value) or next((one for name in _LISTS if (one := items_of(body.get(name)))), [])
    return found if any(map(_is_content, found)) else [body] if _is_content(body) else []


def content_events(contents: list[JsonValue], place: str, /) -> Iterator[Event]:
    """Yield what contents tell, in their order."""
    for number, content in enumerate(contents, start=1):
        yield from _content(body_of(content), f"{place} content {number}".strip())


def _is_content(value: JsonValue) -> bool:
    body = body_of(value)
    return isinstance(body.get("parts"), list) and word_of(body.get("role")) in _ROLES


def _content(content: Body, place: str) -> Iterator[Event]:
    if not _is_content(content):
        yield Skipped(place=place, what="no content", known=False)
        return
    parts = list(bodies_of(content["parts"]))
    for response in filter(None, (body_of(part.get("functionResponse")) for part in parts)):
        yield _returned(response, place)
    text = "\n".join(
        found for part in parts if part.get("thought") is not True and (found := text_of(part.get("text")))
    )
    if text and not text.startswith(_NO_QUESTION):
        said = Answered if content["role"] == "model" else Asked
        yield said(place=place, text=text)
    for call in filter(None, (body_of(part.get("functionCall")) for part in parts)):
        name, arguments = text_of(call.get("name")) or "unnamed", call.get("args")
        yield Called(place=place, call_id=text_of(call.get("id")), tool_name=name, arguments=arguments)


def _returned(response: Body, place: str) -> Returned:
    given = body_of(response.get("response"))
    error = text_of(given.get("error"))
    return Returned(
        place=place,
        call_id=text_of(response.get("id")),
        output=given["output"] if "output" in given else response.get("response"),
        failed=True if error is not None else None,
        error=error,
        tool_name=text_of(response.get("name")),
    )
