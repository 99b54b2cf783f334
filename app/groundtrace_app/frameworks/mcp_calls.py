"""What the recorders of MCP clients and servers share: where a call is kept, and what its result or exception tells."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from groundtrace import outcomes
from groundtrace.encoding import encode
from groundtrace.mcp_traffic_answers import outcome_of_error, outcome_of_result
from groundtrace.outcomes import FailureKind, NoEvidenceReason
from groundtrace_app.active_recording import HasRecorder
from groundtrace_app.frameworks.calls import BegunCall
from groundtrace_app.recorder import ToolInvocationRecorder

R = TypeVar("R")

ASKED_FOR_INPUT = "the tool asked for input, and the call goes on under another request"

_PROTOCOL_ERRORS = frozenset({"MCPError", "McpError"})
_CONNECTION_CLOSED = -32000
_WRAPPERS = frozenset({"ToolError", "UnexpectedToolError"})


class CallRecording:
    """Where the calls of one client or server are kept."""

    def __init__(
        self, into: HasRecorder | ToolInvocationRecorder, /, *, session_id: str, turn_id: str | None = None
    ) -> None:
        """Record into the trace or recorder `into`, under this session and turn."""
        self._recorder = into if isinstance(into, ToolInvocationRecorder) else into.recorder
        self._session_id = session_id
        self._turn_id = turn_id

    async def around(
        self,
        tool: str,
        params: Mapping[str, Any] | None,
        work: Callable[[], Awaitable[R]],
        /,
        *,
        client: str | None = None,
    ) -> R:
        """Return what `work` returns, or raise what it raises, recorded; `client` tells sessions of a server apart."""
        session = self._session_id if client is None else f"{self._session_id}/{client}"
        call = self._recorder.open(tool, dict(params or {}), session_id=session, turn_id=self._turn_id)
        begun = BegunCall(self._recorder, call, outcome_of_call)
        try:
            value = await work()
        except BaseException as error:
            told = protocol_error(error)
            begun.raised(real_exception(error)) if told is None else begun.returned(told)
            raise
        begun.returned(value)
        return value


def outcome_of_call(value: object, /) -> outcomes.Outcome | None:
    """Return what a result of the SDK or of FastMCP amounts to; None for what is none."""
    if getattr(value, "result_type", None) == "input_required":
        return outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, partial=(ASKED_FOR_INPUT,))
    if not isinstance(content := getattr(value, "content", None), list):
        return None
    structured, flag = getattr(value, "structured_content", None), getattr(value, "is_error", False)
    return outcome_of_result({"content": encode(content), "structuredContent": encode(structured), "isError": flag})


def real_exception(error: BaseException, /) -> BaseException:
    """Return what a tool raised: servers wrap it, and tell the client less."""
    while type(error).__name__ in _WRAPPERS and error.__cause__ is not None:
        error = error.__cause__
    return error


def protocol_error(error: BaseException, /) -> outcomes.Outcome | None:
    """Return what an error of the protocol tells by its code, None for any other exception."""
    code, message = getattr(error, "code", None), str(getattr(error, "message", ""))
    if type(error).__name__ not in _PROTOCOL_ERRORS or not isinstance(code, int):
        return None
    if code == _CONNECTION_CLOSED and message == "Connection closed":
        return outcomes.failure_because(FailureKind.UNAVAILABLE, "the connection closed before the answer came")
    return outcome_of_error({"code": code, "message": message})


def client_of(request: object, /) -> str | None:
    """Return the MCP session of an HTTP request; None over standard input and output."""
    headers = getattr(request, "headers", None)
    found = None if headers is None else headers.get("mcp-session-id")
    return found if isinstance(found, str) and found else None
