"""Copilot CLI: its stream of session events, and the flat form of the same (`tool_use` and `tool_result` a line)."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.content_blocks import result_event
from groundtrace.transcripts.events import Answered, Asked, Called, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import (
    Body,
    bodies_of,
    body_of,
    flag_of,
    moment_of,
    number_of,
    prose_of,
    text_of,
    word_of,
)

_ROOMS = ("session.", "assistant.", "tool.", "hook.", "subagent.", "system.", "permission.", "user.")
_START, _COMPLETE = "tool.execution_start", "tool.execution_complete"
_FLAT = frozenset({"tool_use", "tool_result"})
_KNOWN = frozenset({"usage", "result", "abort", "thinking"})
_REQUESTS = 1_000
"""So many calls wait to be started; then the oldest is told as it was asked for."""


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    kind = word_of(body.get("type"))
    if not isinstance(kind, str):
        return False
    if kind.startswith(_ROOMS):
        return isinstance(body.get("data"), dict)
    flat = kind == "tool_use" and {"id", "name", "input"} <= body.keys()
    return flat or (kind == "message" and "role" in body and "timestamp" in body)


def _read(records: Iterable[Record]) -> Iterator[Event]:
    session: str | None = None
    asked: dict[str, Called] = {}
    for record in records:
        body = body_of(record.value)
        kind, data, at = str(word_of(body.get("type"))), body_of(body.get("data")), moment_of(body.get("timestamp"))
        if kind == "session.start":
            session = text_of(data.get("sessionId")) or session
        match kind:
            case "user.message":
                yield from asked.values()
                asked.clear()
                yield Asked(place=record.place, text=prose_of(data.get("content")), session=session, at=at)
            case "assistant.message":
                if text := text_of(data.get("content")):
                    yield Answered(place=record.place, text=text, session=session, at=at)
                _requested(data, record.place, session, at, asked)
                while len(asked) > _REQUESTS:
                    yield asked.pop(next(iter(asked)))
            case "tool.execution_start" | "tool.execution_complete":
                yield from _executed(kind, data, record.place, session, at, asked)
            case "message" | "tool_use" | "tool_result":
                yield from _flat(body, kind, record.place, session, at)
            case _:
                known = kind in _KNOWN or kind.startswith(_ROOMS)
                yield Skipped(place=record.place, what=f"type {kind!r}", known=known)
    yield from asked.values()


def _requested(data: Body, place: str, session: str | None, at: datetime | None, asked: dict[str, Called]) -> None:
    """Keep what the agent asked for until it is started: what never is, is a call without a result."""
    for request in bodies_of(data.get("toolRequests")):
        if call_id := text_of(request.get("toolCallId")):
            asked[call_id] = _called(request, call_id, "name", place, session, at)


def _executed(
    kind: str, data: Body, place: str, session: str | None, at: datetime | None, asked: dict[str, Called]
) -> Iterator[Event]:
    call_id = text_of(data.get("toolCallId"))
    request = asked.pop(call_id or "", None)
    if kind == _START:
        yield _called(data, call_id, "toolName", place, session, at)
        return
    if request is not None:
        yield request
    result = body_of(data.get("result"))
    succeeded = flag_of(data.get("success"))
    codes = (number_of(part.get("exitCode")) for part in bodies_of(result.get("contents")))
    yield Returned(
        place=place,
        call_id=call_id,
        output=result["content"] if "content" in result else data.get("result"),
        failed=None if succeeded is None else not succeeded,
        error=text_of(body_of(data.get("error")).get("message")),
        exit_code=next((code for code in codes if code is not None), None),
        session=session,
        at=at,
    )


def _called(body: Body, call_id: str | None, name: str, place: str, session: str | None, at: datetime | None) -> Called:
    tool = text_of(body.get(name)) or "unnamed"
    return Called(place=place, call_id=call_id, tool_name=tool, arguments=body.get("arguments"), session=session, at=at)


def _flat(body: Body, kind: str, place: str, session: str | None, at: datetime | None) -> Iterator[Event]:
    if kind == "tool_result":
        yield result_event(body, place, session=session, at=at)
    elif kind == "tool_use":
        name = text_of(body.get("name")) or "unnamed"
        call_id = text_of(body.get("id"))
        yield Called(place=place, call_id=call_id, tool_name=name, arguments=body.get("input"), session=session, at=at)
    elif (text := prose_of(body.get("content"))) and word_of(body.get("role")) in ("user", "assistant"):
        said = Asked if body["role"] == "user" else Answered
        yield said(place=place, text=text, session=session, at=at)


COPILOT_CLI = Format(
    name="copilot-cli",
    title="Copilot CLI events",
    fits=_fits,
    read=_read,
    unique_calls=True,
    keys=frozenset({"type", "data", "parentId", "toolCallId", "toolRequests"}),
)
