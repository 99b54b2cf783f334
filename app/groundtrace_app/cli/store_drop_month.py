"""`store drop-month`: one month of a store that is cut by the month, asked for on a terminal and dropped as a whole."""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import StoreError
from groundtrace.problem import Problem
from groundtrace.upkeep import Count, Month
from groundtrace_adapters.stores.opening import MonthlyUpkeep, Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told
from groundtrace_app.cli.printing import fail, print_json
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.store_opening import agreed, with_kept_store
from groundtrace_app.cli.store_stats import count_words
from groundtrace_app.clock import SystemClock
from groundtrace_app.trace import store_problem

_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])", re.ASCII)
_MONTHS_A_YEAR = 12


def drop_month_command(text: str, *, dry_run: bool, yes: bool, flags: Flags, config: Path | None, as_json: bool) -> int:
    """Drop the month that is named."""

    def run(month: datetime) -> int:
        return with_kept_store(
            flags, config, lambda store: _Dropping(store, month, as_json=as_json).run(dry_run=dry_run, yes=yes)
        )

    return _month_of(text, SystemClock().now()).map(run).lash(told()).unwrap()


def _month_of(text: str, now: datetime) -> Result[datetime, Problem]:
    """Return a month's first moment."""
    found = _MONTH.fullmatch(text)
    if found is None or found[1] == "0000":
        return result.Failure(Problem(what="this is no month", where="MONTH", mend="write 2026-01"))
    month = datetime(int(found[1]), int(found[2]), 1, tzinfo=UTC)
    if (month.year, month.month) >= (now.year, now.month):
        mend = "wait for its end, which is counted in UTC"
        return result.Failure(Problem(what="this month is not over", where="MONTH", mend=mend))
    return result.Success(month)


class _Dropping:
    """One run over one store."""

    def __init__(self, store: Store, month: datetime, /, *, as_json: bool) -> None:
        self._upkeep = store.upkeep()
        self._month = month
        self._as_json = as_json

    def run(self, *, dry_run: bool, yes: bool) -> int:
        """Ask if there is somebody to ask, drop, and tell."""
        asks = not (dry_run or yes) and sys.stdin is not None and sys.stdin.isatty()
        if not (dry_run or asks):
            return self._told(self._drop(dry_run=False), "Dropped", dry_run=False)
        planned = self._drop(dry_run=True)
        found = planned.value_or(None)
        if dry_run or found is None or not found.rows.number:
            return self._told(planned, "Would drop", dry_run=dry_run)
        if agreed(f"{_what(found)} would be dropped for good."):
            return self._told(self._drop(dry_run=False), "Dropped", dry_run=False)
        return self._declined(found)

    def _drop(self, *, dry_run: bool) -> Result[Month | None, StoreError]:
        if not isinstance(self._upkeep, MonthlyUpkeep):
            return result.Success(None)
        with ProgressLine() as line:
            line.tell("counting" if dry_run else "dropping")
            return self._upkeep.drop_month(self._month.year, self._month.month, dry_run=dry_run)

    def _told(self, done: Result[Month | None, StoreError], verb: str, *, dry_run: bool) -> int:
        if not is_successful(done):
            return fail(store_problem(done.failure()), Exit.UNAVAILABLE)
        month = done.unwrap()
        if month is None:
            return fail(self._not_cut())
        return self._report(month, f"{verb} {_what(month)}.", dry_run=dry_run)

    def _declined(self, month: Month) -> int:
        return self._report(Month(name=month.name, rows=Count(number=0)), "Nothing was dropped.", dry_run=False)

    def _report(self, month: Month, words: str, *, dry_run: bool) -> int:
        if self._as_json:
            print_json({"month": month.name, "dry_run": dry_run, "calls": month.rows})
        else:
            print(words)
        return Exit.DONE

    def _not_cut(self) -> Problem:
        following = self._month.year * _MONTHS_A_YEAR + self._month.month
        before = f"{following // _MONTHS_A_YEAR:04}-{following % _MONTHS_A_YEAR + 1:02}-01"
        mend = f"`groundtrace store prune --before {before}` removes what is old"
        return Problem(what="this store is not cut by the month", where="store", mend=mend)


def _what(month: Month) -> str:
    noun = "call" if month.rows.number == 1 else "calls"
    return f"{count_words(month.rows)} {noun} of {month.name}"
