"""`demo`: the guided session, told scene by scene."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from returns.result import Result

from groundtrace.invocation import Invocation
from groundtrace.next_steps import Options
from groundtrace.problem import Problem
from groundtrace_app.cli.ask import turn_view
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import with_trace
from groundtrace_app.cli.options import options_for
from groundtrace_app.cli.printing import fail, for_reading, plain, print_json
from groundtrace_app.cli.tables import console, table
from groundtrace_app.demo import SESSION, Demo, Played
from groundtrace_app.incident import incident_folder
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace

OPENING = """\
groundtrace demo. A real PostgreSQL ran out of connection slots at 16:54 UTC, and stood behind a lock at 16:57.
Six questions to its runbooks, logs and metrics. Two drafts are scripted, one true and one false; no verdict is.
"""
COLUMNS = ("tool", "about", "outcome", "support", "reason", "ms")


def demo_command(*, as_json: bool, keep: str | None) -> int:
    """Play every scene; 0 when all were played, whatever their verdicts."""
    settings = Settings(store=keep or "memory:")
    return with_trace(settings, lambda trace: _demo(trace, incident_folder(), as_json=as_json, keep=keep))


def _demo(trace: Trace, folder: Path, *, as_json: bool, keep: str | None) -> int:
    if not (folder / "server.log").is_file():
        mend = "install groundtrace anew, or run it from a whole clone"
        return fail(Problem(what="the incident is not there", where=str(folder), mend=mend), Exit.UNAVAILABLE)
    played = Demo(folder, trace, options=partial(_options, keep)).play()
    if as_json:
        return _as_json(played)
    print(OPENING)
    for number, scene in enumerate(played, start=1):
        broken: Problem | None = scene.map(partial(_tell, number)).swap().value_or(None)
        if broken is not None:
            return fail(broken)
    print(_closing(keep))
    return Exit.DONE


def _options(keep: str | None, settings: Settings) -> Options:
    """Return what the commands need that a reply names: the scene's sources, and the kept trace."""
    asked = {"knowledge": settings.knowledge, "logs": settings.logs, "metrics": settings.metrics, "store": keep}
    return options_for(asked, None, SESSION)


def _tell(number: int, one: Played) -> None:
    """Print a scene: the question, the reply, and the rows that it left in the trace."""
    decision = one.turn.decision
    print(f"--- {number}. {one.scene.title}\n{one.scene.shows}\n\n> {one.scene.question}\n")
    print(for_reading(one.turn.text))
    print()
    console().print(table("In the trace", COLUMNS, map(_cells, one.rows)))
    if decision is not None:
        print(f"\nDecision: {decision.verdict} ({decision.cause})\n")


def _cells(row: Invocation) -> tuple[object, ...]:
    return row.tool_name, row.topic_domain, row.outcome, row.support or "-", row.reason or "-", row.duration_ms


def _closing(keep: str | None) -> str:
    commands = f"`groundtrace show {SESSION} --store {keep or 'FILE'}`, or `explain` in its place"
    return (
        f"Kept in {keep}: {commands}." if keep else f"To look closer: `groundtrace demo --keep FILE`, then {commands}."
    )


def _as_json(played: Iterable[Result[Played, Problem]]) -> int:
    scenes: list[dict[str, object]] = []
    for scene in played:
        broken: Problem | None = scene.map(lambda one: scenes.append(_view(one))).swap().value_or(None)
        if broken is not None:
            return fail(broken)
    print_json(scenes)
    return Exit.DONE


def _view(one: Played) -> dict[str, object]:
    return {
        "title": one.scene.title,
        "question": one.scene.question,
        "scripted_draft": one.scene.draft is not None,
        "turn": turn_view(one.turn),
        "rows": plain(one.rows),
    }
