"""Items of OpenAI's Responses API, which Codex writes too: calls and their outputs are items beside the messages."""

import json
import re
from collections.abc import Iterator
from datetime import datetime

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.content_blocks import output_in
from groundtrace.transcripts.events import Answered, Asked, Called, Event, Returned, Skipped
from groundtrace.transcripts.fields import Body, body_of, flag_of, number_of, prose_of, text_of, word_of

CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_WHOLE = frozenset({"mcp_call"})
_VENDOR = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "computer_call", "tool_search_call"}
)
_KNOWN = frozenset({"reasoning", "item_reference", "compaction", "ghost_snapshot", "image_generation_call"})
_KNOWN_TYPES = CALLS | OUTPUTS | _WHOLE | _VENDOR | _KNOWN

_NO_QUESTION = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "# AGENTS.md instructions")

# The header that a shell's output carries, before the output itself.
_EXIT = re.compile(r"(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?Process exited with code (-?\d{1,9})\n")
_ENVELOPE = '{"output":'


def is_item(value: JsonValue, /) -> bool:
    """Tell whether a value is a call, an output or another item of this form that no chat message is."""
    return word_of(body_of(value).get("type")) in _KNOWN_TYPES


def item_events(item: Body, place: str, /, *, session: str | None, at: datetime | None) -> Iterator[Event]:
    """Yield what one item tells."""
    kind = word_of(item.get("type"))
    if kind == "message":
        yield from _message(item, place, session, at)
    elif kind in CALLS or kind in _VENDOR:
        yield from _call(item, str(kind), place, session, at)
    elif kind in OUTPUTS:
        yield _output(item, place, session, at)
    elif kind in _WHOLE:
        yield from _call(item, str(kind), place, session, at)
        error = item.get("error")
        yield Returned(
            place=place,
            call_id=text_of(item.get("id")),
            output=item.get("output"),
            failed=error is not None,
            error=text_of(error) or (json.dumps(error) if error is not None else None),
            session=session,
            at=at,
        )
    else:
        yield Skipped(place=place, what=f"item {kind!r}", known=kind in _KNOWN)


def _message(item: Body, place: str, session: str | None, at: datetime | None) -> Iterator[Event]:
    text = prose_of(item.get("content"))
    if word_of(item.get("role")) == "assistant":
        yield Answered(place=place, text=text, session=session, at=at)
    elif word_of(item.get("role")) == "user" and not text.lstrip().startswith(_NO_QUESTION):
        yield Asked(place=place, text=text, session=session, at=at)
    else:
        yield Skipped(place=place, what="instructions", known=True)


def _call(item: Body, kind: str, place: str, session: str | None, at: datetime | None) -> Iterator[Event]:
    given = next((item[name] for name in ("arguments", "input", "action", "queries") if name in item), None)
    call_id = text_of(item.get("call_id")) or text_of(item.get("id"))
    name = text_of(item.get("name")) or kind.removesuffix("_call")
    arguments = {"input": given} if kind == "custom_tool_call" and isinstance(given, str) else given
    yield Called(place=place, call_id=call_id, tool_name=name, arguments=arguments, session=session, at=at)
    if kind in _VENDOR and item.get("results") is not None:
        yield Returned(place=place, call_id=call_id, output=item["results"], session=session, at=at)


def _output(item: Body, place: str, session: str | None, at: datetime | None) -> Returned:
    output = item.get("output")
    inner = body_of(output)
    if "content" in inner:
        output, failed = inner["content"], flag_of(inner.get("success"))
        failed = None if failed is None else not failed
    else:
        failed = True if word_of(item.get("status")) == "failed" else None
    output, code = _exit_code(output_in(output))
    call_id = text_of(item.get("call_id"))
    return Returned(place=place, call_id=call_id, output=output, failed=failed, exit_code=code, session=session, at=at)


def _exit_code(output: JsonValue) -> tuple[JsonValue, int | None]:
    """Return an output without the envelope that a shell's has, and the exit code that envelope or header tells."""
    if not isinstance(output, str):
        return output, None
    if output.startswith(_ENVELOPE):
        try:
            whole = body_of(json.loads(output))
        except (ValueError, RecursionError):
            return output, None
        code = number_of(body_of(whole.get("metadata")).get("exit_code"))
        return (whole.get("output"), code) if code is not None else (output, None)
    found = _EXIT.match(output)
    return output, None if found is None else int(found[1])
