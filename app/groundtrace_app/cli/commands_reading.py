"""Commands that read what is recorded: sessions, sums, decisions, audits. What one does is imported when it runs."""

from typing import Annotated

import typer

from groundtrace_app.cli.command_options import Config, Json, Reveal, Session, Store


def sessions(
    store: Store = None,
    config: Config = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The most sessions to list.")] = 50,
    json: Json = False,
) -> int:
    """List the sessions of a store, the latest first."""
    from groundtrace_app.cli.reading import sessions_command

    return sessions_command(flags={"store": store}, config=config, limit=limit, as_json=json)


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
    ignore: Annotated[
        list[str] | None,
        typer.Option(help="A tool, or a source, of which an answer need not say that it failed or found nothing."),
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
        ignore=ignore or [],
        fail_on=fail_on or [],
        html=html,
        since=since,
        until=until,
        limit=limit,
        flags={"store": store},
        config=config,
        as_json=json,
    )


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
