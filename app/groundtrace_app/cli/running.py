"""One run of the command: from its words to its exit code, whatever goes wrong on the way said in one line."""

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.streams import NO_ROOM, output_full, print_any_text, say

EXTRAS = {
    "typer": "cli",
    "rich": "cli",
    "psycopg": "postgres",
    "psycopg_pool": "postgres",
    "re2": "logs",
    **dict.fromkeys(("mcp", "mcp_types", "httpx2", "uvicorn", "anyio"), "mcp"),
}
"""Which extra of ours brings which module of others."""


def run(arguments: Sequence[str], /) -> int:
    """Run the command on `arguments` and return its exit code; prints one line for whatever goes wrong."""
    print_any_text()
    try:
        return _run(arguments)
    except ModuleNotFoundError as missing:
        extra = EXTRAS.get((missing.name or "").partition(".")[0])
        return _internal(missing) if extra is None else say(_needs(extra, missing), Exit.BAD_INPUT)
    except KeyboardInterrupt:
        return say("interrupted", Exit.INTERRUPTED)
    except (BrokenPipeError, SystemExit):
        # typer makes it an exit where whoever read standard output has left, as `head` does: nothing is wrong.
        return Exit.DONE
    except Exception as bug:
        if isinstance(bug, OSError) and bug.errno in NO_ROOM:
            return output_full(bug)
        if os.environ.get("GROUNDTRACE_DEBUG"):
            raise
        return _internal(bug)


def _run(arguments: Sequence[str]) -> int:
    import typer

    try:
        code = _main()(list(arguments), prog_name="groundtrace", standalone_mode=False)
    except typer.TyperException as wrong:
        where = getattr(getattr(wrong, "ctx", None), "command_path", "groundtrace")
        what = wrong.format_message().rstrip(".?").replace(". Did you mean", "; perhaps")
        return say(f"{what}; see {where} --help", Exit.BAD_INPUT)
    except typer.Abort:
        code = Exit.INTERRUPTED
    if code == Exit.INTERRUPTED:
        say("interrupted; what was recorded until then is kept", Exit.INTERRUPTED)
    return int(code or 0)


@cache
def _main() -> Callable[..., Any]:
    """Return what runs the commands, made once: typer takes each of their signatures apart."""
    import typer

    from groundtrace_app.cli.commands import app

    return typer.main.get_command(app).main


def _needs(extra: str, missing: ModuleNotFoundError) -> str:
    return f"this needs an extra that is not installed ({missing.name}); run: pip install 'groundtrace[{extra}]'"


def _internal(bug: Exception) -> int:
    words = f"internal error: {type(bug).__name__}; set GROUNDTRACE_DEBUG=1 to see where, and report it"
    return say(words, Exit.BUG)
