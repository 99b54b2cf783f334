"""The commands and their options. What a command does is imported when it runs, so that `--help` is quick."""

from pathlib import Path
from typing import Annotated

import typer

from groundtrace_app.cli.store import store_app

app = typer.Typer(
    name="groundtrace",
    help="Record what an agent's tools really returned, and let an answer out only as far as that evidence carries it.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done (ask: PASS), 1 some of it refused, 2 bad input, 3 store or source unavailable, "
    "5 LOW_CONFID, 6 REJECT, 70 a bug of ours, 130 interrupted. "
    "With --json too, an error is one line on standard error.",
)
app.add_typer(store_app)

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


@app.command()
def demo(json: Json = False, keep: Annotated[str | None, typer.Option(help="Keep the trace here.")] = None) -> int:
    """Walk through a recorded incident: six questions and verdicts."""
    from groundtrace_app.cli.demo import demo_command

    return demo_command(as_json=json, keep=keep)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know; name a service, a time, a symptom.")],
    knowledge: Knowledge = None,
    logs: Logs = None,
    metrics: Metrics = None,
    session: SessionOption = None,
    store: Store = None,
    model: Annotated[str | None, typer.Option(help="rules, or script:FILE. [rules]")] = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Ask; get an answer with what it rests on, or none.

    Exit code: 0 PASS, 5 LOW_CONFID, 6 REJECT.
    """
    from groundtrace_app.cli.ask import ask_command

    flags = {"knowledge": knowledge, "logs": logs, "metrics": metrics, "store": store, "model": model}
    return ask_command(question, session=session, flags=flags, config=config, as_json=json)


@app.command()
def call(
    tool: Annotated[str, typer.Argument(help="lookup_knowledge, query_logs or query_metrics.")],
    params: Annotated[str, typer.Argument(help="Its parameters as one JSON object.")],
    knowledge: Knowledge = None,
    logs: Logs = None,
    metrics: Metrics = None,
    session: SessionOption = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Run one tool call, recorded like any other.

    The next steps that an answer names are such calls.
    """
    from groundtrace_app.cli.call import call_command

    flags = {"knowledge": knowledge, "logs": logs, "metrics": metrics, "store": store}
    return call_command(tool, params, session=session, flags=flags, config=config, as_json=json)


@app.command()
def sessions(
    store: Store = None,
    config: Config = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The most sessions to list.")] = 50,
    json: Json = False,
) -> int:
    """List the sessions of a store, the latest first."""
    from groundtrace_app.cli.reading import sessions_command

    return sessions_command(flags={"store": store}, config=config, limit=limit, as_json=json)


@app.command()
def show(
    session: Session,
    store: Store = None,
    config: Config = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="The most calls to show.")] = 1_000,
    replies: Annotated[bool, typer.Option("--replies", help="Also print what the user was shown.")] = False,
    reveal: Reveal = False,
    json: Json = False,
) -> int:
    """Show a session: its turns, calls and decisions.

    `e1, e2, ...` are the names under which the verifier saw the calls, and `explain` names them.
    """
    from groundtrace_app.cli.reading import show_command

    flags = {"store": store}
    return show_command(session, flags=flags, config=config, limit=limit, replies=replies, reveal=reveal, as_json=json)


@app.command()
def summary(
    sessions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SESSION]...", help="A session's id, or several; see `groundtrace sessions`."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Calls from here on: a date or a time as RFC 3339.", metavar="TIME")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Calls before here.", metavar="TIME")] = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> int:
    """Sum up sessions, or a time: one entry per tool and topic.

    Sessions and a time together: the calls of these sessions in that time. At most 100,000 calls. Exit code: 1 if
    one of several sessions is not there, 2 if none is.
    """
    from groundtrace_app.cli.summing import summary_command

    return summary_command(
        sessions or [], since=since, until=until, flags={"store": store}, config=config, as_json=json
    )


@app.command()
def explain(
    session: Session,
    store: Store = None,
    config: Config = None,
    turn: Annotated[str | None, typer.Option(help="Explain this turn alone. [every turn]")] = None,
    reveal: Reveal = False,
    json: Json = False,
) -> int:
    """Explain each decision of a session, rule by rule."""
    from groundtrace_app.cli.explaining import explain_command

    flags = {"store": store}
    return explain_command(session, turn=turn, flags=flags, config=config, reveal=reveal, as_json=json)


@app.command()
def audit(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]...", help="In place of a store: transcripts, folders, exports, or - for stdin."),
    ] = None,
    store: Store = None,
    html: Annotated[str | None, typer.Option(help="Also write one HTML page here.", metavar="FILE")] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option("--fail-on", help="Exit code 1 if this rule holds; may be repeated.", metavar="RULE"),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(help="A tool, or a source of tools, that each session should have asked; may be repeated."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Sessions that went on after this: a date or a time as RFC 3339.", metavar="TIME")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Sessions that ended before this.", metavar="TIME")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="The most sessions in full. [20; 500 in JSON and the page]")
    ] = None,
    format_name: Annotated[
        str, typer.Option("--format", help="auto, or the name of a format of transcripts; see docs/importing.md.")
    ] = "auto",
    config: Config = None,
    json: Json = False,
) -> int:
    """Say what the answers of every session rest on.

    The highest verdict that the evidence allows and why, what an answer does not mention, and answers that rest on
    nothing; those sessions first that rest on the least. Rules of --fail-on: see docs/auditing.md.
    """
    from groundtrace_app.cli.audit import audit_command

    return audit_command(
        paths or [],
        format_name=format_name,
        expect=expect or [],
        fail_on=fail_on or [],
        html=html,
        since=since,
        until=until,
        limit=limit,
        flags={"store": store},
        config=config,
        as_json=json,
    )


@app.command()
def replay(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="In place of a store: what `store export` wrote, or - for stdin."),
    ] = None,
    store: Store = None,
    config: Config = None,
    since: Annotated[
        str | None, typer.Option(help="Decisions from here on: a date or a time as RFC 3339.", metavar="TIME")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Decisions before here.", metavar="TIME")] = None,
    pass_needs: Annotated[
        str | None, typer.Option("--pass-needs", help="Decide under this setting: any or direct. [as it was]")
    ] = None,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="Exit code 1 if a decision would fall otherwise.")
    ] = False,
    json: Json = False,
) -> int:
    """Make every decision again under today's rules.

    From the stored calls and the verifier's own texts: no model is asked, and nothing is changed. Each decision that
    would fall otherwise is named, with the rule that changed it.
    """
    from groundtrace_app.cli.replaying import replay_command

    return replay_command(
        files or [],
        pass_needs=pass_needs,
        since=since,
        until=until,
        fail_on_change=fail_on_change,
        flags={"store": store},
        config=config,
        as_json=json,
    )


@app.command()
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


@app.command("import")
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


@app.command()
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


@app.command()
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


@app.command(name="mcp-proxy", context_settings={"allow_interspersed_args": False})
def mcp_proxy(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND ARGS", help="The MCP server to start, with its arguments."),
    ] = None,
    url: Annotated[str | None, typer.Option(help="A server of streamable HTTP, in place of a command.")] = None,
    listen: Annotated[str | None, typer.Option(help="Where clients find it then. [127.0.0.1:8971]")] = None,
    session: SessionOption = None,
    name: Annotated[str | None, typer.Option(help="Record tools as NAME/TOOL, to tell servers apart.")] = None,
    store: Store = None,
    config: Config = None,
) -> int:
    """Stand between an MCP client and a server; record every call.

    Nothing that passes is changed. Standard error, signals and the exit code are the server's own.
    """
    from groundtrace_app.cli.mcp_proxy import mcp_proxy_command

    flags = {"store": store}
    return mcp_proxy_command(
        command or [], url=url, listen=listen, session=session, name=name, flags=flags, config=config
    )


@app.command()
def mcp(
    knowledge: Knowledge = None,
    logs: Logs = None,
    metrics: Metrics = None,
    session: SessionOption = None,
    store: Store = None,
    model: Annotated[str | None, typer.Option(help="Who checks answers: rules, or script:FILE. [rules]")] = None,
    config: Config = None,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP in place of standard input and output.")] = False,
    listen: Annotated[str | None, typer.Option(help="Where clients find it then. [127.0.0.1:8970]")] = None,
) -> int:
    """Serve the tools, check_answer and session_summary over MCP.

    Every call is recorded; an answer that the evidence does not carry is never returned.
    """
    from groundtrace_app.cli.mcp_serve import mcp_command

    flags = {"knowledge": knowledge, "logs": logs, "metrics": metrics, "store": store, "model": model}
    return mcp_command(http=http, listen=listen, session=session, flags=flags, config=config)
