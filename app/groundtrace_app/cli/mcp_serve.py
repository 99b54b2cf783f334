"""`mcp`: our tools, the gate and the summary for any MCP client."""

import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from returns.result import Result

from groundtrace.ports import LanguageModel
from groundtrace_app.chat.service import session_problem
from groundtrace_app.cli.ask import warn_of_missing
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.keeping import version_words
from groundtrace_app.cli.opening import Flags, told, with_settings, with_trace
from groundtrace_app.cli.options import options_for
from groundtrace_app.cli.printing import fail
from groundtrace_app.clock import SystemClock
from groundtrace_app.gate import Gate
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.trace import Trace
from groundtrace_app.wiring import expected_sources, open_model, open_tools, turn_rules

PLACE = "127.0.0.1:8970"


def mcp_command(*, http: bool, listen: str | None, session: str | None, flags: Flags, config: Path | None) -> int:
    """Serve until the client leaves or a signal comes; what was recorded until then is kept."""
    name = SystemClock().new_id() if session is None else session

    def run(settings: Settings) -> int:
        warn_of_missing(settings)
        parts = Result.do((tools, model) for tools in open_tools(settings) for model in open_model(settings))
        return parts.map(lambda both: serve(settings, *both)).lash(told()).unwrap()

    def serve(settings: Settings, tools: Sequence[EvidenceTool], model: LanguageModel) -> int:
        def over(trace: Trace) -> int:
            gate = Gate.of(
                trace,
                verifier=model,
                rules=turn_rules(settings),
                expected=expected_sources(settings, tools),
                options=options_for(flags, config, name),
            )
            return _served(settings, tools, trace, gate, name, listen=listen or PLACE if http or listen else None)

        return with_trace(settings, over, away=True)

    refused = session_problem(name)
    return fail(refused) if refused is not None else with_settings(flags, config, run)


def _served(
    settings: Settings, tools: Sequence[EvidenceTool], trace: Trace, gate: Gate, name: str, *, listen: str | None
) -> int:
    from groundtrace_app.mcp_proxy.listening import listen_on
    from groundtrace_app.mcp_server.desk import Desk
    from groundtrace_app.mcp_server.serving import serve_http, serve_stdio, server_of

    desk = Desk(tools, trace, gate, seconds=settings.tool_seconds, flush_seconds=settings.flush_seconds)
    server = server_of(desk, session_id=name, version=version_words().rpartition(" ")[2])
    if listen is None:
        serve_stdio(server)
        return Exit.DONE

    def over_http(listening: socket.socket) -> int:
        host, port = listening.getsockname()[:2]
        print(f"http://{host}:{port}/mcp serves session {name}")
        sys.stdout.flush()
        serve_http(server, listening)
        return Exit.DONE

    return listen_on(listen).map(over_http).lash(told(Exit.UNAVAILABLE)).unwrap()
