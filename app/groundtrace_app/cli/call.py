"""`call`: one tool call from the command line, recorded like any other."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.outcomes import OutcomeKind
from groundtrace.plan import PlannedCall
from groundtrace.ports import Flushed
from groundtrace.problem import Problem
from groundtrace_app.chat.calling import CallRunner
from groundtrace_app.chat.service import session_problem
from groundtrace_app.chat.turn import Done
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told, with_settings, with_trace
from groundtrace_app.cli.printing import fail, print_json, safe_lines
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.views import row_view
from groundtrace_app.clock import SystemClock
from groundtrace_app.loop import run_now
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.trace import Trace
from groundtrace_app.wiring import open_tools


def call_command(
    tool: str, params: str, *, session: str | None, flags: Flags, config: Path | None, as_json: bool
) -> int:
    """Run the call, print what the tool returned, and return 3 if it failed or its row is not stored yet."""
    name = SystemClock().new_id() if session is None else session

    def run(settings: Settings) -> int:
        parts = Result.do(
            (tools, PlannedCall(tool=tool, params=read))
            for _ in _session(name)
            for read in _params(params)
            for tools in open_tools(settings)
            for _named in _known(tool, tools)
        )
        return parts.map(lambda both: over_trace(settings, *both)).lash(told()).unwrap()

    def over_trace(settings: Settings, tools: Sequence[EvidenceTool], planned: PlannedCall) -> int:
        def call(trace: Trace) -> int:
            runner = CallRunner(tools, trace.recorder)
            with ProgressLine() as line:
                line.tell(f"asking {tool}")
                done = run_now(runner.run(planned, session_id=name, seconds=settings.tool_seconds))
                flushed = trace.sink.flush(name, deadline=settings.flush_seconds)
            return max(_print(done, name, as_json=as_json), _kept(done, flushed, trace))

        return with_trace(settings, call, away=True)

    return with_settings(flags, config, run)


def _print(done: Done, session: str, *, as_json: bool) -> int:
    failed = outcomes.kind_of(done.outcome) is OutcomeKind.FAILURE
    if as_json:
        row = None if done.row is None else row_view(done.row)
        print_json({"session_id": session, "row": row, "text": done.text})
    elif isinstance(done.outcome, outcomes.Failure):
        fail(Problem(what=done.outcome.message, where=done.row.tool_name if done.row else "call"))
    else:
        print(safe_lines(done.text or str(outcomes.kind_of(done.outcome))))
    return Exit.UNAVAILABLE if failed else Exit.DONE


def _kept(done: Done, flushed: Flushed, trace: Trace) -> int:
    """Say where the row is, unless it is in the store."""
    row_id = "" if done.row is None else done.row.id
    if row_id in flushed.spooled:
        mend = "the next command that records stores it, once the store is back"
        return fail(Problem(what=f"the call waits in {trace.spool_folder}", where="store", mend=mend), Exit.UNAVAILABLE)
    if not row_id or row_id in flushed.lost:
        why = flushed.lost.get(row_id, "its row could not be made")
        return fail(Problem(what=f"the call is not recorded: {why}", where="store"), Exit.UNAVAILABLE)
    return Exit.DONE


def _session(name: str) -> Result[None, Problem]:
    refused = session_problem(name)
    return result.Success(None) if refused is None else result.Failure(refused)


def _params(text: str) -> Result[Mapping[str, object], Problem]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as broken:
        mend = "write one JSON object, quoted for your shell"
        what = (
            f"no JSON ({broken})" if isinstance(broken, json.JSONDecodeError) else "JSON that is too deep or too long"
        )
        return result.Failure(Problem(what=what, where="PARAMS", mend=mend))
    if isinstance(value, dict):
        return result.Success(value)
    return result.Failure(Problem(what="no JSON object", where="PARAMS", mend='write {"name": value, ...}'))


def _known(tool: str, tools: Sequence[EvidenceTool]) -> Result[str, Problem]:
    names = [one.name for one in tools]
    if tool in names:
        return result.Success(tool)
    mend = f"{', '.join(names)} can be called with the sources that are set"
    return result.Failure(Problem(what=f"there is no tool {tool[:80]!r}", where="TOOL", mend=mend))
