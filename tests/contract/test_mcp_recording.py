"""Clients and servers of the official SDK and of FastMCP, recorded in their own process; connected in memory."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, cast

import fastmcp
import mcp_types
import pytest
from fastmcp.exceptions import ToolError
from mcp import Client, MCPError
from mcp.server import MCPServer, Server
from mcp.server.mcpserver.exceptions import ToolError as SdkToolError

from groundtrace.invocation import Invocation
from groundtrace_app.frameworks.fastmcp import RecordingMiddleware
from groundtrace_app.frameworks.mcp_client import recorded_client
from groundtrace_app.frameworks.mcp_server import RecordCalls, RecordedMCPServer
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace, open_trace, trace_or_raise

pytestmark = pytest.mark.frameworks

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mcp.md"
README = ROOT / "README.md"
SESSION = "inc-42"

Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


@pytest.fixture
def trace(tmp_path: Path) -> Iterator[Trace]:
    opened = open_trace(Settings(store=str(tmp_path / "trace.db"))).unwrap()
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)
    yield opened
    opened.close()


def rows_of(trace: Trace) -> tuple[Invocation, ...]:
    trace.sink.flush(SESSION, deadline=10)
    return trace.store.rows(SESSION).unwrap()


def list_pods(namespace: str) -> list[str]:
    """List the pods of a namespace."""
    return ["cart-0"] if namespace == "shop" else []


def broken() -> str:
    """Break as a connection does."""
    raise ConnectionRefusedError("10.0.0.7 refused")


def told() -> str:
    """Report an error on purpose."""
    raise ToolError("the namespace is closed")


def told_by_sdk() -> str:
    """Report an error on purpose."""
    raise SdkToolError("the namespace is closed")


async def slow() -> str:
    """Take longer than anybody waits."""
    await asyncio.sleep(30)
    return "late"


def sdk_server() -> MCPServer[Any]:
    return filled(MCPServer("pods", log_level="CRITICAL"))


def filled(server: MCPServer[Any]) -> MCPServer[Any]:
    for tool in (list_pods, broken, slow):
        server.tool()(tool)
    server.tool("told")(told_by_sdk)
    return server


def fast_server(*middleware: Any) -> fastmcp.FastMCP[Any]:
    server: fastmcp.FastMCP[Any] = fastmcp.FastMCP("pods", middleware=list(middleware))
    for tool in (list_pods, broken, told, slow):
        server.tool(tool)
    return server


async def listed(context: Any, params: Any) -> mcp_types.ListToolsResult:
    del context, params
    schema = {"type": "object"}
    return mcp_types.ListToolsResult(tools=[mcp_types.Tool(name="list_pods", input_schema=schema)])


async def called(context: Any, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
    del context
    known: dict[str, Callable[..., Any]] = {"list_pods": list_pods, "broken": broken, "slow": slow}
    if params.name not in known:
        words = "the namespace is closed" if params.name == "told" else f"Unknown tool: {params.name}"
        return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=words)], is_error=True)
    value = known[params.name](**(params.arguments or {}))
    value = await value if asyncio.iscoroutine(value) else value
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=pod) for pod in value])


async def use(call: Call) -> None:
    """Call each tool once in the way that it ends; what reaches the caller is its own affair."""
    for tool, arguments in (
        ("list_pods", {"namespace": "shop"}),
        ("list_pods", {"namespace": "empty"}),
        ("broken", {}),
        ("told", {}),
        ("no_such_tool", {}),
    ):
        try:
            await call(tool, arguments)
        except (MCPError, ToolError):
            continue
    given_up = asyncio.ensure_future(call("slow", {}))
    await asyncio.sleep(0.1)
    given_up.cancel()
    await asyncio.wait({given_up})
    await asyncio.gather(*(call("list_pods", {"namespace": "shop"}) for _ in range(3)))


async def by_sdk_client(trace: Trace) -> None:
    async with Client(sdk_server()) as client:
        await use(cast("Call", recorded_client(client, trace, session_id=SESSION).call_tool))


async def by_sdk_session(trace: Trace) -> None:
    async with Client(sdk_server()) as client:
        await use(cast("Call", recorded_client(client.session, trace, session_id=SESSION).call_tool))


async def by_fast_client(trace: Trace) -> None:
    async with fastmcp.Client(fast_server()) as client:
        await use(cast("Call", recorded_client(client, trace, session_id=SESSION).call_tool))


async def by_sdk_server(trace: Trace) -> None:
    server = filled(RecordedMCPServer("pods", into=trace, session_id=SESSION, log_level="CRITICAL"))
    async with Client(server) as client:
        await use(cast("Call", client.call_tool))


async def by_low_server(trace: Trace) -> None:
    server: Server[Any] = Server("pods", on_list_tools=listed, on_call_tool=called)
    server.middleware.append(RecordCalls(trace, session_id=SESSION))
    async with Client(server) as client:
        await use(cast("Call", client.call_tool))


async def by_fast_server(trace: Trace) -> None:
    async with fastmcp.Client(fast_server(RecordingMiddleware(trace, session_id=SESSION))) as client:
        await use(cast("Call", client.call_tool))


PLACES: tuple[Callable[[Trace], Awaitable[None]], ...] = (
    by_sdk_client,
    by_sdk_session,
    by_fast_client,
    by_sdk_server,
    by_low_server,
    by_fast_server,
)
SERVERS = (by_sdk_server, by_low_server, by_fast_server)


def used(place: Callable[[Trace], Awaitable[None]], trace: Trace) -> tuple[Invocation, ...]:
    async def use_it() -> None:
        await place(trace)

    asyncio.run(use_it())
    return rows_of(trace)


@pytest.mark.parametrize("place", PLACES)
def test_each_call_leaves_one_row_with_its_true_outcome(
    place: Callable[[Trace], Awaitable[None]], trace: Trace
) -> None:
    """Field case C01 wherever the call is recorded."""
    rows = used(place, trace)
    assert [(row.tool_name, row.outcome) for row in rows] == [
        ("list_pods", "success"),
        ("list_pods", "no_evidence"),
        ("broken", "failure"),
        ("told", "failure"),
        ("no_such_tool", "failure"),
        ("slow", "failure"),
        *[("list_pods", "success")] * 3,
    ]
    assert rows[0].input_params == '{"namespace":"shop"}'
    assert "cart-0" in (rows[0].output_preview or "")
    assert rows[5].reason == "cancelled"
    assert "closed" in (rows[3].error_message or "")
    assert "no_such_tool" in (rows[4].error_message or "")


@pytest.mark.parametrize("place", SERVERS)
def test_a_server_records_the_exception_that_its_client_is_not_told(
    place: Callable[[Trace], Awaitable[None]], trace: Trace
) -> None:
    broke = next(row for row in used(place, trace) if row.tool_name == "broken")
    assert broke.reason == "unavailable"
    assert broke.error_message == "ConnectionRefusedError: 10.0.0.7 refused"


def test_a_client_that_waits_no_longer_records_a_timeout(trace: Trace) -> None:
    async def wait() -> None:
        async with Client(sdk_server()) as client:
            recorded = recorded_client(client, trace, session_id=SESSION)
            with pytest.raises(MCPError, match=r"(?i)timed out"):
                await recorded.call_tool("slow", {}, read_timeout_seconds=0.1)

    asyncio.run(wait())
    assert [row.reason for row in rows_of(trace)] == ["timeout"]


def test_a_recorded_client_is_the_client_in_all_else(trace: Trace) -> None:
    async def ask() -> list[str]:
        async with Client(sdk_server()) as client:
            recorded = recorded_client(client, trace, session_id=SESSION)
            return [tool.name for tool in (await recorded.list_tools()).tools]

    assert "list_pods" in asyncio.run(ask())
    assert rows_of(trace) == ()


def shown_on(page: Path) -> list[str]:
    blocks: list[str] = re.findall(r"^```py\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [block for block in blocks if "mcp" in block]


SHOWN = shown_on(PAGE)


@pytest.mark.parametrize("lines", SHOWN, ids=[re.findall(r"frameworks\.(\w+)", block)[0] for block in SHOWN])
def test_the_lines_of_the_page_record_a_call(lines: str, trace: Trace, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {
        "trace": trace,
        "list_pods": list_pods,
        "listed": listed,
        "called": called,
        **({"server": sdk_server()} if "recorded_client" in lines else {}),
    }

    async def run() -> None:
        code = compile(lines, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        begun = eval(code, names)
        if begun is not None:
            await begun
        if "recorded_client" not in lines:
            connect: Any = fastmcp.Client if "FastMCP" in lines else Client
            async with connect(names["server"]) as client:
                await client.call_tool("list_pods", {"namespace": "shop"})

    assert sum(map(bool, lines.split("\n"))) <= 5
    asyncio.run(run())
    (row,) = rows_of(trace)
    assert (row.tool_name, row.outcome) == ("list_pods", "success")
    capsys.readouterr()


def test_the_lines_of_the_readme_record_a_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (lines,) = shown_on(README)
    names: dict[str, Any] = {"server": sdk_server(), "trace_or_raise": trace_or_raise, "Settings": Settings}

    async def run() -> None:
        await eval(compile(lines, str(README), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)

    assert len([line for line in lines.splitlines() if line and "import" not in line]) <= 5
    with contextlib.chdir(tmp_path):
        asyncio.run(run())
    (row,) = rows_of(names["trace"])
    names["trace"].close()
    assert (row.tool_name, row.outcome) == ("list_pods", "success")
    assert "cart-0" in capsys.readouterr().out
