"""`mcp-proxy --url` between real clients and servers of streamable HTTP on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import ClientSession, MCPError
from mcp.client.streamable_http import streamable_http_client

from groundtrace.invocation import Invocation
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.command import command, environment
from groundtrace_testing.mcp_peers import sdk_server

pytestmark = pytest.mark.server

SESSION = "night-1"
INTERRUPTED = 130


def rows_in(folder: Path) -> tuple[Invocation, ...]:
    store = SqliteStore(folder / "t.db", read_only=True)
    try:
        return store.rows(SESSION).unwrap()
    finally:
        store.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextmanager
def proxy_before(url: str, folder: Path) -> Iterator[str]:
    """Run the proxy and give its address; it is ended by a signal."""
    words = ("mcp-proxy", "--url", url, "--listen", "127.0.0.1:0", "--store", str(folder / "t.db"))
    with subprocess.Popen(
        command(*words, "--session", SESSION), cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield re.findall(r"^\S+", process.stdout.readline())[0]
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == INTERRUPTED
        finally:
            process.kill()


@contextmanager
def sdk_on(port: int) -> Iterator[str]:
    with subprocess.Popen([sys.executable, sdk_server.__file__, str(port)], env=environment()) as process:
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                threading.Event().wait(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


async def used(url: str) -> list[object]:
    got: list[object] = []
    async with streamable_http_client(url) as streams, ClientSession(*streams) as client:
        await client.initialize()
        for tool, arguments in (
            ("pods", {"app": "shop"}),
            ("nothing", {}),
            ("broken", {}),
            ("large", {"size": 500_000}),
        ):
            got.append(await client.call_tool(tool, arguments))
        got.extend(await asyncio.gather(*(client.call_tool("slow", {"seconds": s}) for s in (0.2, 0.0))))
        with pytest.raises(MCPError, match="timed out") as late:
            await client.call_tool("slow", {"seconds": 9}, read_timeout_seconds=0.2)
        got.append(str(late.value))
    return got


@pytest.fixture(scope="module")
def sdk_rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[object], list[object], tuple[Invocation, ...]]:
    folder = tmp_path_factory.mktemp("sdk")

    async def both(url: str, proxy: str) -> tuple[list[object], list[object]]:
        without, through = await asyncio.gather(used(url), used(proxy))
        return without, through

    with sdk_on(free_port()) as url, proxy_before(url, folder) as proxy:
        without, through = asyncio.run(both(url, proxy))
    return without, through, rows_in(folder)


def test_a_client_gets_the_same_with_and_without_the_proxy(sdk_rows: tuple[list[object], list[object], Any]) -> None:
    assert sdk_rows[1] == sdk_rows[0]


def test_each_call_is_recorded_with_its_true_outcome(
    sdk_rows: tuple[Any, Any, tuple[Invocation, ...]],
) -> None:
    told = sorted(" ".join(filter(None, (row.tool_name, row.outcome, row.reason))) for row in sdk_rows[2])
    assert told == [
        "broken failure error",
        "large success",
        "nothing no_evidence empty_result",
        "pods success",
        "slow failure timeout",
        "slow success",
        "slow success",
    ]


ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "caf\u00e9"}], "isError": False}}
PLAIN = json.dumps(ANSWER, indent=2, ensure_ascii=False).encode()
STREAM = b": hello\r\nevent: message\r\ndata: " + json.dumps(ANSWER).encode() + b"\r\n\r\n"
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool: x"}}


@dataclass(frozen=True, slots=True)
class Canned:
    """One answer of a server that says the same to everybody; None breaks the connection off."""

    status: int
    kind: str
    body: bytes | None
    told: str
    more: str = ""

    def head(self) -> bytes:
        """The head, as a server writes it."""
        length = f"Content-Length: {len(self.body) if self.body is not None else 99}\r\n"
        return f"HTTP/1.1 {self.status} X\r\nContent-Type: {self.kind}\r\n{length}{self.more}\r\n".encode()


JSON_TYPE, EVENTS = "application/json", "text/event-stream; charset=utf-8"
CANNED = (
    Canned(200, JSON_TYPE, PLAIN, "success"),
    Canned(200, JSON_TYPE, gzip.compress(PLAIN), "success", "Content-Encoding: gzip\r\n"),
    Canned(200, JSON_TYPE, PLAIN, "failure not_recorded", "Content-Encoding: br\r\n"),
    Canned(200, EVENTS, STREAM, "success"),
    Canned(200, EVENTS, b": nothing more\n\n", "failure unavailable"),
    Canned(200, EVENTS, b"data: no JSON\n\n", "failure unavailable"),
    Canned(400, JSON_TYPE, json.dumps(ERROR).encode(), "failure error"),
    Canned(
        401, "text/html", b"<html>Sign in</html>", "failure denied", "WWW-Authenticate: Bearer\r\nX-A: 1\r\nX-A: 2\r\n"
    ),
    Canned(429, "text/plain", b"slower", "failure rate_limited"),
    Canned(503, "text/plain", b"", "failure unavailable"),
    Canned(202, JSON_TYPE, b"", "failure not_recorded"),
    Canned(200, JSON_TYPE, None, "failure unavailable"),
)


@contextmanager
def canned_server(seen: list[bytes]) -> Iterator[str]:
    """Answer the n-th request, whatever it is, with the n-th canned answer."""

    def serve(listening: socket.socket) -> None:
        for answer in CANNED:
            with listening.accept()[0] as client:
                request = b""
                while b"\r\n\r\n" not in request or len(request.partition(b"\r\n\r\n")[2]) < _length(request):
                    request += client.recv(65_536)
                seen.append(request)
                client.sendall(answer.head() + (b"{" if answer.body is None else answer.body))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/some/path"
        thread.join(10)


def _length(request: bytes) -> int:
    return int(re.findall(rb"(?i)content-length: (\d+)", request)[0])


BODY = b'{"jsonrpc": "2.0",\n "id": 1, "method": "tools/call", "params": {"name": "pods", "arguments": {"n": %d}}}'


@pytest.fixture(scope="module")
def canned(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[list[bytes], list[tuple[int, bytes, Any] | None], tuple[Invocation, ...]]:
    """What the server saw, what the client got (None: the connection broke), and the rows."""
    folder = tmp_path_factory.mktemp("canned")
    seen: list[bytes] = []
    got: list[tuple[int, bytes, Any] | None] = []
    with canned_server(seen) as url, proxy_before(url, folder) as proxy, httpx2.Client(trust_env=False) as client:
        for number, answer in enumerate(CANNED):
            request = client.build_request(
                "POST", f"{proxy}?q=%2F", content=BODY % number, headers=[(b"X-Own", b"caf\xc3\xa9")]
            )
            try:
                response = client.send(request, stream=True)
                got.append((response.status_code, b"".join(response.iter_raw()), response.headers))
                response.close()
            except httpx2.TransportError:
                assert answer.body is None
                got.append(None)
        outside = client.get(proxy, headers={"host": "page.example"})
        assert outside.status_code == 421
    return seen, got, rows_in(folder)


def test_requests_reach_the_server_as_they_were_sent(canned: tuple[list[bytes], Any, Any]) -> None:
    for number, request in enumerate(canned[0]):
        head, _, body = request.partition(b"\r\n\r\n")
        assert body == BODY % number
        assert head.startswith(b"POST /some/path?q=%2F HTTP/1.1\r\n")
        assert b"\r\nx-own: caf\xc3\xa9\r\n" in head.lower()
        assert head.lower().count(b"\r\nhost: 127.0.0.1:") == 1
        assert b"transfer-encoding" not in head.lower()


def test_responses_reach_the_client_byte_by_byte(canned: tuple[Any, list[tuple[int, bytes, Any] | None], Any]) -> None:
    for answer, got in zip(CANNED, canned[1], strict=True):
        if answer.body is None:
            assert got is None
            continue
        assert got is not None
        assert (got[0], got[1], got[2]["content-type"]) == (answer.status, answer.body, answer.kind)
        assert "date" not in got[2]
    denied = canned[1][7]
    assert denied is not None
    assert denied[2].get_list("x-a") == ["1", "2"]


@pytest.mark.parametrize(("number", "told"), list(enumerate(one.told for one in CANNED)))
def test_what_a_response_says_or_lacks_is_recorded(
    canned: tuple[Any, Any, tuple[Invocation, ...]], number: int, told: str
) -> None:
    """Field case C03 for calls of MCP, and how an answer can be missing."""
    row = next(row for row in canned[2] if json.loads(row.input_params) == {"n": number})
    assert " ".join(filter(None, (row.outcome, row.reason))) == told
