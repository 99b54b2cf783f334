"""Langfuse exports: every call once, in whichever of its forms a trace was taken out."""

import pytest
from hypothesis import given

from groundtrace import outcomes
from groundtrace.encoding import freeze_params
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, OutcomeKind
from groundtrace.transcripts.events import Record
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.joined import Finding
from groundtrace.transcripts.langfuse import LANGFUSE
from groundtrace_testing.otlp import written
from groundtrace_testing.spoiling import spoiled_documents
from groundtrace_testing.transcripts import Imported, details, imported, output_of

Row = dict[str, JsonValue]
AT = "2026-03-08T12:00:{:02}.000Z"


def row(own: str, kind: str, name: str, given: JsonValue, gave: JsonValue, start: int, **more: JsonValue) -> Row:
    return {
        "id": own,
        "traceId": "t-1",
        "type": kind,
        "name": name,
        "startTime": AT.format(start),
        "endTime": AT.format(start + 2),
        "parentObservationId": None if own == "o-0" else "o-0",
        "level": "DEFAULT",
        "statusMessage": None,
        "input": given,
        "output": gave,
        "metadata": {},
        **more,
    }


ASKED: list[JsonValue] = [{"role": "user", "content": "which pods restart?"}]
CALL: JsonValue = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "query_logs", "arguments": '{"q": "restart"}'}}
    ],
}
BROUGHT: JsonValue = {"role": "tool", "tool_call_id": "c1", "content": "3 lines"}
ROWS: list[Row] = [
    row("o-0", "AGENT", "sre", "which pods restart?", "pod 7 does", 0, endTime=AT.format(20)),
    row("o-1", "GENERATION", "chat", {"messages": ASKED}, CALL, 1),
    row("o-2", "TOOL", "query_logs", {"q": "restart"}, "3 lines", 4),
    row("o-3", "GENERATION", "chat", [*ASKED, CALL, BROUGHT], {"role": "assistant", "content": "pod 7 does"}, 8),
]
TRACE: Row = {
    "id": "t-1",
    "name": "sre",
    "timestamp": AT.format(0),
    "sessionId": "talk",
    "input": "which pods restart?",
    "output": "pod 7 does",
    "projectId": "p",
}
_SNAKE = {"traceId": "trace_id", "startTime": "start_time", "endTime": "end_time", "statusMessage": "status_message"}


def exported(one: Row) -> Row:
    """A row of a table: other names and times, and every input and output a text."""
    table = {_SNAKE.get(name, name): value for name, value in one.items() if name != "parentObservationId"}
    for name in ("input", "output"):
        value = one[name]
        table[name] = value if isinstance(value, str) else written(value)
    for name in ("start_time", "end_time"):
        table[name] = str(table[name]).replace("T", " ").removesuffix("Z") + "000"
    return {**table, "parent_observation_id": one["parentObservationId"], "session_id": "talk"}


def listed(rows: list[Row]) -> list[JsonValue]:
    return list(rows)


FORMS: dict[str, list[JsonValue]] = {
    "trace of the API": [{**TRACE, "observations": listed(ROWS), "scores": [], "htmlPath": "/x"}],
    "trace of the page": [{"trace": TRACE, "observations": listed(ROWS)}],
    "session": [{"id": "talk", "traces": [{**TRACE, "sessionId": None, "observations": listed(ROWS)}]}],
    "page of traces": [{"data": [{**TRACE, "observations": listed(ROWS)}], "meta": {"page": 1}}],
    "page of observations": [{"data": [{**one, "sessionId": "talk"} for one in ROWS], "meta": {}}],
    "lines of traces": [{**TRACE, "observations": listed(ROWS)}],
    "lines of observations": [{**one, "sessionId": "talk"} for one in ROWS],
    "lines of a table": [exported(one) for one in ROWS],
    "trace after its observations": [*ROWS, TRACE],
}
DOCUMENTS = [one for records in FORMS.values() for one in records]


@pytest.mark.parametrize("records", FORMS.values(), ids=FORMS)
def test_each_form_tells_the_same_call_once(records: list[JsonValue]) -> None:
    assert format_of([Record(place="", value=one) for one in records]) is LANGFUSE
    _whole(imported(records))


def _whole(told: Imported) -> None:
    (one,) = told.calls
    assert (one.call.tool_name, one.call.session_id, output_of(one)) == ("query_logs", "talk", "3 lines")
    assert freeze_params(one.call.input_params).value == {"q": "restart"}
    assert (one.call.started_at.isoformat(), one.call.duration_ms) == ("2026-03-08T12:00:04+00:00", 2_000)
    assert details(one.call)["call_id"] == "c1"
    assert [(answer.question, answer.text) for answer in told.answers] == [("which pods restart?", "pod 7 does")]
    assert not told.findings.found


def test_the_same_trace_in_another_form_is_the_same_calls() -> None:
    assert len({one.call.id for records in FORMS.values() for one in imported(records).calls}) == 1


def only(*rows: Row) -> Imported:
    return imported([{**TRACE, "observations": listed(list(rows))}])


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("no cluster", FailureKind.ERROR),
        ("TimeoutError: no answer", FailureKind.TIMEOUT),
        ("PermissionError: not yours", FailureKind.DENIED),
        (None, FailureKind.ERROR),
    ],
)
@pytest.mark.parametrize("output", [None, "partial", {"rows": [1]}])
def test_an_observation_of_level_error_is_a_failure(words: str | None, kind: FailureKind, output: JsonValue) -> None:
    (one,) = only(row("o-2", "TOOL", "query", {}, output, 4, level="ERROR", statusMessage=words)).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert one.outcome.kind is kind
    assert words is None or words in one.outcome.message


def test_a_warning_or_a_remark_is_no_failure() -> None:
    told = only(row("o-2", "TOOL", "query", {}, "3 lines", 4, level="WARNING", statusMessage="slow"))
    assert told.kinds == [OutcomeKind.SUCCESS]


def test_a_span_is_a_call_if_a_model_asked_for_it() -> None:
    """Older versions know no tools: their runs are spans by the name of the tool."""
    told = only(ROWS[1], {**ROWS[2], "type": "SPAN"}, row("o-9", "SPAN", "embed", {"q": "x"}, "vector", 6), ROWS[3])
    assert [(one.call.tool_name, one.call.duration_ms) for one in told.calls] == [("query_logs", 2_000)]


def test_a_failed_span_of_a_tool_makes_its_call_a_failure() -> None:
    told = only(ROWS[1], {**ROWS[2], "type": "SPAN", "output": None, "level": "ERROR", "statusMessage": "boom"})
    (one,) = told.calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert one.outcome.message == "boom"


def test_messages_and_results_of_langchain_are_read() -> None:
    asks: JsonValue = [[{"type": "human", "content": "why?"}]]
    calls: JsonValue = {"type": "ai", "content": "", "tool_calls": [{"name": "get", "args": {"k": 1}, "id": "c1"}]}
    message: JsonValue = {"type": "tool", "content": "boom", "name": "get", "tool_call_id": "c1", "status": "error"}
    told = only(row("o-1", "GENERATION", "chat", asks, calls, 1), row("o-2", "TOOL", "get", "{'k': 1}", message, 4))
    (one,) = told.calls
    assert freeze_params(one.call.input_params).value == {"k": 1}
    assert outcomes.kind_of(one.outcome) is OutcomeKind.FAILURE
    assert details(one.call)["call_id"] == "c1"


def test_arguments_of_a_decorated_function_stand_without_their_wrapping() -> None:
    told = only(row("o-2", "TOOL", "get", {"args": [], "kwargs": {"k": 1}}, "2 pods", 4))
    assert freeze_params(told.calls[0].call.input_params).value == {"k": 1}


def test_calls_in_a_column_of_their_own_are_read() -> None:
    calls: JsonValue = [written({"id": "c1", "name": "get", "arguments": "{}"})]
    told = only(row("o-1", "GENERATION", "chat", "why?", "looking", 1, toolCalls=calls))
    assert [one.call.tool_name for one in told.calls] == ["get"]
    assert told.findings.found[Finding.MISSING_RESULT] == 1


def test_a_tool_that_is_still_running_has_no_result() -> None:
    """Field case F01."""
    told = only(row("o-2", "TOOL", "get", {"k": 1}, None, 4, endTime=None))
    assert told.findings.found[Finding.MISSING_RESULT] == 1


def test_scores_and_observations_that_lie_elsewhere_are_known() -> None:
    score: JsonValue = {"id": "s", "traceId": "t-1", "name": "helpful", "value": 1, "dataType": "NUMERIC"}
    told = imported([{**TRACE, "observations": ["o-1"]}, score, {"odd": 1}])
    assert told.findings.known == 2
    assert told.findings.unknown.total() == 1


@given(spoiled_documents(DOCUMENTS))
def test_any_value_in_place_of_any_part_is_read_or_told(records: list[JsonValue]) -> None:
    told = imported(records, LANGFUSE)
    assert told.findings.calls.total() == len(told.calls)
