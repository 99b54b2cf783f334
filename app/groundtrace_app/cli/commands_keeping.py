"""Commands that bring calls into a store, and look after it. What one does is imported when it runs."""

from typing import Annotated

import typer

from groundtrace_app.cli.command_options import Config, Json, Knowledge, Logs, Metrics, Store


def record(
    store: Store = None,
    config: Config = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a line and stop.")] = False,
    json: Json = False,
) -> int:
    """Record calls from standard input, one JSON object a line.

    Any language can record so. Lines with an `id` may be given again: each is kept once.
    Exit code: 1 if a line was refused, 3 if calls wait in the spool for the store.
    """
    from groundtrace_app.cli.record import record_command

    return record_command(flags={"store": store}, config=config, schema=schema, as_json=json)


def import_(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Transcript files or folders; - is stdin.")],
    format_name: Annotated[
        str, typer.Option("--format", help="auto, or the name of a format; see docs/importing.md.")
    ] = "auto",
    session: Annotated[str | None, typer.Option(help="Put this before the ids of sessions, as in tenant/id.")] = None,
    at: Annotated[
        str | None, typer.Option(help="When calls began of which nothing tells a time. [1970-01-01]", metavar="TIME")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and tell, and keep nothing.")] = False,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Import transcripts that other agents left.

    A file may be imported again: each call is kept once. Exit code: 1 if a part could not be read, 2 if nothing
    could, 3 if calls wait in the spool for the store.
    """
    from groundtrace_app.cli.import_transcripts import import_command

    return import_command(
        paths,
        format_name=format_name,
        session=session,
        at=at,
        dry_run=dry_run,
        flags={"store": store},
        config=config,
        as_json=json,
    )


def migrate(
    store: Store = None,
    config: Config = None,
    partition: Annotated[
        str | None, typer.Option(help="month: cut an empty PostgreSQL store, to drop old calls by the month.")
    ] = None,
    json: Json = False,
) -> int:
    """Bring a store's schema up to date; safe to run twice."""
    from groundtrace_app.cli.keeping import migrate_command

    return migrate_command(partition=partition, flags={"store": store}, config=config, as_json=json)


def doctor(
    knowledge: Knowledge = None,
    logs: Logs = None,
    metrics: Metrics = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Check settings, store and sources; say how to mend them."""
    from groundtrace_app.cli.keeping import doctor_command

    flags = {"knowledge": knowledge, "logs": logs, "metrics": metrics, "store": store}
    return doctor_command(flags=flags, config=config, as_json=json)
