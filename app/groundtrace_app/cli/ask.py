"""`ask`: one question, answered as far as the evidence carries it. Progress goes to a terminal's standard error."""

import os
from collections.abc import Sequence
from pathlib import Path

from returns.result import Result

from groundtrace.ports import LanguageModel
from groundtrace.problem import Problem
from groundtrace.verdict import Verdict
from groundtrace_app.chat import Turn
from groundtrace_app.chat.service import refusal
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told, with_settings, with_trace
from groundtrace_app.cli.options import command_words, options_for, place_words
from groundtrace_app.cli.printing import counted_words, fail, for_reading, plain, print_json, safe, safe_lines
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.streams import told_by_ourselves
from groundtrace_app.cli.views import evaluation_view
from groundtrace_app.clock import SystemClock
from groundtrace_app.settings import Settings
from groundtrace_app.tools.answer import EvidenceTool
from groundtrace_app.trace import Trace
from groundtrace_app.wiring import open_chat, open_model, open_tools

__all__ = ["ask_command", "print_turn", "safe_lines", "turn_view"]

EXIT_BY_VERDICT = {
    Verdict.PASS: Exit.DONE,
    Verdict.LOW_CONFID: Exit.LOW_CONFID,
    Verdict.REJECT: Exit.REJECT,
}

LOOK_SECONDS = 1.0
"""The turn itself has waited for the store as long as its rules allow; this is one more look."""

MEMORY = "memory:"
"""The store that ends with its command: there is nothing to show afterwards."""


def ask_command(question: str, *, session: str | None, flags: Flags, config: Path | None, as_json: bool) -> int:
    """Ask, print the reply, and return the exit code of its verdict."""
    name = SystemClock().new_id() if session is None else session
    options, place = options_for(flags, config, name), place_words(flags, config)

    def run(settings: Settings) -> int:
        # Sources and model first: what they lack is said before a store is made.
        warn_of_missing(settings)
        parts = Result.do((tools, model) for tools in open_tools(settings) for model in open_model(settings))
        return parts.map(lambda both: over_trace(settings, *both)).lash(told()).unwrap()

    def over_trace(settings: Settings, tools: Sequence[EvidenceTool], model: LanguageModel) -> int:
        def ask(trace: Trace) -> int:
            chat = open_chat(settings, trace, tools, model, options=options)
            with ProgressLine() as line:
                answered = chat.answer_now(question, session_id=name, watch=line.step)
            return answered.map(lambda turn: tell(trace, turn)).lash(told()).unwrap()

        def tell(trace: Trace, turn: Turn) -> int:
            code = print_turn(turn, place, as_json=as_json)
            tell_waiting(trace, turn)
            return code

        with told_by_ourselves():
            return with_trace(settings, ask, away=True)

    refused = refusal(question, name)
    return with_settings(flags, config, run) if refused is None else fail(refused)


def warn_of_missing(settings: Settings, /) -> None:
    """Name each source that is not there: the turn records that it failed, and goes on without it."""
    knowledge = () if settings.knowledge is None else (settings.knowledge,)
    given = {"knowledge": knowledge, "logs": settings.logs, "metrics": settings.metrics}
    for name, places in given.items():
        for place in places:
            if not os.path.lexists(place):
                mend = "correct the path; the answer is made without it"
                fail(Problem(what=f"there is no file or folder {place}", where=name, mend=mend))


def tell_waiting(trace: Trace, turn: Turn, /) -> None:
    """Say in one line each what of a turn waits for the store and what is lost; nothing where all of it is stored."""
    flushed = trace.sink.flush(turn.session_id, deadline=LOOK_SECONDS)
    calls, lost = len(flushed.spooled), len(flushed.lost)
    undecided = turn.decision is not None and turn.evaluation is None
    evaluations = int(undecided and trace.evaluations is not None and trace.evaluations.waiting() > 0)
    counted = ((calls, "call", "calls"), (evaluations, "evaluation", "evaluations"))
    waiting = " and ".join(counted_words(*one) for one in counted if one[0])
    if waiting:
        why = trace.store.check().swap().map(lambda error: f" ({error.message.partition('; ')[0]})").value_or("")
        what = f"in {trace.spool_folder} is kept until the store takes it: {waiting} of this turn{why}"
        fail(Problem(what=what, where="store", mend="the next command that records stores that"))
    if lost:
        why = next(iter(flushed.lost.values()))
        what = f"neither stored nor spooled is {counted_words(lost, 'call', 'calls')} of this turn: {why}"
        fail(Problem(what=what, where="store", mend="see `groundtrace doctor`"))


def print_turn(turn: Turn, place: Sequence[str], /, *, as_json: bool) -> int:
    """Print how a turn ended, and return the exit code of its verdict; `place` are the words that name the trace."""
    if as_json:
        print_json(turn_view(turn))
    else:
        print(for_reading(turn.text))
        if turn.decision is not None and MEMORY not in place:
            command = command_words("show", place, turn.session_id)
            print(f"\nSession {safe(turn.session_id)}: see `{safe(command)}`")
    return EXIT_BY_VERDICT[turn.decision.verdict] if turn.decision else Exit.DONE


def turn_view(turn: Turn, /) -> dict[str, object]:
    """Return a turn for programs: what the user saw, and the public part of its record."""
    return {
        "session_id": turn.session_id,
        "turn_id": turn.turn_id,
        "text": turn.text,
        "decision": plain(turn.decision) if turn.decision else None,
        "reply": plain(turn.reply) if turn.reply else None,
        "evaluation": evaluation_view(turn.evaluation, reveal=False) if turn.evaluation else None,
    }
