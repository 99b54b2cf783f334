"""OpenTelemetry spans of agents: the GenAI conventions, old and new, and OpenInference; files mix them.

A call stands in a span of its own and in the messages of the models before and after: it is one call.
"""

from collections.abc import Iterable, Iterator

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.attributes import at, first_at, listed, unwritten
from groundtrace.transcripts.events import Answered, Event, Format, Record, Skipped
from groundtrace.transcripts.fields import Body, body_of, text_of, word_of
from groundtrace.transcripts.gathering import Gathering
from groundtrace.transcripts.model_messages import message_events
from groundtrace.transcripts.span_tools import tool_in
from groundtrace.transcripts.spans import Span, SpanEvent, spans_in
from groundtrace.transcripts.steps import Step

_CONVERSATIONS = (
    "gen_ai.conversation.id", "session.id", "langfuse.session.id", "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
)  # fmt: skip
_ROOMS = ("gen_ai", "openinference", "llm", "traceloop", "ai", "tool", "mcp", "pydantic_ai", "langfuse")
_INPUTS = ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt", "ai.prompt.messages")
_OUTPUTS = ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion")
_HISTORIES = ("pydantic_ai.all_messages", "all_messages_events", "events")
_SHOWN = 50


def _is_agentic(span: Span) -> bool:
    return any(name in span.attributes for name in _ROOMS) or any(one.name.startswith("gen_ai.") for one in span.events)


def _is_inference(span: Span) -> bool:
    return word_of(at(span.attributes, "openinference.span.kind")) is not None or "llm" in span.attributes


def _spans(value: JsonValue) -> Iterator[Span]:
    return (span for span, _ in zip(spans_in(value, ""), range(_SHOWN), strict=False))


def _fits_otel(value: JsonValue) -> bool:
    return next(spans_in(value, ""), None) is not None


def _fits_inference(value: JsonValue) -> bool:
    return any(_is_inference(span) for span in _spans(value))


def _read(records: Iterable[Record]) -> Iterator[Event]:
    gathering = Gathering()
    for record in records:
        found = False
        for span in spans_in(record.value, record.place):
            found = True
            if not _is_agentic(span):
                yield Skipped(place=span.place, what="span of something else", known=True)
            yield from gathering.take(_step(span))
        if not found:
            what = text_of(body_of(record.value).get("type")) or "no span"
            yield Skipped(place=record.place, what=what, known=_is_empty(record.value))
    yield from gathering.end()


def _is_empty(value: JsonValue) -> bool:
    body = body_of(value)
    return any(body.get(name) == [] for name in ("resourceSpans", "spans", "data")) or "resourceMetrics" in body


def _step(span: Span) -> Step:
    tree, tool = span.attributes, tool_in(span)
    before, after = ((), ()) if tool is not None else (tuple(_before(span)), tuple(_after(span)))
    return Step(
        place=span.place,
        trace=span.trace,
        conversation=text_of(first_at(tree, _CONVERSATIONS)),
        id=span.id,
        parent=span.parent,
        start=span.start,
        end=span.end,
        agent=_is_agent(tree),
        tool=tool,
        before=before,
        after=after,
    )


def _is_agent(tree: Body) -> bool:
    kinds = (at(tree, name) for name in ("openinference.span.kind", "traceloop.span.kind", "langfuse.observation.type"))
    return at(tree, "gen_ai.operation.name") == "invoke_agent" or any(str(kind).upper() == "AGENT" for kind in kinds)


def _before(span: Span) -> Iterator[Event]:
    tree, given = span.attributes, False
    for name in (*_INPUTS, *_HISTORIES):
        if (value := at(tree, name)) is not None:
            given = True
            yield from message_events(_messages(value), span.place, given=False)
    for event in span.events:
        if event.name in ("gen_ai.choice", "gen_ai.content.completion"):
            continue
        for value in _told(event, "input", "prompt"):
            given = True
            yield from message_events(value, span.place, given=False)
    if not given and (span.parent is None or _is_agent(tree)):
        yield from _plain(at(tree, "input.value"), span.place, given=False)


def _after(span: Span) -> Iterator[Event]:
    tree, given = span.attributes, False
    for name in _OUTPUTS:
        if (value := at(tree, name)) is not None:
            given = True
            yield from message_events(_messages(value), span.place, given=True)
    if (text := text_of(first_at(tree, ("ai.response.text", "final_result")))) is not None:
        yield Answered(place=span.place, text=text)
    if (calls := at(tree, "ai.response.toolCalls")) is not None:
        yield from message_events({"tool_calls": unwritten(calls)}, span.place, given=True)
    for event in span.events:
        for value in _told(event, "output", "completion"):
            given = True
            yield from message_events(value, span.place, given=True)
    if not given and (span.parent is None or _is_agent(tree)):
        yield from _plain(at(tree, "output.value"), span.place, given=True)


def _plain(value: JsonValue, place: str, *, given: bool) -> Iterator[Event]:
    return message_events(value, place, given=given) if value is not None else iter(())


def _messages(value: JsonValue) -> JsonValue:
    """Return a list of messages, also one whose items stand under their numbers."""
    value = unwritten(value)
    return listed(value) or value


def _told(event: SpanEvent, side: str, old: str) -> Iterator[JsonValue]:
    """Yield the messages that an event of a model's span holds for one side."""
    attributes = event.attributes
    for name in (f"gen_ai.{side}.messages", f"gen_ai.{old}"):
        if (value := at(attributes, name)) is not None:
            yield _messages(value)
    role = event.name.removeprefix("gen_ai.").removesuffix(".message")
    if side == "output" and event.name == "gen_ai.choice":
        message = unwritten(attributes.get("message"))
        yield {**attributes, "role": "assistant", **(message if isinstance(message, dict) else {"content": message})}
    elif side == "input" and event.name == f"gen_ai.{role}.message":
        yield {"role": role, **attributes, "tool_call_id": attributes.get("tool_call_id", attributes.get("id"))}


OTEL = Format(
    name="otel",
    title="OpenTelemetry spans of the GenAI conventions",
    fits=_fits_otel,
    read=_read,
    unique_calls=True,
    keys=frozenset({"resourceSpans", "scopeSpans", "spans", "traceId", "spanId", "attributes", "startTimeUnixNano"}),
)

OPENINFERENCE = Format(
    name="openinference",
    title="OpenInference spans",
    fits=_fits_inference,
    read=_read,
    unique_calls=True,
    keys=frozenset({"resourceSpans", "spans", "context", "span_kind", "attributes", "status_code", "parent_id"}),
)
