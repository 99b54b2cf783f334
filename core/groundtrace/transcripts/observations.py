"""Observations of Langfuse as steps: the API's names and those of exported tables, whole traces and single rows."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from types import MappingProxyType

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.attributes import first_at, tree_of, unwritten
from groundtrace.transcripts.events import Called, Event
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of, moment_of, text_of, word_of
from groundtrace.transcripts.model_messages import message_events
from groundtrace.transcripts.span_tools import as_json, given_in, kind_named, result_in
from groundtrace.transcripts.steps import Step, ToolStep

TYPES = frozenset("SPAN GENERATION EVENT AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL".split())
_ASIDE = frozenset({"EVALUATOR", "GUARDRAIL", "EMBEDDING"})
_SNAKE = MappingProxyType(
    {
        "traceId": "trace_id",
        "sessionId": "session_id",
        "parentObservationId": "parent_observation_id",
        "startTime": "start_time",
        "endTime": "end_time",
        "statusMessage": "status_message",
        "toolCalls": "tool_calls",
    }
)
_IDS = ("tool_call_id", "toolCallId", "attributes.gen_ai.tool.call.id", "attributes.tool_call.id")
_CLASS_CHARACTERS = 60


def field(body: Body, name: str, /) -> JsonValue:
    """Return a field by its name in the API, also where a table names it."""
    found = body.get(name)
    return body.get(_SNAKE.get(name, name)) if found is None else found


def is_observation(body: Body, /) -> bool:
    """Tell whether an object is an observation."""
    kind = word_of(body.get("type"))
    timed = field(body, "startTime") is not None
    return kind is not None and kind.upper() in TYPES and "id" in body and timed


def observation_step(body: Body, place: str, /, *, trace: str | None, session: str | None) -> Step:
    """Return an observation; `trace` and `session` are those of the trace that it stands in."""
    kind = (word_of(body.get("type")) or "").upper()
    parent = text_of(field(body, "parentObservationId"))
    tool = _tool(body, kind)
    tells = kind in ("GENERATION", "AGENT") or (parent is None and kind not in ("TOOL", *_ASIDE))
    return Step(
        place=place,
        trace=text_of(field(body, "traceId")) or trace,
        conversation=text_of(field(body, "sessionId")) or session,
        id=text_of(body.get("id")),
        parent=parent,
        start=moment_of(field(body, "startTime")),
        end=moment_of(field(body, "endTime")),
        agent=kind == "AGENT",
        tool=tool,
        before=tuple(_said(body.get("input"), place, given=False)) if tells else (),
        after=tuple(_given(body, place)) if tells else (),
    )


def trace_step(body: Body, place: str, /, *, trace: str | None, session: str | None) -> Step:
    """Return what a trace tells itself: what was asked at its start, and what it gave at its end."""
    start = moment_of(body.get("timestamp"))
    return Step(
        place=place,
        trace=trace,
        conversation=session,
        start=start,
        end=_end(body, start),
        before=tuple(_said(body.get("input"), place, given=False)),
        after=tuple(_said(body.get("output"), place, given=True)),
    )


def _end(trace: Body, start: datetime | None) -> datetime | None:
    ends = (moment_of(field(one, "endTime")) for one in bodies_of(trace.get("observations")))
    last = max((end for end in ends if end is not None), default=None)
    lasted = trace.get("latency")
    if last is not None or start is None or not isinstance(lasted, int | float):
        return last or start
    return start + timedelta(seconds=lasted) if 0 <= lasted < timedelta(days=365).total_seconds() else start


def _tool(body: Body, kind: str) -> ToolStep | None:
    """Return an observation as a tool's run; one of another type is a run only if a model asked for its name."""
    if kind in ("GENERATION", *_ASIDE):
        return None
    output = body.get("output")
    told = result_in(unwritten(output))
    error = text_of(field(body, "statusMessage"))
    broke = str(body.get("level")).upper() == "ERROR"
    failed = True if broke else None if told is None else told.failed
    metadata = tree_of(body.get("metadata"))
    return ToolStep(
        name=text_of(body.get("name")) or "unnamed",
        call_id=text_of(first_at(metadata, _IDS)) or (None if told is None else told.call_id),
        arguments=_arguments(body.get("input")),
        output=output if told is None else as_json(told.output),
        done=output is not None or broke,
        failed=failed,
        error=error if broke else None,
        kind=kind_named(_class_of(error)) if broke else None,
        sure=kind == "TOOL",
    )


def _class_of(error: str | None) -> Iterator[str]:
    """Yield the class of an error that its text begins with."""
    first, colon, _ = (error or "").partition(":")
    if colon and len(first) <= _CLASS_CHARACTERS and " " not in first:
        yield first


def _arguments(value: JsonValue) -> JsonValue:
    """Return arguments without what a decorated function puts around them; those by position keep their list."""
    value = unwritten(value)
    body = body_of(value)
    if body and body.keys() <= {"args", "kwargs"}:
        return body.get("kwargs") or body.get("args")
    return given_in(value)


def _given(body: Body, place: str) -> Iterator[Event]:
    """Yield what a model gave; the calls that stand in a column of their own where the output has none."""
    events = list(_said(body.get("output"), place, given=True))
    yield from events
    if not any(isinstance(event, Called) for event in events):
        calls: list[JsonValue] = [unwritten(one) for one in items_of(unwritten(field(body, "toolCalls")))]
        yield from message_events({"tool_calls": calls}, place, given=True) if calls else ()


def _said(value: JsonValue, place: str, *, given: bool) -> Iterator[Event]:
    value = unwritten(value)
    body = body_of(value)
    if body and body.keys() <= {"args", "kwargs"}:
        words = [one for one in (*items_of(body.get("args")), *body_of(body.get("kwargs")).values()) if text_of(one)]
        value = words[0] if len(words) == 1 else None
    return message_events(value, place, given=given)
