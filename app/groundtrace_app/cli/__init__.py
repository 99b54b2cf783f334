"""The command `groundtrace`: its entry, and the promise that no traceback reaches a user."""

import os
import sys
from collections.abc import Sequence

from groundtrace_app.cli.exits import Exit

NEEDS_EXTRA = "groundtrace: the command line needs an extra; run: pip install 'groundtrace[cli]'"


def main() -> None:
    """Run the command on the process's arguments and leave with its exit code."""
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader left; point stdout elsewhere so that the interpreter's own flush at exit stays silent too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)


def run(arguments: Sequence[str], /) -> int:
    """Run the command on `arguments` and return its exit code; prints one line for whatever goes wrong."""
    try:
        import typer

        from groundtrace_app.cli.commands import app
    except ModuleNotFoundError as missing:
        if missing.name not in {"typer", "rich"}:
            raise
        print(NEEDS_EXTRA, file=sys.stderr)
        return Exit.BAD_INPUT
    try:
        code = typer.main.get_command(app).main(list(arguments), prog_name="groundtrace", standalone_mode=False)
    except typer.TyperException as wrong:
        return _say(wrong.format_message() + "; see groundtrace --help", Exit.BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted", Exit.INTERRUPTED)
    except BrokenPipeError:
        return Exit.DONE
    except Exception as bug:
        if os.environ.get("GROUNDTRACE_DEBUG"):
            raise
        return _say(
            f"internal error: {type(bug).__name__}; set GROUNDTRACE_DEBUG=1 to see where, and report it", Exit.BUG
        )
    return int(code or 0)


def _say(line: str, code: Exit) -> int:
    print("groundtrace: " + " ".join(line.split()), file=sys.stderr)
    return code
