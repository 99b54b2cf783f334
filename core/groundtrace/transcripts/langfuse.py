"""Langfuse exports: traces with their observations, sessions with their traces, pages of the API, rows of tables."""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Event, Format, Record, Skipped
from groundtrace.transcripts.fields import Body, body_of, items_of, text_of
from groundtrace.transcripts.gathering import Gathering
from groundtrace.transcripts.observations import field, is_observation, observation_step, trace_step
from groundtrace.transcripts.steps import Step

_LISTS = ("data", "traces")
_OWN = frozenset({"sessionId", "session_id", "htmlPath", "bookmarked", "projectId", "project_id", "userId", "user_id"})
_TELLS = frozenset({"timestamp", "input", "output", "name"})
_LOOKED_AT = 20
_DEPTH = 3


def _is_trace(body: Body) -> bool:
    rows = body.get("observations")
    if isinstance(rows, list):
        whole = isinstance(body.get("trace"), dict) or bool((_OWN | _TELLS) & body.keys())
        return whole and all(isinstance(row, str) or "type" in body_of(row) for row in rows[:_LOOKED_AT])
    return "id" in body and "timestamp" in body and bool(_OWN & body.keys()) and bool({"input", "output"} & body.keys())


def _fits(value: JsonValue, depth: int = _DEPTH) -> bool:
    body = body_of(value)
    if _is_trace(body):
        return True
    if is_observation(body):
        return any(field(body, name) is not None for name in ("traceId", "parentObservationId"))
    inner = value if isinstance(value, list) else [one for name in _LISTS for one in items_of(body.get(name))]
    return depth > 0 and any(_fits(one, depth - 1) for one in inner[:_LOOKED_AT])


def _read(records: Iterable[Record]) -> Iterator[Event]:
    gathering = Gathering()
    for record in records:
        for found in _found(record.value, record.place, None, _DEPTH):
            if isinstance(found, Step):
                yield from gathering.take(found)
            else:
                yield found
    yield from gathering.end()


def _found(value: JsonValue, place: str, session: str | None, depth: int) -> Iterator[Step | Skipped]:
    body = body_of(value)
    if _is_trace(body):
        yield from _trace(body, place, session)
    elif is_observation(body):
        yield observation_step(body, place, trace=None, session=session)
    elif isinstance(value, list):
        yield from _all(value, place, session, depth)
    elif depth and any(isinstance(body.get(name), list) for name in _LISTS):
        own = session or (text_of(body.get("id")) if "traces" in body else None)
        for name in _LISTS:
            yield from _all(items_of(body.get(name)), place, own, depth)
    else:
        known = "dataType" in body or "data_type" in body
        yield Skipped(place=place, what="score" if known else f"type {body.get('type')!r}", known=known)


def _all(values: list[JsonValue], place: str, session: str | None, depth: int) -> Iterator[Step | Skipped]:
    for number, one in enumerate(values if depth else (), start=1):
        yield from _found(one, f"{place} {number}".strip(), session, depth - 1)


def _trace(body: Body, place: str, session: str | None) -> Iterator[Step | Skipped]:
    rows = items_of(body.get("observations"))
    own = body_of(body.get("trace")) or body
    trace = text_of(own.get("id"))
    session = text_of(field(own, "sessionId")) or session
    yield trace_step({**own, "observations": rows}, place, trace=trace, session=session)
    for number, row in enumerate(rows, start=1):
        where = f"{place} observation {number}".strip()
        one = body_of(row)
        if one:
            yield observation_step(one, where, trace=trace, session=session)
        else:
            yield Skipped(place=where, what="observation that is not in the file", known=isinstance(row, str))


LANGFUSE = Format(
    name="langfuse",
    title="Langfuse exports",
    fits=_fits,
    read=_read,
    unique_calls=True,
    keys=frozenset(
        {"observations", "traceId", "parentObservationId", "statusMessage", "level", "sessionId", "startTime"}
    ),
)
