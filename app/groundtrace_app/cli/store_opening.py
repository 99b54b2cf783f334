"""A store opened for upkeep that changes it, and the times that its commands are given."""

import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from returns import result
from returns.result import Result

from groundtrace.problem import Problem
from groundtrace_adapters.stores.opening import Address, Store, Technology, file_of, open_store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, told, with_settings
from groundtrace_app.settings import Settings
from groundtrace_app.trace import address_in, store_problem

Span: TypeAlias = tuple[datetime | None, datetime | None]
"""From a time on, and up to another, which is no part of it."""

_AGE = re.compile(r"([0-9]{1,6})\s*([smhdw])")
_UNITS: Mapping[str, timedelta] = MappingProxyType(
    {
        "s": timedelta(seconds=1),
        "m": timedelta(minutes=1),
        "h": timedelta(hours=1),
        "d": timedelta(days=1),
        "w": timedelta(weeks=1),
    }
)


def with_kept_store(
    flags: Flags, config: Path | None, work: Callable[[Store], int], /, *, makes_file: bool = False
) -> int:
    """Run `work` over the store that the settings name, opened for writing; close it behind.

    Unless `makes_file`, a file that is not there is a Problem, not a new store.
    """

    def run(store: Store) -> int:
        try:
            return work(store)
        finally:
            store.close()

    def opened(settings: Settings) -> int:
        store = address_in(settings).bind(lambda address: _lasting(address, makes_file=makes_file))
        ready = store.bind(lambda _: open_store(settings.store).alt(store_problem))
        return ready.map(run).lash(told(Exit.UNAVAILABLE)).unwrap()

    return with_settings(flags, config, opened)


def agreed(what: str, /) -> bool:
    """Say what would go, and tell whether the person at the terminal agrees."""
    print(what, file=sys.stderr)
    print("Remove them? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def moment_of(text: str, where: str, /) -> Result[datetime, Problem]:
    """Return the time that a text names: RFC 3339 with its zone, or a date, which is its first moment in UTC."""
    try:
        if len(text) == len("2026-11-30"):
            return result.Success(datetime.combine(date.fromisoformat(text), time(), UTC))
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() is not None:
            return result.Success(moment.astimezone(UTC))
        what = "this time has no zone"
    except (ValueError, OverflowError):
        what = "this is no time"
    return result.Failure(Problem(what=what, where=where, mend="write 2026-11-30 or 2026-11-30T16:55:00Z"))


def span_of(since: str | None, until: str | None, /) -> Result[Span, Problem]:
    """Return the time from `--since` up to `--until`, open where nothing is given; an empty one is a Problem."""
    read = Result.do((first, end) for first in _optional(since, "--since") for end in _optional(until, "--until"))
    return read.bind(_lasting_span)


def _optional(text: str | None, where: str) -> Result[datetime | None, Problem]:
    if text is None:
        return result.Success(None)
    return moment_of(text, where).map(_or_none)


def _or_none(moment: datetime) -> datetime | None:
    return moment


def _lasting_span(span: Span) -> Result[Span, Problem]:
    first, end = span
    if first is None or end is None or first < end:
        return result.Success(span)
    what = "this is no later than --since, so nothing lies between"
    return result.Failure(Problem(what=what, where="--until", mend="exchange them, or leave one out"))


def age_before(text: str, now: datetime, where: str, /) -> Result[datetime, Problem]:
    """Return the time that lies so long before `now`: `90d`, `12w`, `36h`, `45m`, `10s`."""
    found = _AGE.fullmatch(text.strip())
    mend = "write a whole number and one of s, m, h, d, w: 90d"
    if found is None:
        return result.Failure(Problem(what="this is no age", where=where, mend=mend))
    try:
        return result.Success(now - int(found[1]) * _UNITS[found[2]])
    except OverflowError:
        return result.Failure(Problem(what="this age is longer than the calendar", where=where, mend=mend))


def _lasting(address: Address, *, makes_file: bool) -> Result[Address, Problem]:
    if address.technology is Technology.MEMORY:
        mend = "name the file or server that the calls were recorded in"
        return result.Failure(Problem(what="`memory:` ends with its command", where="store", mend=mend))
    if address.technology is Technology.SQLITE and not makes_file and not file_of(address).exists():
        mend = "name it with --store"
        return result.Failure(Problem(what=f"there is no file {file_of(address)}", where="store", mend=mend))
    return result.Success(address)
