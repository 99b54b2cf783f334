"""`store stats`: what a store holds and how much room it takes; an estimate is never shown as a count."""

from collections.abc import Iterator
from pathlib import Path

from groundtrace.upkeep import Certainty, Count, StoreStats
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, with_store
from groundtrace_app.cli.printing import paint, print_json
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.reading import code_of, print_lines
from groundtrace_app.cli.timeline import moment_words

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1_000


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
    yield _line("calls", _words(told.rows))
    for word, count in told.outcomes.items():
        yield _line(f"  {word}", _words(count))
    yield _line("sessions", _words(told.sessions))
    yield _line("decisions", _words(told.evaluations))
    estimated = told.rows.certainty is Certainty.ESTIMATE
    if told.first_at is not None and told.last_at is not None:
        first, last = moment_words(told.first_at), moment_words(told.last_at)
        yield _line("times", f"{first} to {last}" + (", as far as was looked" if estimated else ""))
    if told.bytes is not None:
        free = f", {size_words(told.free_bytes)} of it free" if told.free_bytes is not None else ""
        yield _line("room", f"{size_words(told.bytes)}{free}")
    yield _line("schema", f"version {told.version} ({told.step})")
    if estimated:
        yield "Numbers marked `about` are estimates; --exact counts."


def _line(name: str, value: str) -> str:
    return f"{paint(f'{name:<14}', 'head')}{value}"


def _words(count: Count) -> str:
    about = "about " if count.certainty is Certainty.ESTIMATE else ""
    return f"{about}{count.number:,}"
