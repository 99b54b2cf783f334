"""Commands that ask: the demo, a question, one tool call. What one does is imported when it runs."""

from typing import Annotated

import typer

from groundtrace_app.cli.command_options import Config, Json, Knowledge, Logs, Metrics, SessionOption, Store


def demo(json: Json = False, keep: Annotated[str | None, typer.Option(help="Keep the trace here.")] = None) -> int:
    """Walk through a recorded incident: six questions and verdicts."""
    from groundtrace_app.cli.demo import demo_command

    return demo_command(as_json=json, keep=keep)


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
