"""`call`: one tool call from the command line, recorded like any other."""

import json
from collections.abc import Mapping
from pathlib import Path

from groundtrace.row_json import row_to_json
from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.outcomes import OutcomeKind
from groundtrace.plan import PlannedCall
from groundtrace.problem import Problem
from groundtrace_app.chat.calling import CallRunner
from groundtrace_app.chat.turn import Done
from groundtrace_app.cli.ask import safe_lines
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import settings_from, with_trace
from groundtrace_app.cli.printing import fail, print_json
from groundtrace_app.clock import SystemClock
from groundtrace_app.loop import run_now
from groundtrace_app.settings import Settings
from groundtrace_app.wiring import Trace, open_tools


def call_command(
    tool: str, params: str, *, session: str | None, flags: Mapping[str, object], config: Path | None, as_json: bool
) -> int:
    """Run the call, print what the tool returned, and return 3 if it failed."""
    name = session or SystemClock().new_id()

    def run(settings: Settings) -> int:
        return (
            _params(params)
            .map(lambda read: with_trace(settings, lambda trace: _call(settings, trace, tool, read, name, as_json)))
            .lash(_failed)
            .unwrap()
        )

    return settings_from(flags, config).map(run).lash(_failed).unwrap()


def _call(
    settings: Settings, trace: Trace, tool: str, params: Mapping[str, object], session: str, as_json: bool
) -> int:
    def run(runner: CallRunner) -> int:
        planned = PlannedCall(tool=tool, params=params)
        done = run_now(runner.run(planned, session_id=session, seconds=settings.tool_seconds))
        return _print(done, as_json=as_json)

    return open_tools(settings).map(lambda tools: run(CallRunner(tools, trace.recorder))).lash(_failed).unwrap()


def _print(done: Done, *, as_json: bool) -> int:
    failed = outcomes.kind_of(done.outcome) is OutcomeKind.FAILURE
    if as_json:
        print_json({"row": None if done.row is None else json.loads(row_to_json(done.row)), "text": done.text})
    elif isinstance(done.outcome, outcomes.Failure):
        fail(Problem(what=done.outcome.message, where=done.row.tool_name if done.row else ""))
    else:
        print(safe_lines(done.text or f"{outcomes.kind_of(done.outcome)}"))
    return Exit.UNAVAILABLE if failed else Exit.DONE


def _params(text: str) -> Result[Mapping[str, object], Problem]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as broken:
        return result.Failure(
            Problem(what=f"not JSON ({broken})", where="params", mend="quote the object for your shell")
        )
    if isinstance(value, dict):
        return result.Success(value)
    return result.Failure(Problem(what="not a JSON object", where="params", mend='write {"name": value, ...}'))


def _failed(problem: Problem) -> Result[int, Problem]:
    return result.Success(fail(problem))
