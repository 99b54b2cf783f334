"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON in place of text.")]
Store = Annotated[
    str | None,
    typer.Option(
        help="Where the trace is: a file, memory:, postgresql://... or postgresql+sharded://... [groundtrace.db]"
    ),
]
Config = Annotated[Path | None, typer.Option(help="Settings file. [groundtrace.toml, if there]")]
Knowledge = Annotated[str | None, typer.Option(help="Folder of Markdown runbooks.")]
Logs = Annotated[list[str] | None, typer.Option(help="Log file or folder; may be repeated.")]
Metrics = Annotated[list[str] | None, typer.Option(help="Metric file or folder; may be repeated.")]
SessionOption = Annotated[str | None, typer.Option(help="The investigation this belongs to. [a new one]")]
Session = Annotated[str, typer.Argument(help="The session's id; see `groundtrace sessions`.")]
Reveal = Annotated[
    bool, typer.Option("--reveal-withheld", help="Also print answers and verifier texts that were withheld.")
]
