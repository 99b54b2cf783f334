"""`store stats`: what a store holds and how much room it takes; an estimate is never shown as a count."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from groundtrace.upkeep import Certainty, Count, Month, StoreStats
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, with_store
from groundtrace_app.cli.printing import paint, print_json
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.reading import code_of, print_lines
from groundtrace_app.cli.timeline import moment_words

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1_000

MONTHS_TOLD = 24
"""So many months are told one by one; a program gets them all."""


def stats_command(*, flags: Flags, config: Path | None, exact: bool, as_json: bool) -> int:
    """Print the figures of a store."""

    def work(store: Store) -> int:
        with ProgressLine() as line:
            line.tell("counting")
            read = store.upkeep().stats(exact=exact)
        return code_of(read.map(lambda told: _print(told, as_json=as_json)))

    return with_store(flags, config, work)


def size_words(size: int, /) -> str:
    """Return a number of bytes for people: `812 bytes`, `1.4 GB` (powers of 1,000)."""
    value, unit = float(size), 0
    while value >= _STEP and unit < len(_UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit else f"{size} {_UNITS[0]}"


def _print(told: StoreStats, *, as_json: bool) -> int:
    if as_json:
        print_json(told)
    else:
        print_lines(_lines(told))
    return Exit.DONE


def _lines(told: StoreStats) -> Iterator[str]:
    yield _line("calls", count_words(told.rows))
    for word, count in told.outcomes.items():
        yield _line(f"  {word}", count_words(count))
    yield _line("sessions", count_words(told.sessions))
    yield _line("decisions", count_words(told.evaluations))
    estimated = told.rows.certainty is Certainty.ESTIMATE
    if told.first_at is not None and told.last_at is not None:
        first, last = moment_words(told.first_at), moment_words(told.last_at)
        yield _line("times", f"{first} to {last}" + (", as far as was looked" if estimated else ""))
    if told.bytes is not None:
        free = f", {size_words(told.free_bytes)} of it free" if told.free_bytes is not None else ""
        yield _line("room", f"{size_words(told.bytes)}{free}")
    yield from _months(told.months)
    if told.servers:
        yield _line("servers", f"{len(told.servers)}, and all of them answer")
    yield _line("schema", f"version {told.version} ({told.step})")
    if estimated or any(month.rows.certainty is Certainty.ESTIMATE for month in told.months):
        yield "Numbers marked `about` are estimates; --exact counts."


def _months(months: Sequence[Month]) -> Iterator[str]:
    """Tell which months there are, and how many calls the latest hold."""
    if not months:
        return
    yield _line("months", months_words(months))
    shown = [month for month in months if month.rows.number]
    for month in shown[-MONTHS_TOLD:]:
        yield _line(f"  {month.name}", count_words(month.rows))
    if len(shown) > MONTHS_TOLD:
        yield _line("", f"and {len(shown) - MONTHS_TOLD} earlier; --json tells them all")


def months_words(months: Sequence[Month], /) -> str:
    """Return how many months a store is cut into, and which: `13, 2025-01 to 2026-01`."""
    names = [month.name for month in months if month.name[0].isdigit()]
    return f"{len(names)}, {names[0]} to {names[-1]}" if names else "none yet"


def _line(name: str, value: str) -> str:
    return f"{paint(f'{name:<14}', 'head')}{value}"


def count_words(count: Count, /) -> str:
    """Return a number of records: `1,200`, `about 87,000`."""
    about = "about " if count.certainty is Certainty.ESTIMATE else ""
    return f"{about}{count.number:,}"
