"""The command `groundtrace`: its entry, and the promise that no traceback reaches a user.

Everything else is imported inside that promise, so that an interrupt is one line from the first moment on.
"""

import gc
import sys
from collections.abc import Sequence


def main() -> None:
    """Run the command on the process's arguments and leave with its exit code."""
    try:
        from groundtrace_app.cli.interrupts import hear_interrupts
        from groundtrace_app.cli.streams import finish_output, one_line_faults

        hear_interrupts()
        one_line_faults()
        code = finish_output(run(sys.argv[1:]))
    except KeyboardInterrupt:
        print("groundtrace: interrupted", file=sys.stderr)
        code = 130
    # What is left goes with the process: to walk over all of it once more at the exit took a sixth of a short command.
    gc.freeze()
    raise SystemExit(code)


def run(arguments: Sequence[str], /) -> int:
    """Run the command on `arguments` and return its exit code; prints one line for whatever goes wrong."""
    from groundtrace_app.cli.running import run

    return run(arguments)
