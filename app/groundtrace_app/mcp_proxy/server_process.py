"""The server's process: started with pipes, its signals and its end passed on as if nobody stood between."""

import os
import resource
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from returns import result
from returns.result import Result

from groundtrace.problem import Problem

NOT_FOUND, NOT_RUN = 127, 126
"""Exit codes of a command that does not exist, or cannot be run, as shells give them."""

PASSED_ON = tuple(
    number
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM")
    if (number := getattr(signal, name, None)) is not None
)
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
STOPPED_BY_CLIENT = frozenset({-signal.SIGTERM, -signal.SIGKILL, -signal.SIGINT, -signal.SIGHUP, 0})
"""How a server ends whose client is done with it: by itself, or by one of these signals."""


def start(command: Sequence[str], /) -> Result["subprocess.Popen[bytes]", Problem]:
    """Start the server in this process's group, with this process's environment, folder and standard error."""
    try:
        return result.Success(
            subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # noqa: S603
        )
    except (OSError, ValueError) as refused:
        words = refused.strerror if isinstance(refused, OSError) and refused.strerror else "it is no command"
        return result.Failure(Problem(what=f"cannot be started ({words})", where=command[0]))


def refused_code(command: str, /) -> int:
    """Return the exit code for a command that could not be started."""
    return NOT_RUN if os.path.exists(command) else NOT_FOUND  # noqa: PTH110 - a command, not a path


def pass_signals_on(process: "subprocess.Popen[bytes]", /) -> None:
    """From now on the signals that come to this process go to the server, and end nothing here; also once it ended."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        del frame
        if not (number in _FROM_TERMINAL and _in_foreground()):
            with suppress(OSError):
                process.send_signal(number)

    for number in PASSED_ON:
        signal.signal(number, pass_on)


def end_as(code: int, /) -> int:
    """Return an exit code, or end this process by the signal that ended the server (given as its negative number)."""
    if code < 0:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code if code >= 0 else 128 - code


def how_it_ended(code: int, /) -> str:
    """Return in words how a server ended."""
    if code >= 0:
        return f"the server ended with exit code {code}"
    try:
        return f"the server was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"the server was ended by signal {-code}"


def _in_foreground() -> bool:
    """Tell whether a terminal gives its signals to this process's group, and so to the server by itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
