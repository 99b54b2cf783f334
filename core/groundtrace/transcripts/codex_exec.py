"""What `codex exec --json` prints: threads, turns and items that start and are completed; it tells no times."""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.transcripts.events import Answered, Asked, Called, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, body_of, number_of, text_of, word_of

_STAGES = frozenset({"item.started", "item.updated", "item.completed"})
_KNOWN = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed", "error"})
_KNOWN_ITEMS = frozenset({"reasoning", "todo_list", "error"})
_TOOLS = frozenset({"command_execution", "mcp_tool_call", "file_change", "web_search", "collab_tool_call"})
_OWN = frozenset({"id", "type", "status", "aggregated_output", "exit_code", "result", "error"})


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    return (word_of(body.get("type")) in _STAGES and isinstance(body.get("item"), dict)) or (
        word_of(body.get("type")) == "thread.started" and "thread_id" in body
    )


def _read(records: Iterable[Record]) -> Iterator[Event]:
    session: str | None = None
    started: set[str] = set()
    for record in records:
        body = body_of(record.value)
        kind, item = word_of(body.get("type")), body_of(body.get("item"))
        if kind == "thread.started":
            session = text_of(body.get("thread_id")) or session
        if kind == "turn.started":
            started.clear()
            yield Asked(place=record.place, text="", session=session)
        elif kind in _STAGES:
            yield from _item(item, str(kind), record.place, session, started)
        else:
            yield Skipped(place=record.place, what=f"type {kind!r}", known=kind in _KNOWN)


def _item(item: Body, stage: str, place: str, session: str | None, started: set[str]) -> Iterator[Event]:
    kind, item_id = word_of(item.get("type")), text_of(item.get("id"))
    if kind == "agent_message" and stage == "item.completed":
        yield Answered(place=place, text=text_of(item.get("text")) or "", session=session)
    elif kind in _TOOLS:
        if item_id is None or item_id not in started:
            yield Called(place=place, call_id=item_id, tool_name=_name(item), arguments=_given(item), session=session)
            started.add(item_id or "")
        if stage == "item.completed":
            started.discard(item_id or "")
            yield _returned(item, item_id, place, session)
    else:
        known = kind in _KNOWN_ITEMS or kind == "agent_message"
        yield Skipped(place=place, what=f"item {kind!r}", known=known)


def _name(item: Body) -> str:
    tool, server = text_of(item.get("tool")), text_of(item.get("server"))
    return ".".join(part for part in (server, tool) if part) or str(word_of(item.get("type")))


def _given(item: Body) -> JsonValue:
    arguments = item.get("arguments")
    return arguments if arguments is not None else {name: value for name, value in item.items() if name not in _OWN}


def _returned(item: Body, item_id: str | None, place: str, session: str | None) -> Returned:
    status = word_of(item.get("status"))
    error = text_of(body_of(item.get("error")).get("message"))
    output = item.get("aggregated_output", item.get("result"))
    return Returned(
        place=place,
        call_id=item_id,
        output=output if output is not None or error else item.get("changes"),
        failed=None if status is None else status != "completed",
        error=error,
        kind=FailureKind.DENIED if status == "declined" else None,
        exit_code=number_of(item.get("exit_code")),
        session=session,
    )


CODEX_EXEC = Format(
    name="codex-exec",
    title="codex exec --json",
    fits=_fits,
    read=_read,
    keys=frozenset({"type", "item", "thread_id", "aggregated_output", "exit_code"}),
)
