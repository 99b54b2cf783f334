"""The commands of `groundtrace store` and their options; what each does is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

store_app = typer.Typer(
    name="store",
    help="Look after a whole store: figures, retention, export and load.",
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    epilog="Exit codes: 0 done, 1 some of it refused, 2 bad input, 3 store unavailable or output not writable, "
    "130 interrupted.",
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON in place of text.")]
Store = Annotated[
    str | None,
    typer.Option(help="Where the trace is: a file, postgresql://... or postgresql+sharded://... [groundtrace.db]"),
]
Config = Annotated[Path | None, typer.Option(help="Settings file. [groundtrace.toml, if there]")]
Reveal = Annotated[
    bool, typer.Option("--reveal-withheld", help="Also write answers and verifier texts that were withheld.")
]
_MOMENT = "a date (its first moment in UTC) or a time as RFC 3339"


@store_app.command()
def stats(
    store: Store = None,
    config: Config = None,
    exact: Annotated[bool, typer.Option("--exact", help="Count a large store to the end; no estimates.")] = False,
    json: Json = False,
) -> int:
    """Say what a store holds and how much room it takes.

    Numbers of a store with over 100,000 calls or 10,000 sessions are estimates and say so.
    """
    from groundtrace_app.cli.store_stats import stats_command

    return stats_command(flags={"store": store}, config=config, exact=exact, as_json=json)


@store_app.command()
def prune(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="An age: 90d, 12w, 36h.", metavar="AGE")
    ] = None,
    before: Annotated[str | None, typer.Option(help=f"In place of an age: {_MOMENT}.", metavar="TIME")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; remove nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, on a terminal.")] = False,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Remove sessions that ended before a time.

    A session goes as a whole, calls and decisions, once its last call and last decision are older: no decision loses
    the calls that it rests on, and no repeat the call that it repeats. In small transactions, while others write.
    Interrupted, it can be run again. On a terminal it asks first; in a pipe it asks nothing.
    """
    from groundtrace_app.cli.store_prune import prune_command

    given = {"older_than": older_than, "before": before}
    return prune_command(given, dry_run=dry_run, yes=yes, flags={"store": store}, config=config, as_json=json)


@store_app.command(name="drop-month")
def drop_month(
    month: Annotated[str, typer.Argument(metavar="MONTH", help="A month that is over, in UTC: 2026-01.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; drop nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, on a terminal.")] = False,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Drop a month of a store that is cut by the month.

    Its calls go at once, without a look at each: a session of two months keeps those of the other one, and decisions
    stay until `prune` takes their sessions. Interrupted, it can be run again.
    """
    from groundtrace_app.cli.store_drop_month import drop_month_command

    return drop_month_command(month, dry_run=dry_run, yes=yes, flags={"store": store}, config=config, as_json=json)


@store_app.command()
def export(
    file: Annotated[
        str, typer.Argument(help="A new file (compressed if it ends in .gz), or - for standard output.")
    ] = "-",
    session: Annotated[str | None, typer.Option(help="This session alone.")] = None,
    since: Annotated[str | None, typer.Option(help=f"Records from here on: {_MOMENT}.", metavar="TIME")] = None,
    until: Annotated[str | None, typer.Option(help="Records before here.", metavar="TIME")] = None,
    after: Annotated[
        str | None, typer.Option(help="Go on behind this line, the last whole one you have.", metavar="LINE")
    ] = None,
    reveal: Reveal = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a line and stop.")] = False,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Write calls and decisions as JSON lines.

    Every line has the same columns, each of one type. Interrupted, the same command goes on where the file ends;
    FILE.progress stands beside it until it is whole.
    """
    from groundtrace_app.cli.store_export import export_command

    given = {"session": session, "since": since, "until": until, "after": after}
    return export_command(
        file, given, reveal=reveal, schema=schema, flags={"store": store}, config=config, as_json=json
    )


@store_app.command()
def load(
    files: Annotated[
        list[str], typer.Argument(help="Files that `export` wrote, also compressed; - is standard input.")
    ],
    from_line: Annotated[int, typer.Option("--from-line", min=1, help="Begin at this line of the (one) file.")] = 1,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Load what `export` wrote, into any store.

    What is there already is kept once; other content under the same id is told, and the first stays. Lines whose
    withheld texts were left out are counted and not loaded. Load files that you trust: rows are taken as they stand,
    as redacted as they were. Exit code: 1 if a line was not loaded.
    """
    from groundtrace_app.cli.store_load import load_command

    return load_command(files, from_line=from_line, flags={"store": store}, config=config, as_json=json)
