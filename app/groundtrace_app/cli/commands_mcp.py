"""Commands that speak MCP: between a client and a server, and as a server. What one does is imported when it runs."""

from typing import Annotated

import typer

from groundtrace_app.cli.command_options import Config, Knowledge, Logs, Metrics, SessionOption, Store


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
