"""`explain`: why each decision of a session fell as it did. Nothing that was withheld is printed unasked."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from returns.result import Result

from groundtrace.disclosure import must_hide
from groundtrace.entries import EvidenceEntry
from groundtrace.evaluation import Evaluation
from groundtrace.explanation import explain
from groundtrace.ports import StoreError
from groundtrace.problem import Problem
from groundtrace.wording import one_line
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, with_store
from groundtrace_app.cli.options import command_words, place_words
from groundtrace_app.cli.printing import counted_words, fail, fit, paint, print_json, safe, width, wrapped
from groundtrace_app.cli.reading import code_of, print_lines, quoted, unknown
from groundtrace_app.cli.timeline import LINES_EACH, moment_words
from groundtrace_app.cli.views import evaluation_view


def explain_command(
    session: str, *, turn: str | None, flags: Flags, config: Path | None, reveal: bool, as_json: bool
) -> int:
    """Explain the decisions of a session, or of one of its turns."""

    def work(store: Store) -> int:
        return code_of(store.evaluations(session).bind(lambda kept: explained(store, kept)))

    def explained(store: Store, kept: Sequence[Evaluation]) -> Result[int, StoreError]:
        wanted = [one for one in kept if turn in {None, one.turn_id}]
        if wanted:
            return Result.from_value(_explain(wanted, reveal, as_json))
        if turn is not None:
            return Result.from_value(_unknown_turn(session, turn))
        command = command_words("show", place_words(flags, config), session)
        return store.entries(session).map(lambda entries: _undecided(session, entries, command, as_json=as_json))

    return with_store(flags, config, work)


def _undecided(session: str, entries: Sequence[EvidenceEntry], command: str, *, as_json: bool) -> int:
    """Say that a session holds calls alone, as `record` and `call` leave them: no fault, and nothing to explain."""
    if not entries:
        return unknown(session)
    if as_json:
        print_json([])
    else:
        calls = counted_words(sum(one.calls for one in entries), "call", "calls")
        print(f"Session {safe(session)} holds {calls} and no decision to explain: see `{safe(command)}`")
    return Exit.DONE


def _explain(kept: Sequence[Evaluation], reveal: bool, as_json: bool) -> int:
    if as_json:
        print_json([{**evaluation_view(one, reveal=reveal), "rules": explain(one)} for one in kept])
        return Exit.DONE
    for place, one in enumerate(kept):
        print_lines(_explanation(one, width(), first=not place))
        if reveal and must_hide(one):
            print(quoted("withheld answer", one.answer or "(none)"))
            print(quoted("verifier's reasons", "\n".join(one.reasons) or "(none)"))
    return Exit.DONE


def _explanation(one: Evaluation, columns: int, *, first: bool) -> Iterable[str]:
    if not first:
        yield ""
    yield paint(fit(f"{moment_words(one.created_at)}  turn {safe(one.turn_id)}", columns), "head")
    yield wrapped(safe(one_line(one.question, columns * 6)), columns, indent=2, hang=2)
    for number, rule in enumerate(explain(one), start=1):
        yield wrapped(safe(f"{number}. {rule}"), columns, indent=2, hang=3)
    if one.reasons and not must_hide(one):
        yield "  The verifier's own words:"
        for reason in one.reasons:
            yield wrapped(safe(f"- {one_line(reason, columns * LINES_EACH)}"), columns, indent=2, hang=2)


def _unknown_turn(session: str, turn: str) -> int:
    what = f"session {one_line(session, 200)!r} has no decision for turn {one_line(turn, 60)!r}"
    return fail(Problem(what=what, where="--turn", mend="see `groundtrace show` for its turns"))
