"""Several processes that write one store at once, each from several threads and tasks, and end in good order."""

from __future__ import annotations

from pathlib import Path

from groundtrace_testing.durability.tally import Tally, settled
from groundtrace_testing.durability.writers import told_by, writers

THREADS, TASKS = 4, 4


def many_writers(
    address: str, spool: Path, /, *, processes: int, rows: int, closed: bool = True
) -> tuple[Tally, float, str]:
    """Let each process record `rows` rows a thread and task, as fast as it can; return what they logged too.

    Without `closed` they leave it to the end of the interpreter to store what is held.
    """
    ending = () if closed else ("--unclosed",)
    options = ("--threads", str(THREADS), "--tasks", str(TASKS), "--rows", str(rows), *ending)
    with writers([options] * processes, store=address, spool=spool, prefix="many-") as started:
        for one in started:
            one.end()
        logged = "".join(one.log() for one in started)
    return settled(address, spool, told_by(started)), max(one.slowest_put for one in started), logged
