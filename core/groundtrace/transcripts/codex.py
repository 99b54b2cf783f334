"""Codex: its rollout files (`sessions/**/rollout-*.jsonl`), whose payloads are items of the Responses API."""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Event, Format, Record, Skipped
from groundtrace.transcripts.fields import Body, body_of, moment_of, text_of, word_of
from groundtrace.transcripts.response_items import is_item, item_events

_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})


def _fits(value: JsonValue) -> bool:
    body = body_of(value)
    return _is_old_head(body) or (word_of(body.get("type")) in _TYPES and isinstance(body.get("payload"), dict))


def _is_old_head(body: Body) -> bool:
    """Tell whether a record is the first line of an older rollout, whose items stand without an envelope."""
    return {"id", "timestamp", "instructions"} <= body.keys() and "type" not in body and "role" not in body


def _read(records: Iterable[Record]) -> Iterator[Event]:
    session: str | None = None
    for record in records:
        body = body_of(record.value)
        kind, payload, at = word_of(body.get("type")), body_of(body.get("payload")), moment_of(body.get("timestamp"))
        if kind == "session_meta":
            # A session that goes on from another one repeats its head; the file is the first one's.
            session = session or text_of(payload.get("id")) or text_of(payload.get("session_id"))
            yield Skipped(place=record.place, what=str(kind), known=True)
        elif kind == "response_item":
            yield from item_events(payload, record.place, session=session, at=at)
        elif _is_old_head(body):
            session = session or text_of(body.get("id"))
            yield Skipped(place=record.place, what="head", known=True)
        elif "record_type" in body:
            yield Skipped(place=record.place, what="state", known=True)
        elif kind not in _TYPES and (kind == "message" or is_item(body)):
            yield from item_events(body, record.place, session=session, at=at)
        else:
            yield Skipped(place=record.place, what=f"type {kind!r}", known=kind in _TYPES)


CODEX = Format(
    name="codex",
    title="Codex rollout files",
    fits=_fits,
    read=_read,
    unique_calls=True,
    keys=frozenset({"timestamp", "type", "payload", "call_id"}),
)
