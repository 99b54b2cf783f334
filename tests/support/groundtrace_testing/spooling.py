"""What a next start finds in a spool, and programs that write one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from groundtrace.invocation import Invocation
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_testing.command import environment


def replayed(folder: Path, /, *, limit: int = 2) -> list[Invocation]:
    """Replay all that a next start finds, to its end."""
    spool = Spool(folder)
    rows = [row for batch in iter(lambda: spool.next_batch(limit), ()) for row in batch]
    spool.close(seconds=1)
    return rows


def segments(folder: Path, /) -> list[Path]:
    return sorted(folder.glob("rows-*.jsonl"))


def script(folder: Path, body: str, /) -> str:
    """A program with a `spool` over the folder and two hundred `rows`."""
    lines = body.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return f"""
import os
from pathlib import Path
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_testing.records import a_row
spool = Spool(Path({str(folder)!r}))
rows = [a_row(id=str(number)) for number in range(200)]
""" + "\n".join(line[indent:] for line in lines)


def run(folder: Path, body: str, /) -> list[str]:
    """Run such a program and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script(folder, body)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
