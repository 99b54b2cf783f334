"""Gemini CLI: its session files, one object with `messages` or a journal of them a line, its printed stream, and
its checkpoints.

A message is written again when its calls are done; ids tell that it is the same one.
"""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.transcripts.events import Answered, Asked, Called, Event, Format, Record, Returned, Skipped
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, moment_of, prose_of, text_of, word_of
from groundtrace.transcripts.gemini_contents import content_events, contents_of
from groundtrace.transcripts.gemini_stream import GeminiStream, is_stream, is_stream_kind

_KNOWN = frozenset({"info", "error", "warning", "system", "about", "compression"})
_NO_QUESTION = ("<session_context>", "This is the Gemini CLI.")


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    if "projectHash" in body and "sessionId" in body:
        return True
    if is_stream(body) or contents_of(value):
        return True
    return word_of(body.get("type")) == "gemini" and "content" in body and "id" in body


def _read(records: Iterable[Record]) -> Iterator[Event]:
    session: str | None = None
    stream = GeminiStream()
    for record in records:
        body = body_of(record.value)
        if is_stream_kind(body):
            yield from stream.take(body, record.place)
            continue
        if contents := contents_of(record.value):
            yield from content_events(contents, record.place)
            continue
        session = text_of(body.get("sessionId")) or session
        changed = body_of(body.get("$set"))
        if "type" in body:
            yield from _message(body, record.place, session)
        elif "messages" in body or "messages" in changed:
            for number, message in enumerate(bodies_of(body.get("messages", changed.get("messages"))), start=1):
                yield from _message(message, f"{record.place} message {number}".strip(), session)
        else:
            known = bool(changed) or "projectHash" in body or any(name.startswith("$") for name in body)
            yield Skipped(place=record.place, what="no message", known=known)
    yield from stream.ended()


def _message(message: Body, place: str, session: str | None) -> Iterator[Event]:
    message_id = text_of(message.get("id"))
    kind, at, text = word_of(message.get("type")), moment_of(message.get("timestamp")), prose_of(message.get("content"))
    if kind == "gemini":
        if text.strip():
            yield Answered(place=place, text=text, session=session, at=at, message_id=message_id)
        for call in bodies_of(message.get("toolCalls")):
            yield from _call(call, message, place, session)
    elif kind == "user" and text.strip() and not text.lstrip().startswith(_NO_QUESTION):
        yield Asked(place=place, text=text, session=session, at=at, message_id=message_id)
    else:
        yield Skipped(place=place, what=f"type {kind!r}", known=kind == "user" or kind in _KNOWN)


def _call(call: Body, message: Body, place: str, session: str | None) -> Iterator[Event]:
    call_id, name, at = text_of(call.get("id")), text_of(call.get("name")), moment_of(message.get("timestamp"))
    yield Called(
        place=place, call_id=call_id, tool_name=name or "unnamed", arguments=call.get("args"), session=session, at=at
    )
    status = word_of(call.get("status"))
    if "result" not in call and status not in ("error", "cancelled"):
        return
    response = _response(call)
    error = text_of(response.get("error"))
    yield Returned(
        place=place,
        call_id=call_id,
        output=response["output"] if "output" in response else (response or call.get("resultDisplay")),
        failed=None if status is None else status != "success",
        error=error,
        kind=FailureKind.CANCELLED if status == "cancelled" else None,
        session=session,
        at=moment_of(call.get("timestamp")),
    )


def _response(call: Body) -> Body:
    found = (body_of(body_of(part).get("functionResponse")) for part in items_of(call.get("result")))
    return next((body_of(one.get("response")) for one in found if one), {})


GEMINI_CLI = Format(
    name="gemini-cli",
    title="Gemini CLI sessions",
    fits=_fits,
    read=_read,
    unique_calls=True,
    keys=frozenset({"sessionId", "projectHash", "toolCalls", "thoughts", "functionResponse"}),
)
