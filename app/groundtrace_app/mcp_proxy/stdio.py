"""A stdio server behind the proxy: two pumps, the watch behind them, and the server's own end as the end of all."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence

from returns.result import Result

from groundtrace.outcomes import FailureKind, Outcome, failure_because
from groundtrace.problem import Problem
from groundtrace_app.mcp_proxy.background import Background
from groundtrace_app.mcp_proxy.call_log import CallLog
from groundtrace_app.mcp_proxy.pump import PumpEnd, pump
from groundtrace_app.mcp_proxy.server_process import STOPPED_BY_CLIENT, how_it_ended, pass_signals_on, start
from groundtrace_app.mcp_proxy.watch import Side, Watch

CLIENT_IN, CLIENT_OUT = 0, 1
LAST_WORDS_SECONDS = 2.0
"""How long the output of a server that has ended is still waited for: others may hold its pipe open."""

TURN_SECONDS = 0.001
"""How long the thread that reads copies may keep those that hand on from running."""

READ_SECONDS = 10.0
"""How long copies that were not read yet hold the end of the command."""


def proxy_stdio(command: Sequence[str], log: CallLog, /) -> Result[int, Problem]:
    """Run the server between this process's standard input and output until it ends; its return code (Popen's)."""
    return start(command).map(lambda process: _between(process, log))


def _between(process: "subprocess.Popen[bytes]", log: CallLog) -> int:
    background = Background()
    watch = Watch(background, log.of_one_stream())
    wires = _Wires(process, watch)
    pass_signals_on(process)
    sys.setswitchinterval(TURN_SECONDS)
    wires.run()
    code = process.wait()
    wires.last_words()
    watch.ended(_open_calls(code, wires))
    background.close(deadline=READ_SECONDS)
    return code


class _Wires:
    """Both directions, each pumped in a thread of its own."""

    def __init__(self, process: "subprocess.Popen[bytes]", watch: Watch) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to_server, self._from_server = process.stdin, process.stdout
        self._watch = watch
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._inward, self._outward)]
        self.client_done, self.client_left = False, False

    def run(self) -> None:
        """Begin to pump."""
        for thread in self._threads:
            thread.start()

    def last_words(self) -> None:
        """Wait for what an ended server had still written."""
        self._threads[1].join(LAST_WORDS_SECONDS)

    def _inward(self) -> None:
        end = pump(CLIENT_IN, self._to_server.fileno(), lambda piece: self._watch.saw(Side.CLIENT, piece))
        if end is PumpEnd.WRITER_ENDED:
            self.client_done = True
            self._to_server.close()
        else:
            _close(CLIENT_IN, os.O_RDONLY)

    def _outward(self) -> None:
        end = pump(self._from_server.fileno(), CLIENT_OUT, lambda piece: self._watch.saw(Side.SERVER, piece))
        if end is PumpEnd.READER_LEFT:
            self.client_left = True
            self._from_server.close()
        else:
            _close(CLIENT_OUT, os.O_WRONLY)


def _close(descriptor: int, mode: int) -> None:
    """Let the client see that this end is closed; the number stays taken, so that no other file gets it."""
    nothing = os.open(os.devnull, mode)
    os.dup2(nothing, descriptor)
    os.close(nothing)


def _open_calls(code: int, wires: _Wires) -> Outcome:
    """Return what the calls amount to that no answer came to."""
    if wires.client_left or (wires.client_done and code in STOPPED_BY_CLIENT):
        return failure_because(FailureKind.CANCELLED, f"the client left before the answer came; {how_it_ended(code)}")
    return failure_because(FailureKind.UNAVAILABLE, f"no answer came: {how_it_ended(code)}")
