"""Servers of the official SDK whose tool calls are recorded where they run, with what a client never sees of them.

`RecordedMCPServer` stands in place of `MCPServer`; `RecordCalls` is a middleware for the low-level `Server`. Over HTTP
each MCP session is a session of its own, below the given one.
"""

from typing import Any

from mcp.server import MCPServer, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, InputRequiredResult
from typing_extensions import override

from groundtrace_app.active_recording import HasRecorder
from groundtrace_app.frameworks.mcp_calls import CallRecording, client_of
from groundtrace_app.recorder import ToolInvocationRecorder


class RecordedMCPServer(MCPServer[Any]):
    """An `MCPServer` that records each call of its tools; takes every option of it besides."""

    def __init__(
        self,
        name: str | None = None,
        /,
        *,
        into: HasRecorder | ToolInvocationRecorder,
        session_id: str,
        turn_id: str | None = None,
        **options: Any,
    ) -> None:
        """Record into the trace or recorder `into`."""
        super().__init__(name, **options)
        self._recording = CallRecording(into, session_id=session_id, turn_id=turn_id)

    @override
    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool as `MCPServer` does."""
        request = None if context is None else context.request_context.request
        called = super().call_tool
        return await self._recording.around(
            name, arguments, lambda: called(name, arguments, context), client=client_of(request)
        )


class RecordCalls:
    """A middleware of the low-level `Server`: `server.middleware.append(RecordCalls(trace, session_id=...))`."""

    def __init__(
        self, into: HasRecorder | ToolInvocationRecorder, /, *, session_id: str, turn_id: str | None = None
    ) -> None:
        """Record into the trace or recorder `into`."""
        self._recording = CallRecording(into, session_id=session_id, turn_id=turn_id)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Hand a message on; a call of a tool is recorded."""
        params = ctx.params or {}
        if ctx.method != "tools/call" or ctx.request_id is None:
            return await call_next(ctx)
        name, arguments = params.get("name"), params.get("arguments")
        return await self._recording.around(
            name if isinstance(name, str) else "",
            arguments if isinstance(arguments, dict) else {},
            lambda: call_next(ctx),
            client=client_of(ctx.request),
        )
