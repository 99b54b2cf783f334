"""What can never be stored, kept for a person to look at: lines that do not read back, rows that the store refuses."""

import os
from collections.abc import Iterable
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.invocation import Invocation
from groundtrace.problem import Problem
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_adapters.sinks.reports import Losses
from groundtrace_adapters.sinks.spool_lines import UNWRITABLE, line_of
from groundtrace_adapters.sinks.spool_segment import make_folder, opened_plain, sync_folder, write_all

FILE_NAME = "set-aside.jsonl"
MOST_BYTES = 16 * 1024 * 1024

_log = CarefulLog("groundtrace.sink")


class SetAside:
    """One bounded file in the spool's folder; never replayed, never removed by us."""

    def __init__(self, folder: Path, /, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep at most `most_bytes` in `folder`."""
        self.path = folder / FILE_NAME
        self._most = most_bytes

    def keep(self, lines: Iterable[bytes], /) -> Result[None, Problem]:
        """Append lines, each ended by one line feed, and fsync them."""
        block = b"".join(line.rstrip(b"\n") + b"\n" for line in lines)
        try:
            make_folder(self.path.parent)
            return self._append(block)
        except OSError as refused:
            return result.Failure(disk_problem(refused, self.path))

    def _append(self, block: bytes) -> Result[None, Problem]:
        is_new = not self.path.exists()
        with opened_plain(self.path) as descriptor:
            if os.fstat(descriptor).st_size + len(block) > self._most:
                return result.Failure(full_problem(self.path, self._most, mend="look at it and move it away"))
            write_all(descriptor, block)
        if is_new:
            sync_folder(self.path.parent)
        return result.Success(None)


def disk_problem(refused: OSError, path: Path, /) -> Problem:
    """Return the problem of a disk that does not take or give what it should."""
    why = refused.strerror or type(refused).__name__
    return Problem(what=f"cannot be used ({why})", where=str(path), mend="make room there, or give the rights to write")


def full_problem(path: Path, most_bytes: int, /, *, mend: str) -> Problem:
    """Return the problem of a place that has reached its bound."""
    return Problem(what=f"would hold more than its {most_bytes} bytes", where=str(path), mend=mend)


def give_up_on(row: Invocation, why: str, /, *, aside: SetAside | None, losses: Losses) -> None:
    """Report a row that the store refuses for good, and set it aside where there is a place for it."""
    losses.tell([row], why)
    if aside is not None:
        _keep(row, aside).alt(lambda problem: _log.error("a refused row could not be set aside: %s", problem.line()))


def _keep(row: Invocation, aside: SetAside) -> Result[None, Problem]:
    try:
        return aside.keep([line_of(row)])
    except UNWRITABLE as fault:
        what = f"it cannot be written as a line ({type(fault).__name__})"
        return result.Failure(Problem(what=what, where=str(aside.path)))
