"""Each transcript format: how it is recognised, and that every call, result, question and answer in it is read."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, OutcomeKind
from groundtrace.transcripts.events import Record
from groundtrace.transcripts.formats import FORMATS, format_named, format_of, nearest
from groundtrace.transcripts.joined import Finding
from groundtrace_testing.transcripts import ODD, Imported, imported, output_of, places, with_other

AT = "2026-03-08T12:00:0{}Z"
FAILURE, SUCCESS = OutcomeKind.FAILURE, OutcomeKind.SUCCESS


def claude(kind: str, uuid: str, *blocks: JsonValue, at: int = 0, **more: JsonValue) -> JsonValue:
    message: JsonValue = {"id": "m1", "role": kind, "content": list(blocks)}
    return {"type": kind, "uuid": uuid, "sessionId": "s", "timestamp": AT.format(at), "message": message, **more}


def uses(call_id: str, name: str, **params: JsonValue) -> JsonValue:
    return {"type": "tool_use", "id": call_id, "name": name, "input": params}


def result(call_id: str, content: JsonValue, **more: JsonValue) -> JsonValue:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def text(said: str) -> JsonValue:
    return {"type": "text", "text": said}


CLAUDE: list[JsonValue] = [
    claude("assistant", "u1", text("looking")),
    claude("assistant", "u2", uses("t1", "query_logs", q="a")),
    claude("assistant", "u3", uses("t2", "query_metrics", q="b")),
    claude("assistant", "u3b", uses("t2", "query_metrics", q="b")),
    claude("user", "u4", result("t1", "3 lines"), toolUseResult={"stdout": "3 lines", "interrupted": False}),
    claude("user", "u5", result("t2", "<tool_use_error>bad query</tool_use_error>", is_error=True), toolUseResult="no"),
    {"type": "summary", "summary": "Investigation", "leafUuid": "u5"},
    {"type": "file-history-snapshot", "messageId": "m1"},
]


def test_claude_code_is_read_with_its_duplicates() -> None:
    """Field case F07."""
    told = imported(CLAUDE)
    assert len(told.calls) == 2
    assert isinstance(told.by_peer("t1").outcome, outcomes.Success)
    broken = told.by_peer("t2").outcome
    assert isinstance(broken, outcomes.Failure)
    assert "bad query" in broken.message
    assert told.findings.found[Finding.DUPLICATE] == 1
    assert told.findings.known == 2


def test_claude_code_lines_copied_to_another_file_are_the_same_calls() -> None:
    """Field case F07, second import."""
    copied = imported(CLAUDE[1:], name="another file")
    assert [one.call.id for one in copied.calls] == [one.call.id for one in imported(CLAUDE).calls]


def test_a_stream_of_claude_code_tells_the_same_calls_as_its_session_file() -> None:
    line = claude("user", "u4", result("t1", "3 lines"), at=5)
    whole = imported([claude("assistant", "u2", uses("t1", "query_logs", q="a")), line])
    stream: JsonValue = {
        "type": "assistant",
        "session_id": "s",
        "uuid": "u2",
        "message": {"content": [uses("t1", "query_logs", q="a")]},
    }
    end: JsonValue = {"type": "result", "subtype": "success", "session_id": "s", "result": "all is well"}
    told = imported([stream, line, end])
    assert told.calls[0].call.id == whole.calls[0].call.id
    assert [one.text for one in told.answers] == ["all is well"]


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    side = claude("user", "u7", text("find the pod"), isSidechain=True, agentId="a1")
    answer = claude("assistant", "u8", text("pod 7"), isSidechain=True, agentId="a1")
    main = claude("assistant", "u9", text("done"))
    told = imported([claude("user", "u0", text("why?")), side, answer, main])
    assert {(one.session_id, one.question, one.text) for one in told.answers} == {
        ("s", "why?", "done"),
        ("s/a1", "find the pod", "pod 7"),
    }


def test_an_interrupted_call_of_claude_code_was_cancelled() -> None:
    lines = [
        claude("assistant", "u1", uses("t", "Bash", command="sleep 9")),
        claude("user", "u2", result("t", "stopped"), toolUseResult={"stdout": "", "interrupted": True}),
    ]
    (one,) = imported(lines).calls
    assert isinstance(one.outcome, outcomes.Failure)
    assert one.outcome.kind is FailureKind.CANCELLED


def test_remarks_of_the_client_are_no_questions() -> None:
    remark = claude("user", "u1", text("<command-name>/clear</command-name>"))
    meta = claude("user", "u2", text("context"), isMeta=True)
    told = imported([remark, meta, claude("user", "u3", text("why?")), claude("assistant", "u4", text("so"))])
    assert [one.question for one in told.answers] == ["why?"]


def codex(kind: str, payload: JsonValue, at: int = 0) -> JsonValue:
    return {"timestamp": AT.format(at), "type": kind, "payload": payload}


def item(kind: str, **more: JsonValue) -> JsonValue:
    return codex("response_item", {"type": kind, **more})


SHELL_OUTPUT = "Wall time: 1 s\nProcess exited with code 0\nOutput:\n3 pods"

CODEX: list[JsonValue] = [
    codex("session_meta", {"id": "own", "cwd": "/srv"}),
    item("message", role="user", content=[{"type": "input_text", "text": "<environment_context>x"}]),
    item("message", role="user", content=[{"type": "input_text", "text": "why?"}]),
    item("function_call", name="exec_command", arguments='{"cmd": "kubectl get pods"}', call_id="c1"),
    item("function_call_output", call_id="c1", output=SHELL_OUTPUT),
    item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2"),
    item("custom_tool_call_output", call_id="c2", output='{"output":"done","metadata":{"exit_code":0}}'),
    codex("event_msg", {"type": "token_count"}),
    item("message", role="assistant", content=[{"type": "output_text", "text": "fixed"}]),
]

EXEC: list[JsonValue] = [
    {"type": "thread.started", "thread_id": "t-1"},
    {"type": "turn.started"},
    {"type": "item.started", "item": {"id": "item_0", "type": "command_execution", "command": "ls"}},
    {
        "type": "item.completed",
        "item": {
            "id": "item_0",
            "type": "command_execution",
            "command": "ls",
            "aggregated_output": "a b",
            "exit_code": 0,
            "status": "completed",
        },
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_1",
            "type": "mcp_tool_call",
            "server": "k8s",
            "tool": "get",
            "arguments": {"kind": "pod"},
            "status": "failed",
            "error": {"message": "no cluster"},
        },
    },
    {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": "there are two"}},
    {"type": "turn.completed", "usage": {}},
]

GEMINI: list[JsonValue] = [
    {"sessionId": "g", "projectHash": "p", "startTime": AT.format(0)},
    {"id": "1", "type": "user", "timestamp": AT.format(1), "content": [{"text": "why?"}]},
    {"$set": {"lastUpdated": AT.format(1)}},
    {"id": "2", "type": "gemini", "timestamp": AT.format(2), "content": "looking"},
    {
        "id": "2",
        "type": "gemini",
        "timestamp": AT.format(2),
        "content": "looking",
        "toolCalls": [
            {
                "id": "shell_1",
                "name": "run_shell_command",
                "args": {"command": "ls"},
                "status": "success",
                "timestamp": AT.format(4),
                "result": [{"functionResponse": {"id": "shell_1", "response": {"output": "a b"}}}],
            },
            {
                "id": "shell_2",
                "name": "run_shell_command",
                "args": {"command": "cat x"},
                "status": "error",
                "result": [{"functionResponse": {"id": "shell_2", "response": {"error": "no such file"}}}],
            },
        ],
    },
    {"id": "3", "type": "user", "content": [{"functionResponse": {"id": "shell_1", "response": {"output": "a b"}}}]},
    {"id": "4", "type": "gemini", "timestamp": AT.format(6), "content": "two files"},
]


def copilot(kind: str, at: int = 0, **data: JsonValue) -> JsonValue:
    return {"type": kind, "data": data, "id": "e", "timestamp": AT.format(at), "parentId": "p"}


COPILOT: list[JsonValue] = [
    copilot("session.start", sessionId="cp"),
    copilot("user.message", content="why?"),
    copilot(
        "assistant.message",
        content="",
        toolRequests=[
            {"toolCallId": "t1", "name": "bash", "arguments": {"command": "ls"}},
            {"toolCallId": "t2", "name": "bash", "arguments": {"command": "rm x"}},
        ],
    ),
    copilot("tool.execution_start", 1, toolCallId="t1", toolName="bash", arguments={"command": "ls"}),
    copilot("tool.execution_partial_result", 1, toolCallId="t1", partialOutput="a"),
    copilot(
        "tool.execution_complete",
        2,
        toolCallId="t1",
        success=True,
        result={"content": "a b", "contents": [{"type": "shell_exit", "exitCode": 0}]},
    ),
    copilot("assistant.message", 3, content="two files", toolRequests=[]),
    {"type": "result", "timestamp": AT.format(4), "sessionId": "cp", "exitCode": 0},
]

COPILOT_FLAT: list[JsonValue] = [
    {"type": "message", "role": "user", "timestamp": AT.format(0), "content": "why?"},
    {"type": "tool_use", "id": "t1", "timestamp": AT.format(1), "name": "bash", "input": {"command": "ls"}},
    {"type": "tool_result", "timestamp": AT.format(2), "tool_use_id": "t1", "content": "a b", "is_error": False},
    {"type": "message", "role": "assistant", "timestamp": AT.format(3), "content": "two files"},
]


def part(kind: str, **more: JsonValue) -> JsonValue:
    return {"type": kind, **more}


OPENCODE: list[JsonValue] = [
    {
        "info": {"id": "ses_1", "title": "t"},
        "messages": [
            {"info": {"role": "user", "time": {"created": 1_782_797_648_332}}, "parts": [part("text", text="why?")]},
            {
                "info": {"role": "assistant", "time": {"created": 1_782_797_648_472}},
                "parts": [
                    part("step-start"),
                    part(
                        "tool",
                        tool="bash",
                        callID="c1",
                        state={
                            "status": "completed",
                            "input": {"command": "ls"},
                            "output": "a b",
                            "metadata": {"exit": 0},
                            "time": {"start": 1_782_797_669_943, "end": 1_782_797_669_947},
                        },
                    ),
                    part("tool", tool="bash", callID="c2", state={"status": "running", "input": {"command": "top"}}),
                    part("tool", tool="read", callID="c3", state={"status": "error", "input": {}, "error": "gone"}),
                    part("text", text="two files"),
                ],
            },
        ],
    }
]

STRATUS: list[JsonValue] = [
    {"type": "metadata", "problem_id": "p"},
    {"type": "stage_start", "stage": "diagnosis"},
    {"type": "event", "stage": "diagnosis", "messages": [{"type": "HumanMessage", "content": "why?"}]},
    {
        "type": "event",
        "stage": "diagnosis",
        "messages": [
            {"type": "HumanMessage", "content": "why?"},
            {"type": "AIMessage", "content": "two pods", "tool_calls": [{"name": "get", "args": {}, "id": "c1"}]},
            {"type": "ToolMessage", "content": "2 pods"},
        ],
    },
]

DICTS: list[JsonValue] = [
    {"type": "human", "data": {"content": "why?"}},
    {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "get", "args": {"k": 1}, "id": "c1"}]}},
    {"type": "tool", "data": {"content": "boom", "tool_call_id": "c1", "status": "error", "name": "get"}},
    {"type": "ai", "data": {"content": "it broke", "tool_calls": []}},
]


def dumped(name: str, **kwargs: JsonValue) -> JsonValue:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}


DUMPED: list[JsonValue] = [
    dumped("HumanMessage", content="why?"),
    dumped("AIMessage", content="", tool_calls=[{"name": "get", "args": {}, "id": "c1"}]),
    dumped("ToolMessage", content="2 pods", tool_call_id="c1", status="success"),
    dumped("AIMessage", content="two"),
]

SWE: list[JsonValue] = [
    {
        "environment": "e",
        "history": [{"role": "system", "content": "be good"}, {"role": "user", "content": "why?"}],
        "trajectory": [
            {"action": "ls -l\n", "observation": "a b", "response": "look", "execution_time": 0.25},
            {"action": "submit", "observation": "", "response": "two files"},
        ],
    }
]

UNSURE, UNREAD = "Thought: I do not know", "Error parsing response"

REACT: list[JsonValue] = [
    {
        "agent": "react",
        "session_id": "r-1",
        "start_time": 1_770_783_108.5,
        "trace": [
            {"role": "assistant", "content": 'Thought: look\nAction: \n```\nget_logs("shop")\n```'},
            {"role": "env", "content": "3 lines"},
            {"role": "assistant", "content": UNSURE},
            {"role": "env", "content": UNREAD},
        ],
    }
]

RESPONSES: list[JsonValue] = [
    {"role": "user", "content": "why?"},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "get", "arguments": '{"k": 1}'},
    {"type": "function_call_output", "call_id": "c1", "output": "2 pods"},
    {"type": "mcp_call", "id": "m1", "name": "list", "arguments": "{}", "output": None, "error": "gone"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "two"}]},
]

BLOCKS: list[JsonValue] = [
    {"role": "user", "content": "why?"},
    {"role": "assistant", "content": [text("look"), uses("a", "get", k=1)]},
    {"role": "user", "content": [result("a", [text("2 pods")])]},
    {"role": "assistant", "content": [text("two")]},
]

CHAT: list[JsonValue] = [
    {
        "messages": [
            {"role": "user", "content": "why?"},
            {"role": "assistant", "content": None, "function_call": {"name": "get", "arguments": "{}"}},
            {"role": "function", "name": "get", "content": "2 pods"},
            {"role": "assistant", "content": "two"},
        ]
    }
]

# Format, records, session, tool and output of each call in order of the rows' positions, answers.
_Row = tuple[str, Sequence[JsonValue], str, list[tuple[str, object]], list[str]]
ALL: dict[str, _Row] = {
    "codex": ("codex", CODEX, "own", [("exec_command", SHELL_OUTPUT), ("apply_patch", "done")], ["fixed"]),
    "codex exec": ("codex-exec", EXEC, "t-1", [("command_execution", "a b"), ("k8s.get", None)], ["there are two"]),
    "gemini": ("gemini-cli", GEMINI, "g", [("run_shell_command", "a b"), ("run_shell_command", None)], ["two files"]),
    "copilot": ("copilot-cli", COPILOT, "cp", [("bash", "a b"), ("bash", None)], ["two files"]),
    "copilot flat": ("copilot-cli", COPILOT_FLAT, "file", [("bash", "a b")], ["two files"]),
    "opencode": ("opencode", OPENCODE, "ses_1", [("bash", "a b"), ("bash", None), ("read", None)], ["two files"]),
    "langchain stages": ("langchain", STRATUS, "file/diagnosis", [("get", "2 pods")], ["two pods"]),
    "langchain dicts": ("langchain", DICTS, "file", [("get", "boom")], ["it broke"]),
    "langchain dumped": ("langchain", DUMPED, "file", [("get", "2 pods")], ["two"]),
    "swe-agent": ("swe-agent", SWE, "file/line 1", [("ls", "a b"), ("submit", "")], ["two files"]),
    "aiopslab": ("aiopslab", REACT, "r-1", [("get_logs", "3 lines"), ("unparsed_action", UNREAD)], [UNSURE]),
    "responses": ("openai-responses", RESPONSES, "file", [("get", "2 pods"), ("list", None)], ["two"]),
    "anthropic": ("anthropic", BLOCKS, "file", [("get", "2 pods")], ["two"]),
    "openai chat": ("openai-chat", CHAT, "file/line 1", [("get", "2 pods")], ["two"]),
    "claude": ("claude-code", CLAUDE, "s", [("query_logs", "3 lines"), ("query_metrics", None)], ["looking"]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "records", "session", "calls", "answers"), ALL.values(), ids=ALL)
def test_every_call_and_answer_of_a_format_is_read(
    name: str, records: Sequence[JsonValue], session: str, calls: list[tuple[str, object]], answers: list[str]
) -> None:
    kept = [Record(place=f"line {number}", value=value) for number, value in enumerate(records, start=1)]
    found = format_of(kept)
    assert found is not None
    assert found.name == name
    told = imported(records)
    ordered = sorted(told.calls, key=lambda one: one.call.seq)
    assert {one.call.session_id for one in told.calls} == {session}
    assert [one.call.tool_name for one in ordered] == [tool for tool, _ in calls]
    for one, (_, output) in zip(ordered, calls, strict=True):
        assert outcomes.kind_of(one.outcome) is FAILURE or output_of(one) == output
    assert [one.text for one in told.answers] == answers
    assert not told.findings.unknown
    assert told.findings.found[Finding.ORPHAN] == 0


def kinds(told: Imported) -> list[OutcomeKind]:
    return [outcomes.kind_of(one.outcome) for one in sorted(told.calls, key=lambda one: one.call.seq)]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (EXEC, [SUCCESS, FAILURE]),
        (GEMINI, [SUCCESS, FAILURE]),
        (COPILOT, [SUCCESS, FAILURE]),
        (OPENCODE, [SUCCESS, FAILURE, FAILURE]),
        (DICTS, [FAILURE]),
        (RESPONSES, [SUCCESS, FAILURE]),
    ],
    ids=["exec", "gemini", "copilot", "opencode", "langchain", "responses"],
)
def test_a_format_s_own_flag_is_taken(records: Sequence[JsonValue], expected: list[OutcomeKind]) -> None:
    assert kinds(imported(records)) == expected


def test_what_was_asked_for_and_never_started_has_no_result() -> None:
    told = imported(COPILOT)
    assert told.findings.found[Finding.MISSING_RESULT] == 1


def test_times_in_milliseconds_since_1970_are_read() -> None:
    (first, *_) = imported(OPENCODE).calls
    assert first.call.started_at == datetime(2026, 6, 30, 5, 34, 29, 943_000, tzinfo=UTC)
    assert first.call.duration_ms == 4


def test_a_call_whose_function_is_a_name_is_that_tools() -> None:
    call: JsonValue = {"id": "a", "function": "guess", "arguments": {"n": 5}, "type": "function"}
    told = imported([{"role": "assistant", "content": "", "tool_calls": [call]}])
    assert told.calls[0].call.tool_name == "guess"


def test_an_unknown_record_is_told_the_nearest_formats() -> None:
    record: JsonValue = {"role": "robot", "tool_calls": [], "tool_call_id": "x"}
    assert format_of([Record(place="line 1", value=record)]) is None
    assert "openai-chat" in [one.name for one in nearest(record)]
    assert nearest({"quite": "else"}) == ()


def test_every_format_is_found_by_its_name() -> None:
    assert [format_named(one.name) for one in FORMATS] == list(FORMATS)
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    assert format_named("no such") is None


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
_NAMES = st.sampled_from(sorted({name for one in FORMATS for name in one.keys} | {"id", "name", "state", "time"}))
_WORDS = st.sampled_from(
    "user assistant tool tool_use tool_result message function_call human ai AIMessage gemini text".split()
)
_JSON: st.SearchStrategy[JsonValue] = st.recursive(
    _SCALARS | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(_NAMES, _JSON, max_size=5) | st.lists(_JSON, max_size=3), max_size=4))
def test_no_record_makes_a_reader_raise(values: list[JsonValue]) -> None:
    for one in FORMATS:
        for value in values:
            assert one.fits(value) in (True, False)
        told = imported(values, one)
        assert told.findings.calls.total() == len(told.calls)


_CHANGED = [
    (name, records, number, path)
    for name, records, *_ in ALL.values()
    for number, record in enumerate(records)
    for path in places(record)
]


@given(st.sampled_from(_CHANGED), st.sampled_from(ODD))
def test_any_value_in_place_of_any_other_is_read_or_counted(
    case: tuple[str, Sequence[JsonValue], int, tuple[str | int, ...]], other: JsonValue
) -> None:
    name, records, number, path = case
    form = format_named(name)
    assert form is not None
    changed = [*records[:number], with_other(records[number], path, other), *records[number + 1 :]]
    assert form.fits(changed[number]) in (True, False)
    told = imported(changed, form)
    assert told.findings.calls.total() == len(told.calls) == len({one.call.id for one in told.calls})
