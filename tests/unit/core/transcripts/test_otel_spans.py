"""OpenTelemetry spans: a call in a span and in messages is one call, in whatever order and form the spans come."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.encoding import freeze_params
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, OutcomeKind
from groundtrace.transcripts.events import Record
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.gathering import Gathering
from groundtrace.transcripts.joined import Finding, ImportedCall
from groundtrace.transcripts.otel_spans import OTEL
from groundtrace.transcripts.steps import Step, ToolStep
from groundtrace_testing.otlp import TRACE, exported, pairs, span, written
from groundtrace_testing.spoiling import spoiled_documents
from groundtrace_testing.transcripts import Imported, details, imported, output_of

Attributes = dict[str, JsonValue]
SUCCESS, FAILURE = OutcomeKind.SUCCESS, OutcomeKind.FAILURE


def params_of(one: ImportedCall) -> object:
    return freeze_params(one.call.input_params).value


def said(role: str, content: str) -> JsonValue:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def asked(call_id: str, tool: str, **params: JsonValue) -> JsonValue:
    return {"role": "assistant", "parts": [{"type": "tool_call", "id": call_id, "name": tool, "arguments": params}]}


def brought(call_id: str, response: JsonValue) -> JsonValue:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": response}]}


def chat(
    span_id: str, before: list[JsonValue], after: list[JsonValue], start: int, **more: str
) -> dict[str, JsonValue]:
    return span(
        span_id,
        "chat m",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": written(before),
            "gen_ai.output.messages": written(after),
        },
        start=start,
        end=start + 1,
        parent=more.get("parent", "root"),
        trace=more.get("trace", TRACE),
    )


def tool(span_id: str, name: str, start: int, **more: JsonValue) -> dict[str, JsonValue]:
    """A run of a tool; what is given as None is left out."""
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": more.get("call_id"),
        "gen_ai.tool.call.arguments": more.get("arguments"),
        "gen_ai.tool.call.result": more.get("result"),
        "error.type": more.get("error_type"),
    }
    kept = {key: value for key, value in told.items() if value is not None}
    return span(
        span_id, f"execute_tool {name}", kept, start=start, end=start + 2, parent="root", status=more.get("status")
    )


QUESTION, CALL, RESULT = (
    said("user", "which pods restart?"),
    asked("c1", "query_logs", q="restart"),
    brought("c1", "3 lines"),
)
ROOT = span("root", "invoke_agent sre", {"gen_ai.operation.name": "invoke_agent"}, start=0, end=20)
SPANS: list[JsonValue] = [
    chat("s1", [QUESTION], [CALL], 1),
    tool("s2", "query_logs", 3, call_id="c1", arguments=written({"q": "restart"}), result="3 lines"),
    chat("s3", [QUESTION, CALL, RESULT], [said("assistant", "pod 7 does")], 6),
    ROOT,
]


def test_a_call_in_a_span_and_in_messages_is_one_call() -> None:
    told = imported([exported(*SPANS)])
    (one,) = told.calls
    assert (one.call.tool_name, one.call.session_id, output_of(one)) == ("query_logs", TRACE, "3 lines")
    assert params_of(one) == {"q": "restart"}
    assert one.call.started_at.isoformat() == "2026-03-08T12:00:03+00:00"
    assert one.call.duration_ms == 2_000
    assert details(one.call)["call_id"] == "c1"
    assert [(answer.question, answer.text) for answer in told.answers] == [("which pods restart?", "pod 7 does")]
    assert not told.findings.found


def test_the_order_of_spans_and_how_many_exports_they_fill_does_not_matter() -> None:
    whole = imported([exported(*SPANS)])
    for spans in permutations(SPANS):
        told = imported([exported(one) for one in spans])
        assert [one.call.id for one in told.calls] == [one.call.id for one in whole.calls]
        assert [one.id for one in told.answers] == [one.id for one in whole.answers]


def test_spans_exported_again_are_the_same_calls() -> None:
    """Field case F07, of another format."""
    again = imported([exported(*SPANS), exported(*SPANS[:2])])
    assert [one.call.id for one in again.calls] == [one.call.id for one in imported([exported(*SPANS)]).calls]


@pytest.mark.parametrize(
    "arguments", [written({"q": "restart"}), {"q": "restart"}, None], ids=["text", "object", "not captured"]
)
def test_a_span_without_an_id_is_the_call_that_was_asked_for(arguments: JsonValue) -> None:
    spans = [SPANS[0], tool("s2", "query_logs", 3, arguments=arguments, result="3 lines"), SPANS[2]]
    (one,) = imported([exported(*spans)]).calls
    assert one.call.duration_ms == 2_000
    assert params_of(one) == {"q": "restart"}


def test_a_span_that_nobody_asked_for_is_a_call_too() -> None:
    spans = [*SPANS, tool("s9", "query_logs", 9, arguments=written({"q": "other"}), result="1 line")]
    told = imported([exported(*spans)])
    assert [output_of(one) for one in told.calls] == ["3 lines", "1 line"]
    assert details(told.calls[1].call)["call_id"] == "s9"


def test_parallel_calls_keep_their_own_results() -> None:
    """Field case F03: results out of order."""
    both: JsonValue = {
        "role": "assistant",
        "parts": [*_parts(asked("p", "logs", q="x")), *_parts(asked("q", "metrics"))],
    }
    last = chat("s4", [QUESTION, both, brought("q", "metric"), brought("p", "log")], [said("assistant", "so")], 5)
    told = imported([exported(chat("s1", [QUESTION], [both], 1), last)])
    assert told.outputs == {"logs": "log", "metrics": "metric"}


def _parts(message: JsonValue) -> list[JsonValue]:
    assert isinstance(message, dict)
    parts = message["parts"]
    assert isinstance(parts, list)
    return parts


def test_an_id_that_comes_again_names_another_call() -> None:
    """Field case F03: a constant id."""
    first, second = asked("call_0", "logs", q="a"), asked("call_0", "logs", q="a")
    history = [QUESTION, first, brought("call_0", "r0"), second, brought("call_0", "r1")]
    runs = [tool(f"t{n}", "logs", 2 + 4 * n, call_id="call_0", arguments={"q": "a"}, result=f"r{n}") for n in (0, 1)]
    told = imported([exported(*runs, chat("s9", history, [said("assistant", "so")], 12))])
    assert [output_of(one) for one in told.calls] == ["r0", "r1"]
    assert [one.call.started_at.second for one in told.calls] == [2, 6]
    alone = imported([exported(*runs)])
    assert [output_of(one) for one in alone.calls] == ["r0", "r1"]


def test_an_id_that_comes_again_with_other_arguments_finds_its_own_run_in_any_order() -> None:
    first, second = asked("c", "logs", q="a"), asked("c", "logs", q="b")
    spans: list[JsonValue] = [
        tool("t0", "logs", 3, call_id="c", arguments={"q": "a"}, result="of a"),
        tool("t1", "logs", 7, call_id="c", arguments={"q": "b"}, result="of b"),
        chat("s0", [QUESTION], [first], 1),
        chat("s1", [QUESTION, first, brought("c", "of a")], [second], 5),
    ]
    for ordered in permutations(spans):
        told = imported([exported(one) for one in ordered])
        assert [(params_of(one), output_of(one)) for one in told.calls] == [({"q": "a"}, "of a"), ({"q": "b"}, "of b")]


def test_a_call_without_a_result_is_kept_and_counted() -> None:
    """Field case F01."""
    told = imported([exported(chat("s1", [QUESTION], [CALL, asked("c2", "query_metrics")], 1))])
    assert told.kinds == [FAILURE, FAILURE]
    assert told.findings.found[Finding.MISSING_RESULT] == 2


def test_a_run_whose_content_was_not_captured_has_no_result_but_its_failure_is_told() -> None:
    fine, broken = tool("a", "x", 1), tool("b", "y", 2, status={"code": 2, "message": "no cluster"})
    told = imported([exported(fine, broken)])
    kinds = [one.outcome.kind for one in told.calls if isinstance(one.outcome, outcomes.Failure)]
    assert kinds == [FailureKind.ERROR, FailureKind.NOT_RECORDED]


def test_a_result_without_a_call_is_counted_and_no_call() -> None:
    """Field case F02."""
    told = imported([exported(chat("s1", [brought("lost", "42 errors"), QUESTION], [said("assistant", "ok")], 1))])
    assert told.calls == ()
    assert told.findings.found[Finding.ORPHAN] == 1


def test_a_result_in_the_next_span_alone_is_its_call_s() -> None:
    spans = [chat("s1", [QUESTION], [CALL], 1), chat("s2", [RESULT], [said("assistant", "so")], 4)]
    told = imported([exported(*spans)])
    assert [output_of(one) for one in told.calls] == ["3 lines"]
    assert not told.findings.found[Finding.ORPHAN]


EXCEPTION: tuple[str, Attributes] = (
    "exception",
    {"exception.type": "builtins.PermissionError", "exception.message": "not allowed to read"},
)


@pytest.mark.parametrize(
    ("run", "kind", "message"),
    [
        ({"status": {"code": 2, "message": "no such index"}}, FailureKind.ERROR, "no such index"),
        ({"status": {"code": "STATUS_CODE_ERROR"}, "error_type": "TimeoutError"}, FailureKind.TIMEOUT, "TimeoutError"),
        ({"error_type": "429"}, FailureKind.RATE_LIMITED, "429"),
        ({"error_type": "asyncio.CancelledError"}, FailureKind.CANCELLED, "Cancelled"),
        ({"error_type": "tool_error", "result": written({"isError": True})}, FailureKind.ERROR, "tool_error"),
    ],
)
def test_a_span_that_ended_in_an_error_is_a_failure(run: dict[str, JsonValue], kind: FailureKind, message: str) -> None:
    (one,) = imported([exported(tool("a", "x", 1, **run))]).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert one.outcome.kind is kind
    assert message in one.outcome.message


def test_an_exception_that_left_the_tool_is_a_failure() -> None:
    named: dict[str, JsonValue] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x"}
    (one,) = imported([exported(span("a", "execute_tool x", named, events=[EXCEPTION]))]).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert (one.outcome.kind, one.outcome.message) == (FailureKind.DENIED, "not allowed to read")


def test_an_exception_that_the_tool_handled_is_none() -> None:
    named: Attributes = {"gen_ai.tool.name": "x", "gen_ai.tool.call.result": "3 lines"}
    handled = ("exception", {**EXCEPTION[1], "exception.escaped": False})
    assert imported([exported(span("a", "execute_tool x", named, events=[handled]))]).kinds == [SUCCESS]
    broken = span("a", "execute_tool x", named, events=[handled], status={"code": 2})
    (one,) = imported([exported(broken)]).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert (one.outcome.kind, one.outcome.message) == (FailureKind.DENIED, "not allowed to read")


def test_a_failure_that_only_the_span_tells_is_one_where_the_message_looks_fine() -> None:
    """Field case C01: a protocol's flag is lost where the result becomes a text."""
    flagged: JsonValue = {"content": [{"type": "text", "text": "call failed"}], "isError": True}
    spans = [SPANS[0], tool("s2", "query_logs", 3, call_id="c1", result=written(flagged)), SPANS[2]]
    assert imported([exported(*spans)]).kinds == [FAILURE]


def test_the_run_of_a_server_below_the_run_of_its_client_is_the_same_call() -> None:
    inner = {**tool("s2b", "query_logs", 4, arguments={"q": "restart"}, result="3 lines"), "parentSpanId": "s2"}
    assert len(imported([exported(*SPANS, inner)]).calls) == 1
    agent = span("ag", "invoke_agent sub", {"gen_ai.operation.name": "invoke_agent"}, start=3, end=5, parent="s2")
    below = {**inner, "parentSpanId": "ag"}
    assert len(imported([exported(*SPANS, agent, below)]).calls) == 2


def test_what_another_agent_was_told_begins_no_turn() -> None:
    sub = chat("n1", [said("user", "find the pod")], [said("assistant", "pod 7")], 4, parent="s2")
    told = imported([exported(*SPANS, sub)])
    assert [(one.question, one.text) for one in told.answers] == [("which pods restart?", "pod 7 does")]


def test_traces_of_a_conversation_are_turns_of_one_session() -> None:
    second_question = said("user", "and nodes?")
    root: dict[str, JsonValue] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "talk"}
    first = [*SPANS[:3], span("root", "invoke_agent sre", root, end=9)]
    history = [QUESTION, CALL, RESULT, said("assistant", "pod 7 does"), second_question]
    call = asked("c2", "query_metrics", q="nodes")
    other = "0" * 31 + "1"
    second = [
        chat("r1", history, [call], 20, trace=other),
        chat("r2", [*history, call, brought("c2", "4 nodes")], [said("assistant", "four")], 23, trace=other),
        span("rr", "invoke_agent sre", root, start=19, end=30, trace=other),
    ]
    told = imported([exported(*first), exported(*second)])
    assert {one.call.session_id for one in told.calls} == {"talk"}
    assert [(one.call.tool_name, one.call.turn_id) for one in told.calls] == [
        ("query_logs", "turn-1"),
        ("query_metrics", "turn-2"),
    ]
    assert [(one.question, one.text) for one in told.answers] == [
        ("which pods restart?", "pod 7 does"),
        ("and nodes?", "four"),
    ]


OLD_EVENTS: list[tuple[str, Attributes]] = [
    ("gen_ai.system.message", {"content": "be good"}),
    ("gen_ai.user.message", {"content": "why?"}),
    (
        "gen_ai.assistant.message",
        {"tool_calls": written([{"id": "c1", "function": {"name": "get", "arguments": "{}"}}])},
    ),
    ("gen_ai.tool.message", {"id": "c1", "content": "2 pods"}),
    ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": written({"content": "two"})}),
]
NUMBERED: dict[str, JsonValue] = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "why?",
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "c1",
    "gen_ai.prompt.1.tool_calls.0.name": "get",
    "gen_ai.prompt.1.tool_calls.0.arguments": "{}",
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.tool_call_id": "c1",
    "gen_ai.prompt.2.content": "2 pods",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "two",
}
CHAT_FORM: list[JsonValue] = [
    {"role": "user", "content": "why?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "function": {"name": "get", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "2 pods"},
]
NEW_FORM: list[JsonValue] = [said("user", "why?"), asked("c1", "get"), brought("c1", "2 pods")]
OPERATION: dict[str, JsonValue] = {"gen_ai.operation.name": "chat"}
CONVENTIONS: dict[str, JsonValue] = {
    "events": span("a", "chat", OPERATION, events=OLD_EVENTS),
    "numbered": span("a", "openai.chat", NUMBERED),
    "content events": span(
        "a",
        "chat",
        OPERATION,
        events=[
            ("gen_ai.content.prompt", {"gen_ai.prompt": written(CHAT_FORM)}),
            ("gen_ai.content.completion", {"gen_ai.completion": written([{"role": "assistant", "content": "two"}])}),
        ],
    ),
    "details event": span(
        "a",
        "chat",
        OPERATION,
        events=[
            (
                "gen_ai.client.inference.operation.details",
                {"gen_ai.input.messages": NEW_FORM, "gen_ai.output.messages": [said("assistant", "two")]},
            )
        ],
    ),
    "structured": span(
        "a", "chat", {"gen_ai.input.messages": NEW_FORM, "gen_ai.output.messages": [said("assistant", "two")]}
    ),
    "chat messages": span(
        "a",
        "chat",
        {
            "gen_ai.input.messages": written(CHAT_FORM),
            "gen_ai.output.messages": written([{"role": "assistant", "content": "two"}]),
        },
    ),
    "whole run": span("a", "agent run", {"pydantic_ai.all_messages": written([*NEW_FORM, said("assistant", "two")])}),
}


@pytest.mark.parametrize("one", CONVENTIONS.values(), ids=CONVENTIONS)
def test_each_convention_tells_the_same(one: JsonValue) -> None:
    record = exported(one)
    assert format_of([Record(place="", value=record)]) is OTEL
    _same_call(imported([record]))


def _same_call(told: Imported) -> None:
    assert [(one.call.tool_name, details(one.call)["call_id"], output_of(one)) for one in told.calls] == [
        ("get", "c1", "2 pods")
    ]
    assert [(one.question, one.text) for one in told.answers] == [("why?", "two")]


def test_log_records_of_a_span_tell_its_messages() -> None:
    records: list[JsonValue] = [
        {
            "timeUnixNano": str(1_772_971_200_000_000_000 + number),
            "traceId": TRACE,
            "spanId": "a",
            "eventName": name,
            "body": {"kvlistValue": {"values": pairs(attributes)}},
        }
        for number, (name, attributes) in enumerate(OLD_EVENTS)
    ]
    _same_call(imported([{"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}]))


FRAMEWORKS: dict[str, dict[str, JsonValue]] = {
    "pydantic": {
        "gen_ai.tool.name": "get",
        "gen_ai.tool.call.id": "c1",
        "tool_arguments": '{"k": 1}',
        "tool_response": "2 pods",
    },
    "vercel": {
        "ai.toolCall.name": "get",
        "ai.toolCall.id": "c1",
        "ai.toolCall.args": '{"k": 1}',
        "ai.toolCall.result": "2 pods",
    },
    "traceloop": {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get",
        "traceloop.entity.input": written({"inputs": {"k": 1}, "tags": []}),
        "traceloop.entity.output": "2 pods",
    },
    "mcp": {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "get",
        "gen_ai.tool.call.arguments": {"k": 1},
        "gen_ai.tool.call.result": "2 pods",
    },
}


@pytest.mark.parametrize("attributes", FRAMEWORKS.values(), ids=FRAMEWORKS)
def test_a_framework_s_own_names_are_read(attributes: dict[str, JsonValue]) -> None:
    (one,) = imported([exported(span("a", "running", attributes))]).calls
    assert (one.call.tool_name, params_of(one), output_of(one)) == ("get", {"k": 1}, "2 pods")


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"groundtrace.outcome": "no_evidence"}, OutcomeKind.NO_EVIDENCE),
        ({"groundtrace.outcome": "deduped"}, OutcomeKind.DEDUPED),
        ({"groundtrace.outcome": "failure", "error.type": "bad_output"}, FAILURE),
        ({"groundtrace.outcome": "success", "gen_ai.tool.call.result": "2 pods"}, SUCCESS),
    ],
)
def test_spans_of_our_own_tell_their_outcome_without_content(told: Attributes, kind: OutcomeKind) -> None:
    named: Attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get"}
    (one,) = imported(
        [exported(span("a", "execute_tool get", {**named, "groundtrace.invocation.id": "i", **told}))]
    ).calls
    assert outcomes.kind_of(one.outcome) is kind
    assert not isinstance(one.outcome, outcomes.Failure) or one.outcome.kind is FailureKind.BAD_OUTPUT
    assert details(one.call)["call_id"] == "i"


def test_a_run_may_keep_its_content_in_events() -> None:
    events: list[tuple[str, Attributes]] = [
        ("gen_ai.tool.message", {"content": '{"k": 1}', "id": "c1"}),
        ("gen_ai.choice", {"message": "2 pods"}),
    ]
    named: dict[str, JsonValue] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get"}
    (one,) = imported([exported(span("a", "execute_tool get", named, events=events))]).calls
    assert (params_of(one), output_of(one)) == ({"k": 1}, "2 pods")


def test_spans_as_an_sdk_prints_them_are_read() -> None:
    printed: Attributes = {
        "name": "execute_tool get",
        "context": {"trace_id": "0x1", "span_id": "0x2", "trace_state": "[]"},
        "parent_id": None,
        "start_time": "2026-03-08T12:00:00.000000Z",
        "end_time": "2026-03-08T12:00:01.500000Z",
        "status": {"status_code": "ERROR", "description": "boom"},
        "attributes": {"gen_ai.tool.name": "get", "gen_ai.operation.name": "execute_tool"},
        "events": [],
    }
    forms: list[JsonValue] = [printed, {"spans": [printed]}, {"traces": [{"trace_id": "0x1", "spans": [printed]}]}]
    for record in forms:
        (one,) = imported([record]).calls
        assert (one.call.session_id, one.call.duration_ms) == ("0x1", 1_500)
        assert isinstance(one.outcome, outcomes.Failure)
        assert one.outcome.message == "boom"


def test_records_that_are_no_spans_are_counted() -> None:
    told = imported([exported(*SPANS), {"type": "odd"}, {"resourceSpans": []}, {"resourceMetrics": []}])
    assert dict(told.findings.unknown) == {"odd": 1}
    assert told.findings.known == 2


def test_spans_of_other_things_are_known() -> None:
    told = imported([exported(span("a", "GET /", {"http.request.method": "GET"}), *SPANS)])
    assert len(told.calls) == 1
    assert told.findings.known == 1


@given(st.integers(1, 60))
def test_what_waits_is_bounded(bytes_held: int) -> None:
    """However little may wait, no call is lost and none comes twice."""
    waiting = Gathering(held=bytes_held * 40)
    events = [event for one in OTEL_STEPS for event in waiting.take(one)] + list(waiting.end())
    assert len([event for event in events if type(event).__name__ == "Called"]) >= 3
    assert waiting.weight == 0


OTEL_STEPS = [
    Step(place="", trace=str(number), id=f"s{number}", tool=ToolStep(name="x", output="y" * 99, done=True))
    for number in range(3)
]


@given(spoiled_documents([exported(*SPANS), exported(*CONVENTIONS.values())]))
def test_any_value_in_place_of_any_part_is_read_or_told(records: list[JsonValue]) -> None:
    told = imported(records, OTEL)
    assert told.findings.calls.total() == len(told.calls)
