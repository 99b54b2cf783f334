"""Spans in each JSON that they are written in: OTLP, SDK exporters, Phoenix; and log records that belong to spans."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.attributes import tree_of
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, moment_of, text_of

_RESOURCES = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
_LISTS = ("spans", "traces", "data")
_MARKS = ("attributes", "startTimeUnixNano", "start_time_unix_nano", "start_time")
_DEPTH = 4

_FAILED = frozenset({"2", "ERROR", "STATUS_CODE_ERROR"})
_FINE = frozenset({"1", "OK", "STATUS_CODE_OK"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """Something that happened during a span; `attributes` nested by the dots of their names."""

    name: str
    at: datetime | None
    attributes: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span whatever wrote it; `failed` is its status, None where that is unset, and `message` what goes with it."""

    place: str
    trace: str | None
    id: str | None
    parent: str | None
    name: str
    start: datetime | None
    end: datetime | None
    attributes: Body
    events: tuple[SpanEvent, ...] = ()
    failed: bool | None = None
    message: str | None = None


def spans_in(value: JsonValue, place: str, /, depth: int = _DEPTH) -> Iterator[Span]:
    """Yield the spans that a record holds; none for any other record."""
    if isinstance(value, list):
        yield from _all(value, place, depth)
        return
    body = body_of(value)
    if any(name in body for name in (*_RESOURCES, *_SCOPES)):
        for resource in (one for name in _RESOURCES for one in bodies_of(body.get(name))):
            yield from _scoped(resource, place)
        yield from _scoped(body, place)
    elif "resourceLogs" in body:
        yield from _logged(body, place)
    elif is_span(body):
        yield _span(body, place)
    elif isinstance(body.get("trace"), dict):
        yield from spans_in(body["trace"], place, depth - 1) if depth else ()
    else:
        for name in _LISTS:
            yield from _all(items_of(body.get(name)), place, depth)


def is_span(body: Body, /) -> bool:
    """Tell whether an object is a span by itself."""
    context = body_of(body.get("context"))
    named = any(name in body for name in ("spanId", "span_id", "context.span_id")) or "span_id" in context
    return named and (any(name in body for name in _MARKS) or any(name.startswith("attributes.") for name in body))


def _all(values: list[JsonValue], place: str, depth: int) -> Iterator[Span]:
    for number, one in enumerate(values if depth else (), start=1):
        yield from spans_in(one, f"{place} {number}".strip(), depth - 1)


def _scoped(resource: Body, place: str) -> Iterator[Span]:
    spans = (
        span for name in _SCOPES for scope in bodies_of(resource.get(name)) for span in bodies_of(scope.get("spans"))
    )
    for number, span in enumerate(spans, start=1):
        yield _span(span, f"{place} span {number}".strip())


def _span(body: Body, place: str) -> Span:
    context, status = body_of(body.get("context")), body_of(body.get("status"))
    code = _first(status.get("code"), status.get("status_code"), status.get("statusCode"), body.get("status_code"))
    message = _first(status.get("message"), status.get("description"), body.get("status_message"))
    return Span(
        place=place,
        trace=_text(body, context, "traceId", "trace_id"),
        id=_text(body, context, "spanId", "span_id"),
        parent=next(
            (found for name in ("parentSpanId", "parent_span_id", "parent_id") if (found := text_of(body.get(name)))),
            None,
        ),
        name=text_of(body.get("name")) or "",
        start=_moment(
            _first(*(body.get(name) for name in ("startTimeUnixNano", "start_time_unix_nano", "start_time")))
        ),
        end=_moment(_first(*(body.get(name) for name in ("endTimeUnixNano", "end_time_unix_nano", "end_time")))),
        attributes=_attributes(body),
        events=tuple(_event(event) for event in bodies_of(body.get("events"))),
        failed=_failed(code),
        message=text_of(message),
    )


def _attributes(body: Body) -> Body:
    flat = {name.removeprefix("attributes."): one for name, one in body.items() if name.startswith("attributes.")}
    return tree_of(flat if flat else body.get("attributes"))


def _event(event: Body) -> SpanEvent:
    at = _first(*(event.get(name) for name in ("timeUnixNano", "time_unix_nano", "timestamp", "time")))
    return SpanEvent(name=text_of(event.get("name")) or "", at=_moment(at), attributes=tree_of(event.get("attributes")))


def _logged(body: Body, place: str) -> Iterator[Span]:
    """Yield each log record as a part of its span that has this one event."""
    scopes = (scope for one in bodies_of(body["resourceLogs"]) for scope in bodies_of(one.get("scopeLogs")))
    records = (record for scope in scopes for record in bodies_of(scope.get("logRecords")))
    for number, record in enumerate(records, start=1):
        attributes = tree_of(record.get("attributes"))
        name = text_of(record.get("eventName")) or text_of(body_of(attributes.get("event")).get("name")) or ""
        at = _moment(_first(record.get("timeUnixNano"), record.get("observedTimeUnixNano")))
        content = tree_of({"body": record.get("body")}).get("body")
        whole = {**attributes, **body_of(content)}
        yield Span(
            place=f"{place} record {number}".strip(),
            trace=text_of(record.get("traceId")),
            id=None,
            parent=text_of(record.get("spanId")),
            name="",
            start=at,
            end=at,
            attributes=attributes,
            events=(SpanEvent(name=name, at=at, attributes=whole),),
        )


def _text(body: Body, context: Body, camel: str, snake: str) -> str | None:
    found = (body.get(camel), body.get(snake), context.get(snake), body.get(f"context.{snake}"))
    return next((one for value in found if (one := text_of(value))), None)


def _first(*values: JsonValue) -> JsonValue:
    return next((value for value in values if value is not None), None)


def _moment(value: JsonValue) -> datetime | None:
    """Return a time: OTLP writes nanoseconds as a text of digits."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 30:
        return moment_of(int(value))
    return moment_of(value)


def _failed(code: JsonValue) -> bool | None:
    word = str(code).upper().removeprefix("STATUSCODE.") if isinstance(code, str | int) else ""
    return True if word in _FAILED else False if word in _FINE else None
