"""`mcp-proxy` between real clients and servers over real pipes: every call recorded, and not a byte changed."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.command import command, environment
from groundtrace_testing.mcp_peers import plain_server, sdk_server

pytestmark = pytest.mark.server

PLAIN = [sys.executable, "-I", "-S", plain_server.__file__]
SDK = [sys.executable, sdk_server.__file__]
SESSION = "tenant/night-1"
ROOT = Path(__file__).parents[2]


def proxied(folder: Path, *server: str) -> list[str]:
    return command("mcp-proxy", "--store", str(folder / "t.db"), "--session", SESSION, "--", *server)


def rows_in(folder: Path) -> tuple[Invocation, ...]:
    store = SqliteStore(folder / "t.db", read_only=True)
    try:
        return store.rows(SESSION).unwrap()
    finally:
        store.close()


def told(row: Invocation) -> tuple[str, OutcomeKind, str | None]:
    return row.tool_name, row.outcome, row.reason


def asked(id: object, tool: str, **arguments: object) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).encode() + b"\n"


@contextmanager
def running(folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        words, cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def answering(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A plain server behind the proxy that has answered once, so that everything stands."""
    with running(folder, *proxied(folder, *PLAIN)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked("first", "hello"))
        process.stdin.flush()
        while b'"first"' not in process.stdout.readline():
            pass
        yield process


STREAM = b"".join(
    [
        b"\xef\xbb\xbf\r\n",
        asked(1, "hello", text="caf\u00e9"),
        b"no JSON \xff\x00\n",
        asked("1", "error"),
        b'[{"jsonrpc":"2.0","method":"notifications/progress"}]\n',
        asked(2, "large"),
        asked(3, "silence"),
        b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"put","arguments":{"t":"' + b"q" * 5_000_000,
        b'"}}}\n',
        b"the last line has no line feed",
    ]
)


@dataclass(frozen=True, slots=True)
class Passed:
    """All that a client and a server see of each other, and how it ends."""

    outward: bytes
    errors: bytes
    code: int
    inward: bytes


def passed(folder: Path, *words: str) -> Passed:
    done = subprocess.run(
        [*words, str(folder / "seen")],
        cwd=folder,
        env=environment(),
        input=STREAM,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Passed(done.stdout, done.stderr, done.returncode, (folder / "seen").read_bytes())


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Passed, Passed, tuple[Invocation, ...]]:
    """The same stream without the proxy and through it, and what was recorded."""
    folder = tmp_path_factory.mktemp("proxied")
    return passed(folder, *PLAIN), passed(folder, *proxied(folder, *PLAIN)), rows_in(folder)


def test_not_a_byte_is_changed_in_either_direction(both: tuple[Passed, Passed, Any]) -> None:
    without, through, _ = both
    assert through.inward == without.inward == STREAM
    assert through.outward == without.outward
    assert len(through.outward) > plain_server.LARGE


def test_standard_error_and_the_exit_code_are_the_servers_own(both: tuple[Passed, Passed, Any]) -> None:
    without, through, _ = both
    assert through.errors == without.errors == b"a word on standard error\n"
    assert through.code == without.code == 7


def test_each_call_of_a_stream_full_of_noise_is_recorded_once(
    both: tuple[Passed, Passed, tuple[Invocation, ...]],
) -> None:
    assert [told(row) for row in both[2]] == [
        ("hello", OutcomeKind.SUCCESS, None),
        ("error", OutcomeKind.FAILURE, "error"),
        ("large", OutcomeKind.SUCCESS, None),
        ("silence", OutcomeKind.FAILURE, "unavailable"),
        ("put", OutcomeKind.SUCCESS, None),
    ]


def test_a_large_answer_is_recorded_in_part_and_says_so(both: tuple[Passed, Passed, tuple[Invocation, ...]]) -> None:
    large = both[2][2]
    assert large.partial
    assert f"{plain_server.LARGE // 1_000_000},000" in large.details
    put = both[2][4]
    assert put.outcome is OutcomeKind.SUCCESS
    assert "5,000" in put.details


@pytest.mark.parametrize(
    ("tool", "code", "words"),
    [
        ("die", 9, "the server ended with exit code 9"),
        ("kill", -signal.SIGKILL, "the server was ended by SIGKILL"),
    ],
)
def test_a_server_that_dies_in_the_middle_of_a_call_fails_it_and_ends_the_proxy_alike(
    tmp_path: Path, tool: str, code: int, words: str
) -> None:
    with answering(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked(5, tool))
        process.stdin.flush()
        assert process.stdout.read() == b""
        assert process.wait(20) == code
    last = rows_in(tmp_path)[-1]
    assert told(last) == (tool, OutcomeKind.FAILURE, "unavailable")
    assert words in (last.error_message or "")


def test_a_client_that_goes_away_leaves_a_cancelled_call(tmp_path: Path) -> None:
    with answering(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked(5, "silence"))
        # First, so that nobody takes the server's last words.
        process.stdout.close()
        process.stdin.close()
        process.wait(20)
    first, last = rows_in(tmp_path)
    assert told(first) == ("hello", OutcomeKind.SUCCESS, None)
    assert told(last) == ("silence", OutcomeKind.FAILURE, "cancelled")


def test_a_signal_reaches_the_server_and_its_answer_to_it_is_the_exit_code(tmp_path: Path) -> None:
    with answering(tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 5


@dataclass(frozen=True, slots=True)
class Used:
    """What a client of the SDK got without the proxy and through it, and the rows by tool."""

    without: list[object]
    through: list[object]
    rows: dict[str, list[Invocation]]


ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pods", {"app": "shop"}),
    ("rows", {"count": 2}),
    ("rows", {"count": 0}),
    ("names", {"count": 0}),
    ("nothing", {}),
    ("broken", {}),
    ("no_such_tool", {}),
    ("pods", {"wrong": 1}),
    ("large", {"size": 1_500_000}),
)


async def session_with(server: list[str]) -> list[object]:
    """Call each tool as a client of the SDK; what an answer is, an error too, goes into the list."""
    got: list[object] = []
    parameters = StdioServerParameters(command=server[0], args=server[1:], env=environment())
    async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
        await client.initialize()
        for tool, arguments in ASKED:
            got.append(await client.call_tool(tool, arguments))
        got.extend(await asyncio.gather(*(client.call_tool("slow", {"seconds": s}) for s in (0.2, 0.1, 0.0))))
        with pytest.raises(MCPError, match="timed out") as late:
            await client.call_tool("slow", {"seconds": 9}, read_timeout_seconds=0.2)
        given_up = asyncio.ensure_future(client.call_tool("slow", {"seconds": 9}))
        await asyncio.sleep(0.1)
        given_up.cancel()
        # What tells the server of it is on its way before the next call is.
        with pytest.raises(asyncio.CancelledError):
            await given_up
        with pytest.raises(MCPError) as died:
            await client.call_tool("die", {"code": 3})
        got.extend([str(late.value), str(died.value)])
    return got


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Used:
    folder = tmp_path_factory.mktemp("used")

    async def both_ways() -> tuple[list[object], list[object]]:
        without, through = await asyncio.gather(session_with(SDK), session_with(proxied(folder, *SDK)))
        return without, through

    without, through = asyncio.run(both_ways())
    rows: dict[str, list[Invocation]] = {}
    for row in rows_in(folder):
        rows.setdefault(row.tool_name, []).append(row)
    return Used(without, through, rows)


def test_a_client_of_the_sdk_gets_the_same_with_and_without_the_proxy(used: Used) -> None:
    assert used.through == used.without


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        ("pods", ["success", "failure error"]),
        ("rows", ["success", "no_evidence empty_result"]),
        ("names", ["no_evidence empty_result"]),
        ("nothing", ["no_evidence empty_result"]),
        ("broken", ["failure error"]),
        ("no_such_tool", ["failure error"]),
        ("large", ["success"]),
        ("slow", ["success", "success", "success", "failure timeout", "failure cancelled"]),
        ("die", ["failure unavailable"]),
    ],
)
def test_each_call_of_the_sdk_is_recorded_with_its_true_outcome(used: Used, tool: str, kinds: list[str]) -> None:
    """Field case C01 over a real server, and the ends that no answer tells."""
    assert [" ".join(filter(None, (row.outcome, row.reason))) for row in used.rows[tool]] == kinds


def test_calls_in_parallel_keep_their_own_answers_and_durations(used: Used) -> None:
    slow = used.rows["slow"][:3]
    assert sorted((row.output_preview, json.loads(row.input_params)["seconds"]) for row in slow) == [
        ("after 0", 0.0),
        ("after 0.1", 0.1),
        ("after 0.2", 0.2),
    ]
    lasted = {row.output_preview: row.duration_ms or 0 for row in slow}
    assert lasted["after 0.2"] >= 200 > lasted["after 0"]


def test_a_server_that_died_is_told_with_its_exit_code(used: Used) -> None:
    assert "exit code 3" in (used.rows["die"][0].error_message or "")


@pytest.mark.parametrize("page", ["README.md", "docs/mcp.md"])
def test_the_settings_that_a_page_shows_are_those_of_a_client_that_is_recorded(page: str, tmp_path: Path) -> None:
    (block,) = re.findall(r"^```json\n(\{\n  \"mcpServers.*?)^```$", (ROOT / page).read_text("utf-8"), re.M | re.S)
    shown = StdioServerParameters.model_validate(json.loads(block)["mcpServers"]["pods"])
    own = {"/var/lib/trace.db": str(tmp_path / "t.db"), "inc-42": SESSION}
    words = [own.get(word, word) for word in shown.args]
    assert (shown.command, words[-3:]) == ("groundtrace", ["--", "uvx", "pods-server"])
    program, *args = command(*words[:-2], *SDK)

    async def ask() -> object:
        parameters = StdioServerParameters(command=program, args=args, env=environment())
        async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
            await client.initialize()
            return (await client.call_tool("pods", {"app": "shop"})).is_error

    assert asyncio.run(ask()) is False
    assert [told(row) for row in rows_in(tmp_path)] == [("pods", OutcomeKind.SUCCESS, None)]
