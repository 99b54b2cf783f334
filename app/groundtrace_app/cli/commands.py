"""The commands in the order of `--help`. What one does is imported when it runs, so that `--help` is quick."""

from collections.abc import Callable
from typing import Annotated

import typer

from groundtrace_app.cli.commands_asking import ask, call, demo
from groundtrace_app.cli.commands_keeping import doctor, import_, migrate, record
from groundtrace_app.cli.commands_mcp import mcp, mcp_proxy
from groundtrace_app.cli.commands_reading import audit, explain, replay, sessions, show, summary
from groundtrace_app.cli.store import store_app

app = typer.Typer(
    name="groundtrace",
    help="Record what an agent's tools really returned, and let an answer out only as far as that evidence carries it.",
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done (ask: PASS), 1 some of it refused, 2 bad input, 3 store or source unavailable, "
    "5 LOW_CONFID, 6 REJECT, 70 a bug of ours, 130 interrupted. "
    "With --json too, an error is one line on standard error.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from groundtrace_app.cli.keeping import version_words

        print(version_words())
        raise typer.Exit


@app.callback()
def groundtrace(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Record what an agent's tools returned; let an answer out only as far as that evidence carries it."""
    del version


_LISTED: tuple[tuple[str, Callable[..., int]], ...] = (
    ("demo", demo),
    ("ask", ask),
    ("call", call),
    ("sessions", sessions),
    ("show", show),
    ("summary", summary),
    ("explain", explain),
    ("audit", audit),
    ("replay", replay),
    ("record", record),
    ("import", import_),
    ("migrate", migrate),
    ("doctor", doctor),
    ("mcp-proxy", mcp_proxy),
    ("mcp", mcp),
)
_SERVER_ARGUMENTS = {"allow_interspersed_args": False}
"""What follows the first argument belongs to the server that the proxy starts."""

for _name, _command in _LISTED:
    app.command(_name, context_settings=_SERVER_ARGUMENTS if _command is mcp_proxy else None)(_command)
app.add_typer(store_app)
