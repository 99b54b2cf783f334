"""opencode: an exported session (`opencode export`), and the events of `opencode run --format json`."""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, moment_of, number_of, text_of, word_of

_KNOWN = frozenset("step-start step-finish reasoning patch snapshot file agent compaction retry subtask".split())
_DONE = frozenset({"completed", "error"})


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    if "sessionID" in body and isinstance(body.get("part"), dict):
        return True
    if _is_kept_tool(body):
        return True
    first = body_of(next(iter(items_of(body.get("messages"))), None))
    return isinstance(body.get("info"), dict) and isinstance(first.get("parts"), list)


def _is_kept_tool(body: Body) -> bool:
    """Tell whether a record is a tool's part as opencode's storage keeps it, in a file of its own."""
    return body.get("type") == "tool" and "sessionID" in body and "callID" in body


def _read(records: Iterable[Record]) -> Iterator[Event]:
    for record in records:
        body = body_of(record.value)
        if isinstance(body.get("part"), dict):
            session = text_of(body.get("sessionID"))
            yield from _part(body_of(body["part"]), "assistant", record.place, session, body.get("timestamp"))
        elif _is_kept_tool(body):
            yield from _part(body, "assistant", record.place, text_of(body.get("sessionID")), None)
        elif "messages" in body:
            session = text_of(body_of(body.get("info")).get("id"))
            for number, message in enumerate(bodies_of(body["messages"]), start=1):
                yield from _message(message, f"{record.place} message {number}".strip(), session)
            yield Ended(session=session)
        else:
            yield Skipped(place=record.place, what=f"type {body.get('type')!r}", known=False)


def _message(message: Body, place: str, session: str | None) -> Iterator[Event]:
    info = body_of(message.get("info"))
    created = body_of(info.get("time")).get("created")
    for part in bodies_of(message.get("parts")):
        yield from _part(part, word_of(info.get("role")), place, session, created)


def _part(part: Body, role: JsonValue, place: str, session: str | None, created: JsonValue) -> Iterator[Event]:
    kind, times = word_of(part.get("type")), body_of(part.get("time"))
    at = moment_of(times.get("end")) or moment_of(created)
    if kind == "text" and part.get("synthetic") is not True:
        said = Answered if role == "assistant" else Asked
        yield said(place=place, text=text_of(part.get("text")) or "", session=session, at=at)
    elif kind == "tool":
        yield from _tool(part, place, session, created)
    else:
        yield Skipped(place=place, what=f"part {kind!r}", known=kind in _KNOWN or kind == "text")


def _tool(part: Body, place: str, session: str | None, created: JsonValue) -> Iterator[Event]:
    state, call_id = body_of(part.get("state")), text_of(part.get("callID"))
    times, status = body_of(state.get("time")), word_of(state.get("status"))
    yield Called(
        place=place,
        call_id=call_id,
        tool_name=text_of(part.get("tool")) or "unnamed",
        arguments=state.get("input"),
        session=session,
        at=moment_of(times.get("start")) or moment_of(created),
    )
    if status in _DONE:
        yield Returned(
            place=place,
            call_id=call_id,
            output=state.get("output"),
            failed=status == "error",
            error=text_of(state.get("error")),
            exit_code=number_of(body_of(state.get("metadata")).get("exit")),
            session=session,
            at=moment_of(times.get("end")),
        )


OPENCODE = Format(
    name="opencode",
    title="opencode sessions",
    fits=_fits,
    read=_read,
    unique_calls=True,
    keys=frozenset({"info", "messages", "parts", "sessionID", "callID", "state"}),
)
