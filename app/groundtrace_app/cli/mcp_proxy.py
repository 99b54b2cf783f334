"""`mcp-proxy`: any MCP client and any MCP server, with every tool call between them recorded."""

import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from returns import result
from returns.result import Result

from groundtrace.problem import Problem
from groundtrace_app.chat.service import session_problem
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told, with_settings, with_trace
from groundtrace_app.cli.printing import fail
from groundtrace_app.clock import SystemClock
from groundtrace_app.mcp_proxy.call_log import CallLog
from groundtrace_app.mcp_proxy.server_process import end_as, refused_code
from groundtrace_app.mcp_proxy.stdio import proxy_stdio
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace

LISTEN = "127.0.0.1:8971"


def mcp_proxy_command(
    command: Sequence[str],
    *,
    url: str | None,
    listen: str | None,
    session: str | None,
    name: str | None,
    flags: Flags,
    config: Path | None,
) -> int:
    """Put the proxy before a stdio server, and end as it ends, or before a server of HTTP, until a signal comes.

    The store may be away, not wrong.
    """
    session_id = SystemClock().new_id() if session is None else session
    refused = session_problem(session_id) or _problem(command, url, listen)
    if refused is not None:
        return fail(refused)

    def run(settings: Settings) -> int:
        return with_trace(settings, proxied, away=True)

    def proxied(trace: Trace) -> int:
        log = CallLog(trace.recorder, session_id=session_id, server=name)
        if url is not None:
            return _over_http(url, listen or LISTEN, log, session_id)
        return proxy_stdio(command, log).lash(lambda problem: _refused(problem, command[0])).unwrap()

    return end_as(with_settings(flags, config, run))


def _over_http(url: str, listen: str, log: CallLog, session_id: str) -> int:
    from groundtrace_app.mcp_proxy.http import proxy_http
    from groundtrace_app.mcp_proxy.listening import listen_on

    def serve(listening: socket.socket) -> int:
        host, port = listening.getsockname()[:2]
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        behind = urlsplit(url)
        server = f"{behind.scheme}://{behind.netloc.rpartition('@')[2]}{behind.path}"
        print(f"http://{place}{behind.path or '/'} stands before {server}, session {session_id}")
        sys.stdout.flush()
        proxy_http(url, listening, log)
        return Exit.DONE

    return listen_on(listen).map(serve).lash(told(Exit.UNAVAILABLE)).unwrap()


def _problem(command: Sequence[str], url: str | None, listen: str | None) -> Problem | None:
    if url is None and listen is not None:
        return Problem(what="it is for a server of HTTP", where="--listen", mend="give --url too")
    if url is None and not (command and command[0]):
        return Problem(what="no server is given", where="COMMAND", mend="write it behind --, or give --url")
    if url is not None and command:
        return Problem(what="a command and --url are two servers", where="--url", mend="give one of them")
    if url is not None and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
        return Problem(what="it is no address of a server", where="--url", mend="write http://HOST:PORT/PATH")
    return None


def _refused(problem: Problem, command: str) -> Result[int, Problem]:
    fail(problem, Exit.BAD_INPUT)
    return result.Success(refused_code(command))
