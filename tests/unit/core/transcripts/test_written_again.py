"""Other forms in which clients leave their sessions: written again, printed, saved by hand, kept in many files."""

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, OutcomeKind
from groundtrace_testing.transcripts import imported, output_of

AT = "2026-03-08T12:00:0{}Z"


def claude(uuid: str, kind: str, block: JsonValue, at: int) -> JsonValue:
    message: JsonValue = {"role": kind, "content": [block]}
    return {"type": kind, "uuid": uuid, "sessionId": "s", "timestamp": AT.format(at), "message": message}


CLAUDE: list[JsonValue] = [
    claude("a", "user", {"type": "text", "text": "why is it slow?"}, 0),
    claude("b", "assistant", {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "df"}}, 1),
    claude("c", "user", {"type": "tool_result", "tool_use_id": "t1", "content": "99%"}, 2),
    claude("d", "assistant", {"type": "text", "text": "The disk is full."}, 3),
]
GEMINI: list[JsonValue] = [
    {"id": "1", "type": "user", "content": "why is it slow?", "timestamp": AT.format(0)},
    {
        "id": "2",
        "type": "gemini",
        "content": "",
        "timestamp": AT.format(1),
        "toolCalls": [
            {"id": "t1", "name": "Bash", "args": {}, "status": "success", "resultDisplay": "99%", "result": []}
        ],
    },
    {"id": "3", "type": "gemini", "content": "The disk is full.", "timestamp": AT.format(3)},
]
HEAD: JsonValue = {"sessionId": "s", "projectHash": "h"}


@pytest.mark.parametrize("records", [[*CLAUDE, *CLAUDE], [HEAD, *GEMINI, {"$set": {"messages": GEMINI}}]])
def test_a_history_that_is_written_again_is_one_turn_with_one_answer(records: list[JsonValue]) -> None:
    told = imported(records)
    assert len(told.calls) == 1
    assert [(one.turn_id, one.text) for one in told.answers] == [("turn-1", "The disk is full.")]


def test_the_same_words_in_another_message_are_another_turn() -> None:
    again: list[JsonValue] = [
        claude("e", "user", {"type": "text", "text": "why is it slow?"}, 4),
        claude("f", "assistant", {"type": "text", "text": "The disk is full."}, 5),
    ]
    assert [one.turn_id for one in imported([*CLAUDE, *again]).answers] == ["turn-1", "turn-2"]


def stream(kind: str, **more: JsonValue) -> JsonValue:
    return {"type": kind, "timestamp": AT.format(1), **more}


STREAM: list[JsonValue] = [
    stream("init", session_id="s", model="m"),
    stream("message", role="user", content="why is it slow?"),
    stream("tool_use", tool_name="run_shell_command", tool_id="t1", parameters={"command": "df"}),
    stream("tool_use", tool_name="read_file", tool_id="t2", parameters={"path": "x"}),
    stream("tool_result", tool_id="t2", status="error", error={"type": "io", "message": "no such file"}),
    stream("tool_result", tool_id="t1", status="success", output="99%"),
    stream("message", role="assistant", content="The disk ", delta=True),
    stream("message", role="assistant", content="is full.", delta=True),
    stream("result", status="success", stats={}),
]


def test_the_printed_stream_of_gemini_cli_is_read_with_its_pieces_put_together() -> None:
    told = imported(STREAM)
    assert {one.call.session_id for one in told.calls} == {"s"}
    assert (told.by_peer("t1").call.tool_name, output_of(told.by_peer("t1"))) == ("run_shell_command", "99%")
    assert sorted(told.kinds) == [OutcomeKind.FAILURE, OutcomeKind.SUCCESS]
    assert [(one.question, one.text) for one in told.answers] == [("why is it slow?", "The disk is full.")]


def test_a_stream_that_breaks_off_keeps_what_was_said_and_the_call_without_a_result() -> None:
    told = imported([*STREAM[:3], *STREAM[6:7]])
    assert [one.text for one in told.answers] == ["The disk "]
    assert getattr(told.calls[0].outcome, "kind", None) is FailureKind.NOT_RECORDED


def content(role: str, *parts: JsonValue) -> JsonValue:
    return {"role": role, "parts": list(parts)}


CONTENTS: list[JsonValue] = [
    content("user", {"text": "why is it slow?"}),
    content("model", {"text": "hm", "thought": True}, {"functionCall": {"name": "df", "args": {}}}),
    content("user", {"functionResponse": {"name": "df", "response": {"output": "99%"}}}),
    content("model", {"functionCall": {"name": "cat", "args": {"path": "x"}}}),
    content("function", {"functionResponse": {"name": "cat", "response": {"error": "no such file"}}}),
    content("model", {"text": "The disk is full."}),
]


@pytest.mark.parametrize("records", [CONTENTS, [CONTENTS], [{"history": CONTENTS}], [{"contents": CONTENTS}]])
def test_a_checkpoint_of_gemini_cli_holds_its_calls_and_answer(records: list[JsonValue]) -> None:
    told = imported(records)
    assert [one.call.tool_name for one in told.calls] == ["df", "cat"]
    assert told.kinds == [OutcomeKind.SUCCESS, OutcomeKind.FAILURE]
    assert [(one.question, one.text) for one in told.answers] == [("why is it slow?", "The disk is full.")]


def test_a_call_that_opencode_keeps_in_a_file_of_its_own_is_read() -> None:
    state: JsonValue = {
        "status": "completed",
        "input": {"command": "df"},
        "output": "99%",
        "time": {"start": 1772971201000},
    }
    part: JsonValue = {
        "id": "p",
        "sessionID": "s",
        "messageID": "m",
        "type": "tool",
        "callID": "c",
        "tool": "bash",
        "state": state,
    }
    told = imported([part])
    assert (told.calls[0].call.session_id, output_of(told.calls[0])) == ("s", "99%")


def test_no_request_of_copilot_cli_is_dropped_however_many_wait() -> None:
    requests: list[JsonValue] = [
        {"toolCallId": f"c{number}", "name": "view", "arguments": {}} for number in range(1_200)
    ]
    told = imported([{"type": "assistant.message", "data": {"content": "", "toolRequests": requests}}])
    assert len(told.calls) == 1_200


def test_an_older_rollout_of_codex_is_read_under_its_own_session() -> None:
    said: JsonValue = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "why?"}]}
    answer: JsonValue = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "A disk."}],
    }
    told = imported(
        [
            {"id": "r-1", "timestamp": AT.format(0), "instructions": None},
            {"record_type": "state"},
            said,
            {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": "99%"},
            answer,
        ]
    )
    assert [one.call.session_id for one in told.calls] == ["r-1"]
    assert [(one.session_id, one.question, one.text) for one in told.answers] == [("r-1", "why?", "A disk.")]
    assert not told.findings.unknown
