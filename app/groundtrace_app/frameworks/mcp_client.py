"""A client of MCP whose tool calls are recorded: `ClientSession` and `Client` of the official SDK, `Client` of FastMCP.

client = recorded_client(session, trace, session_id="incident-7")
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, cast

from groundtrace_app.active_recording import HasRecorder
from groundtrace_app.frameworks.mcp_calls import CallRecording
from groundtrace_app.recorder import ToolInvocationRecorder


class CallsTools(Protocol):
    """What calls the tools of a server."""

    @property
    def call_tool(self) -> Any:
        """Return its coroutine method, which takes the tool's name first, then its arguments."""


C = TypeVar("C", bound=CallsTools)


def recorded_client(
    client: C, into: HasRecorder | ToolInvocationRecorder, /, *, session_id: str, turn_id: str | None = None
) -> C:
    """Return `client` with each `call_tool` recorded; everything else of it is the client's own.

    An error of the protocol, a timeout and a cancellation are recorded as what they raise, a result by its flag and
    what it holds. Wrap a client once it is connected: the wrapper is no context manager.
    """
    return cast("C", _Recorded(client, CallRecording(into, session_id=session_id, turn_id=turn_id)))


class _Recorded:
    def __init__(self, client: CallsTools, recording: CallRecording) -> None:
        self._client = client
        self._recording = recording

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, *others: Any, **options: Any
    ) -> Any:
        """Call the tool as the client itself does."""
        return await self._recording.around(
            name, arguments, lambda: self._client.call_tool(name, arguments, *others, **options)
        )
