"""`ask`: one question, answered as far as the evidence carries it. Progress goes to a terminal's standard error."""

import sys
from collections.abc import Mapping
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.disclosure import public_view
from groundtrace.problem import Problem
from groundtrace_app.chat import Progress, Stage, Turn
from groundtrace_app.cli.exits import EXIT_BY_VERDICT, Exit
from groundtrace_app.cli.opening import settings_from, with_trace
from groundtrace_app.cli.printing import fail, plain, print_json, safe
from groundtrace_app.clock import SystemClock
from groundtrace_app.settings import Settings
from groundtrace_app.wiring import Trace, open_chat, open_model, open_tools

_WORDS = {
    Stage.PLAN: "planning",
    Stage.CALL: "asking",
    Stage.RESULT: "got",
    Stage.DRAFT: "writing the answer",
    Stage.VERIFY: "checking the answer against the evidence",
    Stage.DECIDED: "decided",
}


def ask_command(
    question: str, *, session: str | None, flags: Mapping[str, object], config: Path | None, as_json: bool
) -> int:
    """Ask, print the reply, and return the exit code of its verdict."""
    name = session or SystemClock().new_id()

    def run(settings: Settings) -> int:
        return with_trace(settings, lambda trace: _ask(settings, trace, question, name, as_json=as_json))

    return settings_from(flags, config).map(run).lash(_failed).unwrap()


def _ask(settings: Settings, trace: Trace, question: str, session: str, *, as_json: bool) -> int:
    chat = open_tools(settings).bind(
        lambda tools: open_model(settings).map(lambda model: open_chat(settings, trace, tools, model))
    )
    return (
        chat.bind(lambda service: service.answer_now(question, session_id=session, watch=progress))
        .map(lambda turn: _print_turn(turn, as_json=as_json))
        .lash(_failed)
        .unwrap()
    )


def progress(step: Progress, /) -> None:
    """Tell a terminal where the turn is; a pipe hears nothing."""
    if sys.stderr.isatty():
        print(f"  {_WORDS[step.stage]} {safe(step.detail)}".rstrip(), file=sys.stderr)


def _print_turn(turn: Turn, *, as_json: bool) -> int:
    if as_json:
        print_json(turn_view(turn))
    else:
        print(safe_lines(turn.text))
        print(f"\nSession {turn.session_id}: `groundtrace show {turn.session_id}` lists what this rests on.")
    return EXIT_BY_VERDICT[turn.decision.verdict] if turn.decision else Exit.DONE


def turn_view(turn: Turn, /) -> dict[str, object]:
    """Return a turn for programs: what the user saw, and the public part of its record."""
    return {
        "session_id": turn.session_id,
        "turn_id": turn.turn_id,
        "text": turn.text,
        "decision": plain(turn.decision) if turn.decision else None,
        "reply": plain(turn.reply) if turn.reply else None,
        "evaluation": public_view(turn.evaluation, reveal=False) if turn.evaluation else None,
    }


def safe_lines(text: str, /) -> str:
    """Return text of several lines with control characters shown."""
    return "\n".join(safe(line) for line in text.split("\n"))


def _failed(problem: Problem) -> Result[int, Problem]:
    return result.Success(fail(problem))
