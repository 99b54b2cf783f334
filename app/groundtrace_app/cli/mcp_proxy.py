"""`mcp-proxy`: any MCP client and any MCP server, with every tool call between them recorded."""

import sys
from collections.abc import Sequence
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.problem import Problem
from groundtrace_app.chat.service import session_problem
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, with_settings, with_trace
from groundtrace_app.cli.printing import fail
from groundtrace_app.clock import SystemClock
from groundtrace_app.mcp_proxy.call_log import CallLog
from groundtrace_app.mcp_proxy.server_process import end_as, refused_code
from groundtrace_app.mcp_proxy.stdio import proxy_stdio
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace

_TURN_SECONDS = 0.0005
"""How long a thread that reads copies may keep one that hands on from running."""


def mcp_proxy_command(
    command: Sequence[str], *, session: str | None, name: str | None, flags: Flags, config: Path | None
) -> int:
    """Run a stdio server behind the proxy and end as it ends; the store may be away, not wrong."""
    session_id = SystemClock().new_id() if session is None else session

    def run(settings: Settings) -> int:
        return with_trace(settings, proxied, away=True)

    def proxied(trace: Trace) -> int:
        sys.setswitchinterval(_TURN_SECONDS)
        log = CallLog(trace.recorder, session_id=session_id, server=name)
        return proxy_stdio(command, log).lash(lambda problem: _refused(problem, command[0])).unwrap()

    refused = _problem(command, session_id)
    return fail(refused) if refused is not None else end_as(with_settings(flags, config, run))


def _problem(command: Sequence[str], session_id: str) -> Problem | None:
    if not command or not command[0]:
        return Problem(what="no server is given", where="COMMAND", mend="write it behind --, with its arguments")
    return session_problem(session_id)


def _refused(problem: Problem, command: str) -> Result[int, Problem]:
    fail(problem, Exit.BAD_INPUT)
    return result.Success(refused_code(command))
