"""The desk as a server of MCP: over standard input and output until the client leaves, or over HTTP on loopback."""

import logging
import socket
from typing import Any, cast

import anyio
import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.loop import run_now
from groundtrace_app.mcp_server.desk import Desk, refused
from groundtrace_app.mcp_server.standard_input import input_lines

INSTRUCTIONS = (
    "Ask the sources, then draft your answer and give it to check_answer before the user sees it: "
    "it returns the text that the recorded evidence carries."
)
STOP_SECONDS = 2

_log = CarefulLog("groundtrace.mcp")


def server_of(desk: Desk, /, *, session_id: str, version: str) -> Server[Any]:
    """Return the server; each session of HTTP is a session of its own below `session_id`."""

    async def list_tools(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        del context, params
        return ListToolsResult(tools=await desk.tools())

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        session = _session(session_id, context.request)
        try:
            return await desk.call(params.name, params.arguments or {}, session_id=session)
        except Exception as fault:  # noqa: BLE001 - whatever goes wrong is one line to the client
            _log.error("a call of %s broke: %s", params.name[:80], type(fault).__name__)
            return refused(f"internal error: {type(fault).__name__}")

    return Server(
        "groundtrace", version=version, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


def serve_stdio(server: Server[Any], /) -> None:
    """Serve one client over this process's standard input and output until it leaves."""

    async def serve() -> None:
        # The SDK's own reading of standard input cannot be cancelled.
        async with stdio_server(stdin=cast("anyio.AsyncFile[str]", input_lines())) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    _quiet()
    run_now(serve())


def serve_http(server: Server[Any], listening: socket.socket, /) -> None:
    """Serve any number of clients on `listening` under `/mcp` until a signal ends it."""
    _quiet()
    app = server.streamable_http_app(host=listening.getsockname()[0])
    config = uvicorn.Config(
        app, log_config=None, log_level="critical", access_log=False, ws="none", timeout_graceful_shutdown=STOP_SECONDS
    )
    uvicorn.Server(config).run(sockets=[listening])


def _quiet() -> None:
    """What the SDK would log with a traceback is told to the client in one line."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)


def _session(session_id: str, request: Any) -> str:
    own = None if request is None else request.headers.get("mcp-session-id")
    return session_id if not own else f"{session_id}/{own}"
