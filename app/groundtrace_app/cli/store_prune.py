"""`store prune`: retention. What goes is said, asked for on a terminal, and removed in small transactions."""

import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import StoreError
from groundtrace.problem import Problem
from groundtrace.upkeep import Pruned
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told
from groundtrace_app.cli.printing import counted_words, fail, print_json
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.store_opening import age_before, agreed, moment_of, with_kept_store
from groundtrace_app.cli.store_stats import size_words
from groundtrace_app.cli.timeline import moment_words
from groundtrace_app.clock import SystemClock
from groundtrace_app.trace import store_problem

_ROWS_A_STEP = 1_000
_WORTH_TELLING = 1_000_000
"""So many bytes that are free inside a file are worth a word on how to get them back."""


def prune_command(
    given: Mapping[str, str | None],
    *,
    dry_run: bool,
    yes: bool,
    flags: Flags,
    config: Path | None,
    as_json: bool,
) -> int:
    """Remove what ended before the time that is given."""

    def run(before: datetime) -> int:
        return with_kept_store(
            flags, config, lambda store: _Pruning(store, before, as_json=as_json).run(dry_run=dry_run, yes=yes)
        )

    return _limit(given).map(run).lash(told()).unwrap()


def _limit(given: Mapping[str, str | None]) -> Result[datetime, Problem]:
    age, before = given["older_than"], given["before"]
    if (age is None) == (before is None):
        what = "one of the two says what goes" if age is None else "only one of the two can say what goes"
        return result.Failure(Problem(what=what, where="--older-than, --before", mend="write --older-than 90d"))
    if before is not None:
        return moment_of(before, "--before")
    return age_before(age or "", SystemClock().now(), "--older-than")


class _Pruning:
    """One run over one store."""

    def __init__(self, store: Store, before: datetime, /, *, as_json: bool) -> None:
        self._upkeep = store.upkeep()
        self._before = before
        self._as_json = as_json
        self._sum = Pruned(next="")

    def run(self, *, dry_run: bool, yes: bool) -> int:
        """Ask if there is somebody to ask, remove, and tell."""
        asks = not (dry_run or yes) and sys.stdin is not None and sys.stdin.isatty()
        if dry_run or asks:
            planned = self._steps(dry_run=True)
            if not is_successful(planned):
                return self._failed(planned.failure())
            if dry_run:
                return self._report("Would remove", dry_run=True)
            if self._sum.sessions and not self._agreed():
                return self._declined()
        return self._remove()

    def _declined(self) -> int:
        self._sum = Pruned()
        if self._as_json:
            return self._report("Removed", dry_run=False)
        print("Nothing was removed.")
        return Exit.DONE

    def _remove(self) -> int:
        ended = Exit.DONE
        self._sum = Pruned(next="")
        try:
            done = self._steps(dry_run=False)
        except KeyboardInterrupt:
            ended, done = Exit.INTERRUPTED, result.Success(None)
        if not is_successful(done):
            ended = Exit(self._failed(done.failure()))
            if not self._sum.rows + self._sum.evaluations:
                return ended
        return self._report("Removed", dry_run=False) or ended

    def _steps(self, *, dry_run: bool) -> Result[None, StoreError]:
        words = "old sessions found:" if dry_run else "calls removed:"
        with ProgressLine() as line:
            while self._sum.next is not None:
                step = self._upkeep.prune(self._before, after=self._sum.next, limit=_ROWS_A_STEP, dry_run=dry_run)
                if not is_successful(step):
                    return result.Failure(step.failure())
                self._sum = _added(self._sum, step.unwrap())
                line.count(words, self._sum.sessions if dry_run else self._sum.rows)
        return result.Success(None)

    def _agreed(self) -> bool:
        return agreed(f"{self._what()} would be removed for good.")

    def _what(self) -> str:
        one = self._sum
        calls = counted_words(one.rows, "call", "calls")
        decisions = counted_words(one.evaluations, "decision", "decisions")
        sessions = counted_words(one.sessions, "session", "sessions")
        return f"{sessions} that ended before {moment_words(self._before)}, with {calls} and {decisions},"

    def _report(self, verb: str, *, dry_run: bool) -> int:
        one = self._sum
        numbers = {"sessions": one.sessions, "calls": one.rows, "decisions": one.evaluations}
        if self._as_json:
            print_json({"before": self._before, "dry_run": dry_run, **numbers, "older_calls_kept": one.kept_rows})
            return Exit.DONE
        print(f"{verb} {self._what().rstrip(',')}.")
        if one.kept_rows:
            print(f"{counted_words(one.kept_rows, 'older call stays', 'older calls stay')}: their sessions went on.")
        if one.rows + one.evaluations and not dry_run:
            self._tell_room()
        return Exit.DONE

    def _tell_room(self) -> None:
        """Say where the room is that was taken."""
        held = self._upkeep.stats().value_or(None)
        if held is None:
            return
        if held.free_bytes is None:
            print("The server uses the room again once autovacuum has been there; VACUUM FULL gives it to the disk.")
        elif held.free_bytes >= _WORTH_TELLING:
            room = size_words(held.free_bytes)
            print(f"{room} are free in the file and will be used again; SQLite's VACUUM gives them to the disk.")

    def _failed(self, error: StoreError) -> int:
        return fail(store_problem(error), Exit.UNAVAILABLE)


def _added(one: Pruned, step: Pruned) -> Pruned:
    return Pruned(
        sessions=one.sessions + step.sessions,
        rows=one.rows + step.rows,
        evaluations=one.evaluations + step.evaluations,
        kept_rows=one.kept_rows + step.kept_rows,
        next=step.next,
    )
