"""Messages made of content blocks, as Anthropic's API writes them: `tool_use` in the one, `tool_result` in the next."""

from collections.abc import Iterator
from datetime import datetime

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Answered, Asked, Called, Event, Returned
from groundtrace.transcripts.fields import Body, bodies_of, body_of, flag_of, items_of, prose_of, text_of, word_of

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULT = "tool_result"


def has_blocks(content: JsonValue, /) -> bool:
    """Tell whether a message calls a tool, or brings a result, in its content."""
    return any(_is_call(block) or is_result(block) for block in bodies_of(content))


def called_blocks(content: JsonValue, /) -> Iterator[Body]:
    """Yield the blocks that call a tool."""
    return (block for block in bodies_of(content) if _is_call(block))


def is_result(block: Body, /) -> bool:
    """Tell whether a block is a tool's result; those of a vendor's own tools end in the same word."""
    kind = word_of(block.get("type"))
    return isinstance(kind, str) and kind.endswith(_RESULT) and "tool_use_id" in block


def block_events(
    role: JsonValue, content: JsonValue, place: str, /, *, session: str | None, at: datetime | None
) -> Iterator[Event]:
    """Yield what a message of blocks tells: results of earlier calls, what is said, calls, results of those calls."""
    blocks = list(bodies_of(content))
    own = {text_of(block.get("id")) for block in blocks if _is_call(block)} - {None}
    for block in blocks:
        if is_result(block) and text_of(block.get("tool_use_id")) not in own:
            yield result_event(block, place, session=session, at=at)
    if text := prose_of(
        [block for block in items_of(content) if word_of(body_of(block).get("type", "text")) == "text"]
    ):
        said = Answered if role == "assistant" else Asked
        yield said(place=place, text=text, session=session, at=at)
    for block in filter(_is_call, blocks):
        yield Called(
            place=place,
            call_id=text_of(block.get("id")),
            tool_name=text_of(block.get("name")) or "unnamed",
            arguments=block.get("input"),
            session=session,
            at=at,
        )
    for block in blocks:
        if is_result(block) and text_of(block.get("tool_use_id")) in own:
            yield result_event(block, place, session=session, at=at)


def result_event(block: Body, place: str, /, *, session: str | None, at: datetime | None) -> Returned:
    """Return what a result block tells."""
    failed = flag_of(block.get("is_error"))
    inner = body_of(block.get("content"))
    if text_of(inner.get("error_code")):
        failed = True
    output = output_in(block.get("content"))
    return Returned(
        place=place,
        call_id=text_of(block.get("tool_use_id")),
        output=output,
        failed=failed,
        error=text_of(output) if failed else None,
        session=session,
        at=at,
    )


def output_in(content: JsonValue, /) -> JsonValue:
    """Return the text of content parts that are all text, all else as it stands."""
    if isinstance(content, list) and content and all(isinstance(body_of(one).get("text"), str) for one in content):
        return prose_of(content)
    return content


def _is_call(block: Body) -> bool:
    return word_of(block.get("type")) in _CALLS and "name" in block
