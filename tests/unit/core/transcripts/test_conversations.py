"""Where conversations stand in the logs of APIs and graphs: nothing of one is lost, and nothing counts twice."""

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import OutcomeKind
from groundtrace.transcripts.chat_messages import chat_events
from groundtrace.transcripts.conversations import messages_in
from groundtrace.transcripts.events import Skipped
from groundtrace.transcripts.joined import Finding
from groundtrace_testing.transcripts import asks, brings, imported, says

ASKED: list[JsonValue] = [says("user", "why is it slow?"), asks(("c1", "query_logs", "{}")), brings("c1", "3 lines")]
ANSWER = says("assistant", "It is DNS.")
SAID: JsonValue = {"type": "message", "role": "assistant", "content": "It is DNS."}
WHOLE: list[JsonValue] = [*ASKED, ANSWER]
USE: JsonValue = {"type": "tool_use", "id": "c1", "name": "query_logs", "input": {}}
RESULT: JsonValue = {"type": "tool_result", "tool_use_id": "c1", "content": "3 lines"}
BLOCKS: list[JsonValue] = [
    says("user", "why is it slow?"),
    {"role": "assistant", "content": [USE]},
    {"role": "user", "content": [RESULT]},
]
ITEMS: list[JsonValue] = [
    {"type": "function_call", "call_id": "c1", "name": "query_logs", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "3 lines"},
]


def choice(message: JsonValue) -> JsonValue:
    return [{"index": 0, "message": message, "finish_reason": "stop"}]


@pytest.mark.parametrize(
    "record",
    [
        {"messages": ASKED, "response": {"choices": choice(ANSWER)}},
        {"request": {"messages": ASKED}, "response": {"choices": choice(ANSWER)}},
        {"request": {"body": {"messages": ASKED}}, "response": {"body": {"choices": choice(ANSWER)}}},
        {"messages": ASKED, "choices": choice(ANSWER)},
        {"custom_id": "r-1", "url": "/v1/chat/completions", "body": {"messages": WHOLE}},
        {"custom_id": "r-1", "params": {"messages": BLOCKS}, "result": {"type": "succeeded", "message": ANSWER}},
        {"request": {"messages": BLOCKS}, "response": ANSWER},
        {"object": "response", "input": [ASKED[0], *ITEMS], "output": [SAID]},
        {"object": "response", "input": "why is it slow?", "output": [*ITEMS, SAID]},
    ],
)
def test_what_was_sent_and_what_came_back_are_one_conversation(record: JsonValue) -> None:
    told = imported([record])
    assert told.outputs == {"query_logs": "3 lines"}
    assert [(one.question, one.text) for one in told.answers] == [("why is it slow?", "It is DNS.")]


def test_a_call_that_stands_in_a_reply_alone_is_kept_without_a_result() -> None:
    told = imported([{"object": "chat.completion", "choices": choice(asks(("c1", "query_logs", "{}")))}])
    assert told.kinds == [OutcomeKind.FAILURE]


def test_a_refusal_is_an_answer_whether_it_is_a_field_or_a_part() -> None:
    part: JsonValue = {"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't help."}]}
    field: JsonValue = {"role": "assistant", "content": None, "refusal": "I can't help."}
    assert [imported([[says("user", "x"), one]]).answers[0].text for one in (part, field)] == ["I can't help."] * 2


def test_a_result_that_stands_in_the_message_of_its_own_call_belongs_to_it() -> None:
    use: JsonValue = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
    found: JsonValue = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u", "title": "t"}]}
    told = imported([says("user", "x"), {"role": "assistant", "content": [use, found, {"type": "text", "text": "ok"}]}])
    assert told.kinds == [OutcomeKind.SUCCESS]
    assert told.findings.found[Finding.ORPHAN] == 0


def human(text: str) -> JsonValue:
    return {"type": "human", "content": text}


OLD_CALL: JsonValue = {"id": "c1", "type": "function", "function": {"name": "query_logs", "arguments": "{}"}}
GRAPH: list[JsonValue] = [
    human("why is it slow?"),
    {"type": "ai", "content": "", "tool_calls": [{"name": "query_logs", "args": {}, "id": "c1"}]},
    {"type": "tool", "content": "3 lines", "tool_call_id": "c1"},
    {"type": "ai", "content": "It is DNS."},
]


@pytest.mark.parametrize(
    "asked",
    [
        {"content": "", "additional_kwargs": {"tool_calls": [OLD_CALL]}},
        {"content": "", "additional_kwargs": {"tool_calls": [OLD_CALL]}, "tool_calls": []},
        {"content": "", "additional_kwargs": {"function_call": {"name": "query_logs", "arguments": "{}"}}},
        {"content": [{"type": "text", "text": "hm"}, USE]},
        {"content": [USE], "tool_calls": [{"name": "query_logs", "args": {}, "id": "c1"}]},
    ],
)
def test_a_langchain_call_is_found_wherever_its_message_keeps_it(asked: dict[str, JsonValue]) -> None:
    told = imported([[GRAPH[0], {"type": "ai", **asked}, *GRAPH[2:]]])
    assert told.outputs == {"query_logs": "3 lines"}
    assert told.kinds == [OutcomeKind.SUCCESS]


@pytest.mark.parametrize(
    "record",
    [
        {"values": {"messages": GRAPH}, "next": [], "config": {"configurable": {"thread_id": "t"}}},
        {"v": 1, "channel_values": {"messages": GRAPH}, "channel_versions": {}},
        {"thread_id": "t", "checkpoint": {"channel_values": {"messages": GRAPH}}},
    ],
)
def test_the_state_of_a_graph_holds_a_conversation(record: JsonValue) -> None:
    told = imported([record])
    assert (told.outputs, [one.text for one in told.answers]) == ({"query_logs": "3 lines"}, ["It is DNS."])


@pytest.mark.parametrize("lengths", [(2, 4), (4, 2), (1, 2, 3, 4), (4, 4), (4, 3, 2, 1)])
@pytest.mark.parametrize("name", ["graph", "chat"])
def test_a_conversation_that_is_written_again_as_it_grows_is_counted_once(lengths: tuple[int, ...], name: str) -> None:
    messages = GRAPH if name == "graph" else WHOLE
    told = imported([{"thread_id": "t", "messages": messages[:length]} for length in lengths])
    assert (told.kinds, len(told.answers)) == ([OutcomeKind.SUCCESS], 1)


def test_another_conversation_under_the_same_name_is_read_whole() -> None:
    other: list[JsonValue] = [says("user", "and the disk?"), asks(("c1", "query_logs", "{}")), brings("c1", "none")]
    told = imported([{"session_id": "s", "messages": WHOLE}, {"session_id": "s", "messages": other}])
    assert len(told.calls) == 2


def test_a_record_without_messages_is_looked_through_in_few_steps() -> None:
    found = list(messages_in({"request": {}, "body": {"params": {}}, "response": {"result": {"body": {}}}}))
    assert found == []


def test_blocks_of_another_api_are_told_where_no_call_is_read_from_them() -> None:
    asked: dict[str, JsonValue] = {
        "role": "assistant",
        "content": [{"toolUse": {"name": "query_logs"}}, {"text": "Let me look."}],
    }
    result: JsonValue = {"type": "tool-result", "result": "boom"}
    told: dict[str, JsonValue] = {"role": "tool", "content": [result, {"type": "text", "text": "x"}]}
    skipped = [
        event for message in (asked, told) for event in chat_events(message, "line 1") if isinstance(event, Skipped)
    ]
    assert [(one.what, one.known) for one in skipped] == [("block 'toolUse'", False), ("block 'tool-result'", False)]
