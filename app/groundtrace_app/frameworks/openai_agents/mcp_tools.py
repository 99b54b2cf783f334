"""MCP servers of an agent, their tools recorded where the server answers: with its own error flag and exceptions."""

from typing import Any

from groundtrace_app.frameworks.grounding import Grounding
from groundtrace_app.frameworks.mcp_calls import protocol_error, real_exception
from groundtrace_app.frameworks.openai_agents.place import place_now


class RecordedServer:
    """Stands in for a server of the SDK; everything but its calls is the server's own."""

    def __init__(self, server: Any, grounding: Grounding, /) -> None:
        """Record the calls of `server`, which whoever made it connects and cleans up."""
        self._server = server
        self._grounding = grounding

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    async def call_tool(self, tool_name: str, arguments: dict[str, Any] | None, *others: Any, **options: Any) -> Any:
        """Call the tool as the server itself does, under the server's own name for it."""
        place = place_now(self._grounding)
        call = self._grounding.begin(
            tool_name, dict(arguments or {}), session_id=place.session_id, turn_id=place.turn_id
        )
        try:
            value = await self._server.call_tool(tool_name, arguments, *others, **options)
        except BaseException as error:
            told = protocol_error(error)
            call.raised(real_exception(error)) if told is None else call.returned(told)
            raise
        call.returned(value)
        return value


def recorded_servers(servers: list[Any], grounding: Grounding, /) -> list[Any]:
    """Return servers whose calls are recorded, each once."""
    return [one if isinstance(one, RecordedServer) else RecordedServer(one, grounding) for one in servers]
