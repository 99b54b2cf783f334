"""Several processes that write one store at once, each from several threads and tasks, and end in good order."""

from __future__ import annotations

from pathlib import Path

from groundtrace_testing.durability.tally import Tally, settled
from groundtrace_testing.durability.writers import Writer, told_by, writers

THREADS, TASKS = 4, 4


def many_writers(address: str, spool: Path, /, *, processes: int, rows: int) -> tuple[Tally, float, str]:
    """Let each process record `rows` rows a thread and task, as fast as it can; return what they logged too.

    Every second one leaves it to the end of its interpreter to store what is held.
    """
    pace = ("--threads", str(THREADS), "--tasks", str(TASKS), "--rows", str(rows))
    options = [(*pace, "--unclosed") if number % 2 else pace for number in range(processes)]
    with writers(options, store=address, spool=spool, prefix="many-") as started:
        for one in started:
            one.end()
        logged = "".join(one.log() for one in started)
    return settled(address, spool, told_by(started)), max(one.slowest_put for one in started), logged


def forked_writers(address: str, spool: Path, /, *, children: int) -> tuple[Tally, int]:
    """Fork several times in the middle of a load, and return how many sessions were written."""
    options = ("--children", str(children))
    parent = Writer(store=address, spool=spool, name="forked", options=options, module="forks")
    try:
        parent.end()
    finally:
        parent.close()
    return settled(address, spool, parent.told), len({line[1] for line in parent.told})
