"""inspect logs: every call of a sample once, whether its messages tell it, its events, or both."""

import pytest
from hypothesis import given

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, OutcomeKind
from groundtrace.transcripts.events import Record
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.inspect_log import INSPECT
from groundtrace.transcripts.joined import Finding
from groundtrace_testing.spoiling import spoiled_documents
from groundtrace_testing.transcripts import imported, output_of


def call(call_id: str, tool: str, **params: JsonValue) -> JsonValue:
    return {"id": call_id, "function": tool, "arguments": params, "type": "function"}


def asks(*calls: JsonValue) -> JsonValue:
    return {"role": "assistant", "content": "", "source": "generate", "tool_calls": list(calls)}


def brings(call_id: str, content: JsonValue, tool: str = "bash", **more: JsonValue) -> JsonValue:
    return {"role": "tool", "content": content, "tool_call_id": call_id, "function": tool, **more}


def ran(call_id: str, tool: str, result: JsonValue, second: int, params: JsonValue, **more: JsonValue) -> JsonValue:
    return {
        "event": "tool",
        "id": call_id,
        "function": tool,
        "arguments": params,
        "result": result,
        "timestamp": f"2026-03-08T12:00:0{second}-04:00",
        "completed": f"2026-03-08T12:00:0{second + 2}-04:00",
        **more,
    }


def sample(*messages: JsonValue, events: list[JsonValue], **more: JsonValue) -> dict[str, JsonValue]:
    return {
        "id": 1,
        "epoch": 2,
        "uuid": "sample-own",
        "input": "how many pods?",
        "target": "two",
        "messages": list(messages),
        "events": events,
        "output": {"completion": "two pods", "choices": []},
        **more,
    }


KEPT = "attachment://0a1b"
SAMPLE = sample(
    {"role": "system", "content": "be good"},
    {"role": "user", "content": "how many pods?"},
    asks(call("c1", "bash", cmd="kubectl get pods"), call("c2", "python", code="1/0")),
    brings("c1", KEPT),
    brings("c2", "", "python", error={"type": "timeout", "message": "no answer within 30 seconds"}),
    {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "two"}]},
    events=[
        {"event": "sample_init", "sample": {}},
        ran("c1", "bash", KEPT, 1, {"cmd": "kubectl get pods"}),
        ran("c2", "python", "", 3, {"code": "1/0"}, error={"type": "timeout", "message": "no answer"}),
        ran("c3", "search", "one page", 5, {"q": "pods"}),
        ran("c4", "search", "", 6, {"q": "nodes"}, pending=True),
    ],
    attachments={"0a1b": "pod-1\npod-2"},
)
LOG: JsonValue = {"version": 2, "status": "success", "eval": {"run_id": "r"}, "plan": {}, "samples": [SAMPLE]}


def test_a_call_in_messages_and_events_is_one_call_with_its_times() -> None:
    told = imported([LOG])
    assert [(one.call.tool_name, outcomes.kind_of(one.outcome)) for one in told.calls] == [
        ("bash", OutcomeKind.SUCCESS),
        ("python", OutcomeKind.FAILURE),
        ("search", OutcomeKind.SUCCESS),
        ("search", OutcomeKind.FAILURE),
    ]
    first = told.by_peer("c1")
    assert first.call.started_at.isoformat() == "2026-03-08T16:00:01+00:00"
    assert first.call.duration_ms == 2_000
    assert output_of(first) == "pod-1\npod-2"
    assert {one.call.session_id for one in told.calls} == {"sample-own"}
    assert told.findings.found[Finding.MISSING_RESULT] == 1


def test_the_completion_of_a_sample_is_its_answer() -> None:
    (answer,) = imported([LOG]).answers
    assert (answer.question, answer.text) == ("how many pods?", "two pods")


def test_an_older_sample_s_answer_is_the_text_of_its_first_choice() -> None:
    output: JsonValue = {"choices": [{"message": {"role": "assistant", "content": "just two"}}]}
    (answer,) = imported([sample(events=[], output=output)]).answers
    assert answer.text == "just two"


def test_a_sample_of_an_archive_is_the_same_session_as_in_a_whole_log() -> None:
    alone = imported([SAMPLE], name="another")
    assert [one.call.id for one in alone.calls] == [one.call.id for one in imported([LOG]).calls]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("timeout", FailureKind.TIMEOUT),
        ("permission", FailureKind.DENIED),
        ("approval", FailureKind.DENIED),
        ("cancelled", FailureKind.CANCELLED),
        ("unicode_decode", FailureKind.BAD_OUTPUT),
        ("parsing", FailureKind.ERROR),
        ("file_not_found", FailureKind.ERROR),
        ("limit", FailureKind.ERROR),
        ("of a later version", FailureKind.ERROR),
    ],
)
def test_the_type_of_an_error_says_how_the_call_broke(kind: str, expected: FailureKind) -> None:
    broke = brings("c1", "some output", error={"type": kind, "message": ""})
    (one,) = imported([sample(asks(call("c1", "bash")), broke, events=[])]).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert one.outcome.kind is expected
    assert kind in one.outcome.message


def test_a_call_that_ended_its_sample_has_the_result_of_its_event() -> None:
    hard = ran("c1", "bash", "", 1, {}, failed=True)
    (one,) = imported([sample(asks(call("c1", "bash")), events=[hard], error={"message": "boom"})]).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert one.outcome.kind is FailureKind.ERROR
    assert one.call.duration_ms == 2_000


def test_events_inside_the_event_of_a_tool_are_calls_too() -> None:
    inner = ran("c9", "search", "a page", 2, {"q": "x"})
    outer = ran("c1", "researcher", "done", 1, {}, events=[{"event": "model"}, inner])
    told = imported([sample(asks(call("c1", "researcher")), brings("c1", "done", "researcher"), events=[outer])])
    assert [one.call.tool_name for one in told.calls] == ["researcher", "search"]


def test_an_id_that_comes_again_names_another_call() -> None:
    told = imported(
        [
            sample(
                asks(call("call_0", "bash", cmd="a")),
                brings("call_0", "first"),
                asks(call("call_0", "bash", cmd="a")),
                brings("call_0", "second"),
                events=[ran("call_0", "bash", "first", 1, {"cmd": "a"}), ran("call_0", "bash", "2", 4, {"cmd": "a"})],
            )
        ]
    )
    assert [output_of(one) for one in told.calls] == ["first", "second"]
    assert [one.call.started_at.second for one in told.calls] == [1, 4]


def test_a_provider_s_own_tool_in_the_content_is_a_call() -> None:
    part: dict[str, JsonValue] = {
        "type": "tool_use",
        "id": "w1",
        "name": "web_search",
        "arguments": "pods",
        "result": "a page",
    }
    broke: JsonValue = {**part, "id": "w2", "result": "", "error": "no network"}
    told = imported([sample({"role": "assistant", "content": [part, broke]}, events=[])])
    assert [outcomes.kind_of(one.outcome) for one in told.calls] == [OutcomeKind.SUCCESS, OutcomeKind.FAILURE]


def test_a_retried_attempt_is_a_session_of_its_own() -> None:
    retried: JsonValue = [{"message": "boom", "events": [ran("c1", "bash", "x", 1, {})]}]
    told = imported([sample(events=[], error_retries=retried)])
    assert [one.call.session_id for one in told.calls] == ["sample-own/attempt-1"]


def test_a_result_without_a_call_is_counted_and_no_call() -> None:
    """Field case F02."""
    told = imported([sample(brings("c1", "42 errors"), brings("c2", "?"), events=[])])
    assert told.calls == ()
    assert told.findings.found[Finding.ORPHAN] == 2


def test_samples_without_an_id_of_their_own_are_sessions_by_run_sample_and_epoch() -> None:
    first = sample(asks(call("c1", "bash")), events=[])
    del first["uuid"]
    second: JsonValue = {**first, "epoch": 3}
    log: JsonValue = {"version": 2, "eval": {"run_id": "r"}, "plan": {}, "samples": [first, second]}
    told = imported([log])
    sessions = [one.call.session_id for one in told.calls]
    assert len(set(sessions)) == 2
    assert [one.call.session_id for one in imported([log], name="other").calls] == sessions


@pytest.mark.parametrize(
    "value",
    [
        {"version": 2, "eval": {"run_id": "r"}, "plan": {}},
        {"id": "a", "epoch": 1, "input": "x", "target": "y", "scores": {}},
        {"scorer": "match", "samples": [{"value": 1, "sample_id": "a"}]},
    ],
    ids=["header", "summary", "reduction"],
)
def test_what_lies_beside_the_samples_of_an_archive_is_known(value: JsonValue) -> None:
    assert format_of([Record(place="", value=value)]) is INSPECT
    told = imported([value])
    assert (told.findings.known, dict(told.findings.unknown)) == (1, {})


@given(spoiled_documents([LOG]))
def test_any_value_in_place_of_any_part_is_read_or_told(records: list[JsonValue]) -> None:
    told = imported(records, INSPECT)
    assert told.findings.calls.total() == len(told.calls)
