"""`replay`: every decision made again under today's rules, and each that would fall otherwise; nothing withheld."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.decision import PassNeeds
from groundtrace.problem import Problem
from groundtrace.replaying import Replayed
from groundtrace.upkeep import Selection
from groundtrace.wording import one_line
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told, with_store
from groundtrace_app.cli.printing import counted_words, fail, paint, print_json, safe, width, wrapped
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.store_load import LoadRun, absent_file
from groundtrace_app.cli.store_opening import Span, span_of
from groundtrace_app.cli.timeline import COLOURS
from groundtrace_app.replaying import replayed
from groundtrace_app.trace import store_problem

LISTED = 1_000
"""So many changed decisions are listed one by one; the rest is counted."""


@dataclass(slots=True, kw_only=True)
class _Report:
    """What came of it; `changed` are the first decisions that would fall otherwise."""

    decided: int = 0
    changed_count: int = 0
    changed: list[Replayed] = field(default_factory=list)
    reread: int = 0
    missing: int = 0
    unreadable: list[str] = field(default_factory=list)
    unreadable_count: int = 0


def replay_command(
    files: Sequence[str],
    *,
    pass_needs: str | None,
    since: str | None,
    until: str | None,
    fail_on_change: bool,
    flags: Flags,
    config: Path | None,
    as_json: bool,
) -> int:
    """Decide again from a store, or from files that `store export` wrote."""
    if files and flags.get("store") is not None:
        return fail(Problem(what="files and a store are given", where="replay", mend="name the files or --store"))

    def over(needs: PassNeeds | None, span: Span) -> int:
        def work(store: Store) -> int:
            return _run(store, span, needs, fail_on_change=fail_on_change, as_json=as_json)

        return _with_files(files, work) if files else with_store(flags, config, work)

    chosen = Result.do(over(needs, span) for needs in _needs(pass_needs) for span in span_of(since, until))
    return chosen.lash(told()).unwrap()


def _needs(word: str | None) -> Result[PassNeeds | None, Problem]:
    if word is None:
        return result.Success(None)
    if word in list(PassNeeds):
        return result.Success(PassNeeds(word))
    what = f"{one_line(word, 40)!r} is no setting"
    return result.Failure(Problem(what=what, where="--pass-needs", mend="say any, or direct"))


def _with_files(files: Sequence[str], work: Callable[[Store], int]) -> int:
    """Load the files into a store of their own, which ends with the command, and work on that."""
    absent = absent_file(files)
    if absent is not None:
        return fail(absent)
    with tempfile.TemporaryDirectory(prefix="groundtrace-replay-") as folder:
        return (
            open_store(str(Path(folder, "replay.db")))
            .alt(store_problem)
            .map(lambda store: _loaded(store, files, work))
            .lash(told(Exit.UNAVAILABLE))
            .unwrap()
        )


def _loaded(store: Store, files: Sequence[str], work: Callable[[Store], int]) -> int:
    try:
        run = LoadRun(store, where="replay", reading=True)
        ended = run.load(files)
        code = ended if ended is Exit.INTERRUPTED else work(store)
        faults = run.tell_faults()
        return code or ended or faults
    finally:
        store.close()


def _run(store: Store, span: Span, needs: PassNeeds | None, *, fail_on_change: bool, as_json: bool) -> int:
    report = _Report()
    chosen = Selection(since=span[0], until=span[1])
    with ProgressLine() as line:
        for page in replayed(store, chosen, pass_needs=needs):
            if not is_successful(page):
                return fail(store_problem(page.failure()), Exit.UNAVAILABLE)
            for one in page.unwrap().decisions:
                _count(report, one)
            unread = page.unwrap().unreadable
            report.unreadable_count += len(unread)
            report.unreadable.extend(unread[: LISTED - len(report.unreadable)])
            line.count("decisions read:", report.decided)
    _print_json(report) if as_json else _print(report)
    for line_told in report.unreadable:
        fail(Problem(what=one_line(line_told, 500), where="replay"))
    return Exit.SOME_REFUSED if report.unreadable_count or (fail_on_change and report.changed_count) else Exit.DONE


def _count(report: _Report, one: Replayed) -> None:
    report.decided += 1
    report.reread += one.reread
    report.missing += bool(one.missing)
    if one.changed:
        report.changed_count += 1
        if len(report.changed) < LISTED:
            report.changed.append(one)


def _print_json(report: _Report) -> None:
    print_json(
        {
            "decided": report.decided,
            "changed": report.changed_count,
            "read_again": report.reread,
            "with_missing_calls": report.missing,
            "unreadable": report.unreadable_count,
            "changes": [_view(one) for one in report.changed],
        }
    )


def _view(one: Replayed) -> dict[str, object]:
    told = {name: value for name, value in asdict(one).items() if name in {"session_id", "turn_id", "id", "rules"}}
    then = {"verdict": one.verdict, "cause": one.cause}
    return {**told, "then": then, "now": {"verdict": one.now.verdict, "cause": one.now.cause}}


def _print(report: _Report) -> None:
    columns = width()
    for one in report.changed:
        then = paint(one.verdict, COLOURS.get(one.verdict, ""))
        now = paint(one.now.verdict, COLOURS.get(one.now.verdict, ""))
        print(f"{then} ({one.cause}) -> {now} ({one.now.cause})  {safe(one.session_id)}  turn {safe(one.turn_id)}")
        for rule in one.rules:
            print(wrapped(safe(f"because {rule}"), columns, indent=2, hang=2))
    if report.changed_count > len(report.changed):
        print(f"... and {report.changed_count - len(report.changed):,} more")
    if not report.decided:
        print("No decision could be read." if report.unreadable_count else "No decision is recorded here.")
        return
    decided = counted_words(report.decided, "decision", "decisions")
    print(f"{decided} made again under today's rules: {report.changed_count:,} would fall otherwise.")
    if report.reread < report.decided:
        kept = counted_words(report.decided - report.reread, "decision", "decisions")
        print(f"{kept} had no verifier's text that is kept whole; how it was read then stands for it.")
    if report.missing:
        gone = counted_words(report.missing, "decision rests", "decisions rest")
        print(f"{gone} on calls that are not here; their record stands for them.")
