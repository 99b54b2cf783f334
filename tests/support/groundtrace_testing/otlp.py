"""Spans as OTLP's JSON writes them, for tests of what reads them."""

import json
from collections.abc import Mapping, Sequence

from groundtrace.json_text import JsonValue

TRACE = "5b8efff798038103d269b633813fc60c"
NOON = 1_772_971_200  # 2026-03-08T12:00:00Z


def any_value(value: JsonValue, /) -> JsonValue:
    """A value as OTLP writes it."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(one) for one in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
        case _:
            return {}


def pairs(attributes: Mapping[str, JsonValue], /) -> JsonValue:
    """Attributes as OTLP writes them."""
    return [{"key": name, "value": any_value(value)} for name, value in attributes.items()]


def nanoseconds(second: float, /) -> str:
    """A time so many seconds after noon."""
    return str(int((NOON + second) * 1_000) * 1_000_000)


def span(
    span_id: str,
    name: str,
    attributes: Mapping[str, JsonValue],
    *,
    start: float = 0,
    end: float = 1,
    parent: str = "",
    trace: str = TRACE,
    events: Sequence[tuple[str, Mapping[str, JsonValue]]] = (),
    status: JsonValue = None,
) -> dict[str, JsonValue]:
    """A span."""
    told: list[JsonValue] = [
        {"name": one, "timeUnixNano": nanoseconds(start), "attributes": pairs(inner)} for one, inner in events
    ]
    return {
        "traceId": trace,
        "spanId": span_id,
        "parentSpanId": parent,
        "name": name,
        "kind": 1,
        "startTimeUnixNano": nanoseconds(start),
        "endTimeUnixNano": nanoseconds(end),
        "attributes": pairs(attributes),
        "events": told,
        "status": {} if status is None else status,
    }


def exported(*spans: JsonValue) -> dict[str, JsonValue]:
    """One export of spans."""
    resource: JsonValue = {"attributes": pairs({"service.name": "shop-agent"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def written(value: JsonValue, /) -> str:
    """A value as the text that most instrumentations keep."""
    return json.dumps(value)
