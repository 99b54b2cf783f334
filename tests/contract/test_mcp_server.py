"""`groundtrace mcp` with clients of the official SDK: our tools, the gate and the summary, over pipes and HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from groundtrace.invocation import Invocation
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.command import DRAFT, REASON, command, environment, script, small_incident, verdict

pytestmark = pytest.mark.server

SESSION = "night-1"
QUESTION = "Why did the database fail over?"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("query_logs", {"pattern": "failover", "app": "db"}),
    ("query_logs", {"pattern": "no such words"}),
    ("query_logs", {"patern": "failover"}),
    ("no_such_tool", {"a": 1}),
    ("session_summary", {}),
    ("session_summary", {"more": 1}),
    ("check_answer", {"question": QUESTION}),
    ("check_answer", {"question": QUESTION, "answer": DRAFT}),
)


@dataclass(frozen=True, slots=True)
class Served:
    """What a client got, in the order of CALLS, and what was kept."""

    tools: dict[str, Any]
    got: list[Any]
    rows: tuple[Invocation, ...]
    decisions: list[str]
    errors: str


async def asked(session: ClientSession) -> tuple[dict[str, Any], list[Any]]:
    await session.initialize()
    tools = {tool.name: tool.input_schema for tool in (await session.list_tools()).tools}
    return tools, [await session.call_tool(tool, arguments) for tool, arguments in CALLS]


def words(folder: Path, *more: str) -> list[str]:
    sources = ("--logs", str(folder / "db.log"), "--store", str(folder / "t.db"), "--session", SESSION)
    return command("mcp", *sources, "--model", f"script:{folder / 'script.json'}", *more)


def kept(folder: Path, session: str = SESSION) -> tuple[tuple[Invocation, ...], list[str]]:
    store = SqliteStore(folder / "t.db", read_only=True)
    try:
        return store.rows(session).unwrap(), [one.decision.value for one in store.evaluations(session).unwrap()]
    finally:
        store.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """One session over pipes, whose verifier rejects the draft."""
    folder = tmp_path_factory.mktemp("served")
    small_incident(folder)
    script(folder, verifier=[verdict("REJECT", "e1")])

    async def use() -> tuple[dict[str, Any], list[Any]]:
        first, *others = words(folder)
        parameters = StdioServerParameters(command=first, args=others, env=environment(), cwd=folder)
        with (folder / "errors").open("w") as errors:
            async with stdio_client(parameters, errlog=errors) as streams, ClientSession(*streams) as session:
                return await asked(session)

    tools, got = asyncio.run(use())
    rows, decisions = kept(folder)
    return Served(tools, got, rows, decisions, (folder / "errors").read_text())


def text_of(answer: Any) -> str:
    (block,) = answer.content
    assert isinstance(block.text, str)
    return block.text


def test_the_tools_with_a_source_are_offered_and_ours_besides(served: Served) -> None:
    assert list(served.tools) == ["query_logs", "check_answer", "session_summary"]
    pattern = served.tools["query_logs"]["properties"]["pattern"]
    assert "text that an entry must hold" in pattern["description"]
    assert served.tools["check_answer"]["required"] == ["question", "answer"]


def test_a_found_and_an_empty_answer_are_no_errors(served: Served) -> None:
    found, empty = served.got[:2]
    assert not found.is_error
    assert "failover to db-1" in text_of(found)
    assert not empty.is_error
    assert "no log entry matches" in text_of(empty)


@pytest.mark.parametrize(
    ("number", "told"),
    [(2, "unknown parameter 'patern'"), (3, "no tool has this name"), (5, "unknown parameter 'more'"), (6, "answer")],
)
def test_an_error_is_a_result_with_one_clear_line(served: Served, number: int, told: str) -> None:
    assert served.got[number].is_error
    assert told in text_of(served.got[number])
    assert "\n" not in text_of(served.got[number])


def test_every_call_of_a_source_is_recorded_and_no_other(served: Served) -> None:
    assert [(row.tool_name, row.outcome) for row in served.rows] == [
        ("query_logs", "success"),
        ("query_logs", "no_evidence"),
        ("query_logs", "failure"),
        ("no_such_tool", "failure"),
    ]


def test_the_summary_tells_what_was_found_empty_and_broken(served: Served) -> None:
    summary = text_of(served.got[4])
    assert "DIRECT  query_logs about db: 1 call: 1 success" in summary
    assert "no_such_tool" in summary


def test_a_rejected_answer_is_in_no_field_of_the_result(served: Served) -> None:
    """Field cases E01 and E05: what is withheld reaches nobody."""
    checked = served.got[7]
    assert served.decisions == ["REJECT"]
    assert checked.structured_content["verdict"] == "REJECT"
    assert checked.structured_content["text"] == text_of(checked)
    for hidden in (DRAFT, REASON, "CANARY"):
        assert hidden not in checked.model_dump_json()
        assert hidden not in served.errors


def test_over_http_each_mcp_session_is_one_of_its_own_and_a_signal_ends_it(tmp_path: Path) -> None:
    small_incident(tmp_path)
    script(tmp_path, verifier=[verdict("PASS", "e1")])

    async def use(url: str) -> Any:
        async with streamable_http_client(url) as streams, ClientSession(*streams) as session:
            return (await asked(session))[1][7]

    with subprocess.Popen(
        words(tmp_path, "--http", "--listen", "127.0.0.1:0"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            checked = asyncio.run(use(re.findall(r"^\S+", process.stdout.readline())[0]))
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 130
        finally:
            process.kill()
    assert DRAFT in text_of(checked)
    store = SqliteStore(tmp_path / "t.db", read_only=True)
    (line,) = store.sessions().unwrap()
    store.close()
    assert line.session_id.startswith(f"{SESSION}/")
    assert kept(tmp_path, line.session_id)[1] == ["PASS"]


def test_a_signal_ends_a_server_whose_client_holds_on(tmp_path: Path) -> None:
    small_incident(tmp_path)
    script(tmp_path)
    with subprocess.Popen(
        words(tmp_path), cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            process.stdin.write(json.dumps(ping).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 130
        finally:
            process.kill()
