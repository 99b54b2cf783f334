"""OpenInference spans, as OTLP exports them and as Phoenix gives them back: each call once, with its answer."""

import pytest
from hypothesis import given

from groundtrace import outcomes
from groundtrace.encoding import freeze_params
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.transcripts.events import Record
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.joined import Finding
from groundtrace.transcripts.otel_spans import OPENINFERENCE
from groundtrace_testing.otlp import TRACE, exported, span, written
from groundtrace_testing.spoiling import spoiled_documents
from groundtrace_testing.transcripts import Imported, details, imported, output_of

Attributes = dict[str, JsonValue]
KIND = "openinference.span.kind"

AGENT: Attributes = {
    KIND: "AGENT",
    "input.value": "which pods restart?",
    "output.value": "pod 7 does",
    "session.id": "talk",
}
FIRST: Attributes = {
    KIND: "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "which pods restart?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "query_logs",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"q": "restart"}',
}
TOOL: Attributes = {
    KIND: "TOOL",
    "tool.name": "query_logs",
    "input.value": '{"q": "restart"}',
    "input.mime_type": "application/json",
    "output.value": "3 lines",
}
SECOND: Attributes = {
    **FIRST,
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "query_logs",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"q": "restart"}',
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.tool_call_id": "c1",
    "llm.input_messages.2.message.content": "3 lines",
    "llm.output_messages.0.message.content": "pod 7 does",
}
for _name in [name for name in SECOND if name.startswith("llm.output_messages.0.message.tool_calls")]:
    del SECOND[_name]
STEPS: list[tuple[str, Attributes, float, float]] = [
    ("root", AGENT, 0, 20),
    ("s1", FIRST, 1, 2),
    ("s2", TOOL, 3, 5),
    ("s3", SECOND, 6, 8),
]


def stamp(second: float) -> str:
    return f"2026-03-08T12:00:{int(second):02}+00:00"


def context(span_id: str) -> JsonValue:
    return {"trace_id": TRACE, "span_id": span_id}


def nested(flat: Attributes) -> Attributes:
    """Attributes as an object inside an object, as Phoenix stores them."""
    tree: Attributes = {}
    for name, value in flat.items():
        *outer, last = name.split(".")
        inner = tree
        for part in outer:
            below = inner.setdefault(part, {})
            assert isinstance(below, dict)
            inner = below
        inner[last] = value
    return tree


def phoenix(span_id: str, attributes: JsonValue, start: float, end: float) -> Attributes:
    parent = None if span_id == "root" else "root"
    times: Attributes = {"start_time": stamp(start), "end_time": stamp(end), "status_code": "OK", "status_message": ""}
    return {
        "name": span_id,
        "context": context(span_id),
        "span_kind": "UNKNOWN",
        "parent_id": parent,
        "attributes": attributes,
        "events": [],
        **times,
    }


def row(span_id: str, flat: Attributes, start: float, end: float) -> JsonValue:
    """A span as a row of a table, which is how data frames are written."""
    whole = phoenix(span_id, {}, start, end)
    kept = {name: value for name, value in whole.items() if name not in ("context", "attributes")}
    columns = {f"attributes.{name}": value for name, value in flat.items()}
    return {**kept, **columns, "context.span_id": span_id, "context.trace_id": TRACE}


def otlp(span_id: str, flat: Attributes, start: float, end: float) -> Attributes:
    return span(span_id, span_id, flat, start=start, end=end, parent="" if span_id == "root" else "root")


FORMS: dict[str, list[JsonValue]] = {
    "otlp": [exported(*(otlp(*one) for one in STEPS))],
    "a page": [{"data": [phoenix(one, dict(flat), start, end) for one, flat, start, end in STEPS], "cursor": None}],
    "lines": [phoenix(one, dict(flat), start, end) for one, flat, start, end in STEPS],
    "nested": [phoenix(one, nested(flat), start, end) for one, flat, start, end in STEPS],
    "written": [phoenix(one, written(nested(flat)), start, end) for one, flat, start, end in STEPS],
    "rows": [row(*one) for one in STEPS],
    "a list": [[row(*one) for one in STEPS]],
}  # fmt: skip


@pytest.mark.parametrize("records", FORMS.values(), ids=FORMS)
def test_each_form_tells_the_same_call_once(records: list[JsonValue]) -> None:
    assert format_of([Record(place="", value=one) for one in records]) is OPENINFERENCE
    _whole(imported(records))


def _whole(told: Imported) -> None:
    (one,) = told.calls
    assert (one.call.tool_name, one.call.session_id, output_of(one)) == ("query_logs", "talk", "3 lines")
    assert freeze_params(one.call.input_params).value == {"q": "restart"}
    assert (one.call.started_at.isoformat(), one.call.duration_ms) == (stamp(3), 2_000)
    assert details(one.call)["call_id"] == "c1"
    assert [(answer.question, answer.text) for answer in told.answers] == [("which pods restart?", "pod 7 does")]
    assert not told.findings.found


def test_the_same_spans_in_another_form_are_the_same_calls() -> None:
    ids = {one.call.id for records in FORMS.values() for one in imported(records).calls}
    assert len(ids) == 1


def test_a_tool_without_messages_is_a_call_by_its_span() -> None:
    (one,) = imported([exported(span("s2", "lookup", {KIND: "TOOL", "input.value": "x", "output.value": "y"}))]).calls
    assert (one.call.tool_name, details(one.call)["call_id"], output_of(one)) == ("lookup", "s2", "y")
    assert details(one.call)["arguments"] == "not a JSON object; kept as it stands"


@pytest.mark.parametrize(
    "message",
    [
        {"type": "tool", "content": "boom", "tool_call_id": "c1", "status": "error"},
{"lc": 1, "id": ["ToolMessage"], "kwargs": {"content": "boom", "tool_call_id": "c1", "status": "error"}},
        {"output": {"content": "boom", "tool_call_id": "c1", "status": "error", "type": "tool"}},
    ],
    ids=["dumped", "serialised", "wrapped"],
)  # fmt: skip
def test_a_tool_message_in_an_output_tells_id_and_status(message: JsonValue) -> None:
    run: Attributes = {**TOOL, "output.value": written(message)}
    (one,) = imported([exported(span("s1", "llm", FIRST), span("s2", "query_logs", run))]).calls
    assert details(one.call)["call_id"] == "c1"
    assert isinstance(one.outcome, outcomes.Failure)
    assert one.outcome.message == "boom"


def test_a_span_in_error_is_a_failure_with_its_words() -> None:
    left: tuple[str, Attributes] = (
        "exception",
        {"exception.type": "ReadTimeout", "exception.message": "no answer in 5 s"},
    )
    run = {name: value for name, value in TOOL.items() if name != "output.value"}
    (one,) = imported([exported(span("s2", "query_logs", run, events=[left], status={"code": 2}))]).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert (one.outcome.kind, one.outcome.message) == (FailureKind.TIMEOUT, "no answer in 5 s")


def test_content_in_parts_is_read() -> None:
    parts: Attributes = {
        KIND: "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "why?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.contents.0.message_content.type": "text",
        "llm.output_messages.0.message.contents.0.message_content.text": "so",
    }
    (one,) = imported([exported(span("s1", "llm", parts))]).answers
    assert (one.question, one.text) == ("why?", "so")


def test_retrievers_and_chains_are_no_calls() -> None:
    told = imported([exported(span("s1", "find", {KIND: "RETRIEVER", "input.value": "x", "tool.name": "y"}))])
    assert told.calls == ()


def test_a_call_that_never_ran_has_no_result() -> None:
    """Field case F01."""
    told = imported([exported(span("s1", "llm", FIRST))])
    assert told.findings.found[Finding.MISSING_RESULT] == 1


@given(spoiled_documents([*FORMS["otlp"], *FORMS["nested"], *FORMS["rows"]]))
def test_any_value_in_place_of_any_part_is_read_or_told(records: list[JsonValue]) -> None:
    told = imported(records, OPENINFERENCE)
    assert told.findings.calls.total() == len(told.calls)
