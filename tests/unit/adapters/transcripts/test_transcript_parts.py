"""An object too large to be held is read record by record: each says what it said inside the whole."""

import json
from io import BytesIO

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record
from groundtrace.transcripts.formats import format_of
from groundtrace_adapters.transcripts.parts import parts_of
from groundtrace_adapters.transcripts.pieces import Unread
from groundtrace_testing.otlp import exported, pairs, span
from groundtrace_testing.transcripts import imported

TOOL: dict[str, JsonValue] = {"gen_ai.tool.name": "x", "gen_ai.tool.call.result": "y"}


def observed(own: str) -> JsonValue:
    told: dict[str, JsonValue] = {"id": own, "traceId": "t", "type": "TOOL", "name": "x", "input": {}, "output": "y"}
    return {**told, "startTime": "2026-03-08T12:00:00Z"}


def sampled(own: int) -> JsonValue:
    call: JsonValue = {"id": f"c{own}", "function": "x", "arguments": {}}
    messages: list[JsonValue] = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{own}", "content": "y"},
    ]
    return {"id": own, "epoch": 1, "target": "", "messages": messages}


LOGGED: JsonValue = {
    "traceId": "t",
    "spanId": "s",
    "eventName": "gen_ai.assistant.message",
    "attributes": pairs({"tool_calls": json.dumps([{"id": "c", "name": "x", "arguments": "{}"}])}),
}
WHOLE: dict[str, JsonValue] = {
    "spans": exported(span("a", "execute_tool x", TOOL), span("b", "execute_tool x", TOOL)),
    "log records": {"resourceLogs": [{"resource": {}, "scopeLogs": [{"scope": {}, "logRecords": [LOGGED]}]}]},
    "traces": {"traces": [{"id": "t", "sessionId": "talk", "observations": [observed("a"), observed("b")]}]},
    "observations": {"trace": {"id": "t", "sessionId": "talk"}, "observations": [observed("a"), observed("b")]},
    "page": {"meta": {"page": 1}, "data": [observed("a"), observed("b")]},
    "log": {"version": 2, "eval": {"run_id": "r"}, "plan": {"steps": []}, "samples": [sampled(1), sampled(2)]},
}


def read(whole: JsonValue) -> list[Record | Unread]:
    return list(parts_of(BytesIO(json.dumps(whole).encode())))


@pytest.mark.parametrize("whole", WHOLE.values(), ids=WHOLE)
def test_records_read_one_by_one_are_the_calls_of_the_whole(whole: JsonValue) -> None:
    found = [piece for piece in read(whole) if isinstance(piece, Record)]
    form = format_of([Record(place="", value=whole)])
    assert form is not None
    assert format_of(found) is form
    told = imported([one.value for one in found], form)
    assert [one.call.id for one in told.calls] == [one.call.id for one in imported([whole], form).calls]
    assert len(told.calls) == len(found)


def test_an_object_that_lists_nothing_known_has_no_records() -> None:
    assert read({"messages": [{"role": "user", "content": "x"}], "other": [1]}) == []


def test_what_was_read_before_the_json_breaks_is_kept() -> None:
    torn = json.dumps(WHOLE["page"]).encode()[:-20]
    *kept, last = parts_of(BytesIO(torn))
    assert len(kept) == 1
    assert isinstance(last, Unread)
    assert last.place == "record 2"
    assert "breaks here" in last.why


def test_a_record_that_is_too_large_is_told_and_the_next_one_read() -> None:
    whole: JsonValue = {"data": [observed("x" * 2_000), observed("b")]}
    first, second = parts_of(BytesIO(json.dumps(whole).encode()), most=1_000)
    assert isinstance(first, Unread)
    assert isinstance(second, Record)
