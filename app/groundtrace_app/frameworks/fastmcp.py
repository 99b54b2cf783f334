"""A middleware that records the tool calls of a FastMCP server, with the exception that a client never sees.

    server.add_middleware(RecordingMiddleware(trace, session_id="incident-7"))

A client of FastMCP is recorded by `mcp_client`.
"""

from fastmcp.server.dependencies import get_http_headers
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp_types import CallToolRequestParams
from typing_extensions import override

from groundtrace_app.active_recording import HasRecorder
from groundtrace_app.frameworks.mcp_calls import CallRecording
from groundtrace_app.recorder import ToolInvocationRecorder


class RecordingMiddleware(Middleware):
    """Records each call of a tool where it runs; over HTTP each MCP session is one of its own below `session_id`."""

    def __init__(
        self, into: HasRecorder | ToolInvocationRecorder, /, *, session_id: str, turn_id: str | None = None
    ) -> None:
        """Record into the trace or recorder `into`."""
        self._recording = CallRecording(into, session_id=session_id, turn_id=turn_id)

    @override
    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Hand the call on as it is."""
        asked = context.message
        return await self._recording.around(asked.name, asked.arguments, lambda: call_next(context), client=_client())


def _client() -> str | None:
    """Return the MCP session of a call over HTTP; elsewhere there is one client."""
    return get_http_headers(include={"mcp-session-id"}).get("mcp-session-id")
