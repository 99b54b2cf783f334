"""`store load`: lines that `store export` wrote, from files or standard input, plain or compressed."""

import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import StoreError
from groundtrace.problem import Problem
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags
from groundtrace_app.cli.printing import counted_words, fail, print_json
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.record import LINE_BYTES, lines_of
from groundtrace_app.cli.store_opening import with_kept_store
from groundtrace_app.store_load import Loading, Tally
from groundtrace_app.trace import store_problem

STANDARD_INPUT = "-"
TOLD = 20
"""So many lines that were not loaded are told one by one; the rest is counted."""

_GZIP = b"\x1f\x8b"


def load_command(files: Sequence[str], *, from_line: int, flags: Flags, config: Path | None, as_json: bool) -> int:
    """Load every file, and tell what became of the lines."""
    if from_line > 1 and len(files) > 1:
        return fail(Problem(what="it needs one file alone", where="--from-line", mend="load the files one by one"))
    absent = absent_file(files)
    if absent is not None:
        return fail(absent)

    def work(store: Store) -> int:
        run = LoadRun(store)
        return run.report(run.load(files, from_line=from_line), as_json=as_json)

    return with_kept_store(flags, config, work, makes_file=True)


def absent_file(files: Sequence[str], /) -> Problem | None:
    """Return what is wrong with the first file that cannot be there; None if all may be."""
    missing = next((file for file in files if file != STANDARD_INPUT and not Path(file).exists()), None)
    if STANDARD_INPUT in files and sys.stdin is None:
        return Problem(what="it is closed", where="standard input", mend="name a file")
    if missing is not None:
        return Problem(what="there is no such file", where=missing, mend="name one that `store export` wrote")
    return None


class LoadRun:
    """One run over all files; `where` names the command in what is told.

    A decision of which a file left out what was withheld is missing in a copy, and no fault where it is only `reading`;
    with `stubs` the rest of it is taken, for a store that ends with the command.
    """

    def __init__(self, store: Store, /, *, where: str = "load", reading: bool = False, stubs: bool = False) -> None:
        self._store = store
        self._where, self._reading, self._stubs = where, reading, stubs
        self._sum = Tally()
        self._told: list[Problem] = []
        self._count = 0
        self._not_told = 0

    def load(self, files: Sequence[str], /, *, from_line: int = 1) -> Exit:
        """Load file after file; an unusable store and an interrupt end it, an unreadable file does not."""
        ended = Exit.DONE
        for file in files:
            code = self._load(file, from_line)
            ended = code or ended
            if code in {Exit.UNAVAILABLE, Exit.INTERRUPTED}:
                break
        return ended

    def _load(self, file: str, from_line: int) -> Exit:
        where = "standard input" if file == STANDARD_INPUT else file
        loading = Loading(
            self._store, told=lambda number, problem: self._tell(where, number, problem), stubs=self._stubs
        )
        loading.tally.through = from_line - 1
        ended = Exit.DONE
        try:
            refused = _take_all(loading, file, from_line)
            if refused is not None:
                ended = Exit(fail(store_problem(refused), Exit.UNAVAILABLE))
        except KeyboardInterrupt:
            ended = Exit.INTERRUPTED
        except (EOFError, gzip.BadGzipFile, zlib.error):
            what = "its compressed data ends or breaks in the middle"
            ended = Exit(fail(Problem(what=what, where=where, mend="export it again; what was read is kept")))
        except OSError as broken:
            what = f"it cannot be read ({broken.strerror})"
            ended = Exit(fail(Problem(what=what, where=where, mend="give a file that can be read")))
        return self._settle(loading, where, ended)

    def _settle(self, loading: Loading, where: str, ended: Exit) -> Exit:
        """Store what still waits, unless the store is away, and say where a further run may begin."""
        if ended is not Exit.UNAVAILABLE:
            rest = loading.flush()
            if not is_successful(rest):
                ended = Exit(fail(store_problem(rest.failure()), Exit.UNAVAILABLE))
        # Only now, when no progress line stands in their way.
        for problem in self._told:
            fail(problem)
        self._told = []
        done = loading.tally
        if ended in {Exit.UNAVAILABLE, Exit.INTERRUPTED}:
            mend = f"begin again, or with --from-line {done.through + 1}"
            fail(Problem(what=f"loaded through line {done.through}", where=where, mend=mend))
        self._sum = Tally(
            stored=self._sum.stored + done.stored,
            conflicts=self._sum.conflicts + done.conflicts,
            withheld=self._sum.withheld + done.withheld,
            refused=self._sum.refused + done.refused,
        )
        return ended

    def _tell(self, where: str, number: int, problem: Problem) -> None:
        if self._count == TOLD:
            self._not_told += 1
            return
        self._count += 1
        place = f"{where} line {number}" + (f", {problem.where}" if problem.where else "")
        self._told.append(replace(problem, where=place))

    def report(self, ended: Exit, /, *, as_json: bool) -> int:
        """Print what became of the lines, and return the exit code."""
        one = self._sum
        numbers = {"stored": one.stored, "conflicts": one.conflicts, "withheld": one.withheld, "refused": one.refused}
        if as_json:
            print_json(numbers)
        else:
            print(", ".join(f"{number:,} {word}" for word, number in numbers.items()))
        faults = self.tell_faults()
        return ended or faults

    def tell_faults(self) -> Exit:
        """Say on standard error what was not loaded; return the exit code for it."""
        one = self._sum
        if self._not_told:
            fail(
                Problem(
                    what=f"{counted_words(self._not_told, 'more line was', 'more lines were')} not loaded",
                    where=self._where,
                )
            )
        if one.withheld:
            decisions = counted_words(one.withheld, "decision was", "decisions were")
            what = f"{decisions} not {'read' if self._reading else 'loaded'}: what was withheld is not in the file"
            fail(Problem(what=what, where=self._where, mend="`store export --reveal-withheld` writes it too"))
        missing = 0 if self._reading else one.withheld
        return Exit.SOME_REFUSED if self.not_taken + missing else Exit.DONE

    @property
    def not_taken(self) -> int:
        """Return how many lines were refused, or stand against what the store has."""
        return self._sum.conflicts + self._sum.refused


def _take_all(loading: Loading, file: str, from_line: int) -> StoreError | None:
    """Take line after line; return why the store took no more. Raises OSError, EOFError and zlib.error."""
    with _opened(file) as source, ProgressLine() as line:
        for number, given in lines_of(source):
            line.count("lines read:", number)
            kept = loading.take(number, _text(given)) if number >= from_line else result.Success(None)
            if not is_successful(kept):
                return kept.failure()
    return None


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """Give the lines of a file or of standard input, uncompressed if its first two bytes say that it is gzip."""
    if file == STANDARD_INPUT:
        yield _plain(sys.stdin.buffer)
        return
    with Path(file).open("rb") as held:
        yield _plain(held)


def _plain(held: BinaryIO) -> BinaryIO:
    if isinstance(held, BufferedReader) and held.peek(2)[:2] == _GZIP:
        return BufferedReader(gzip.GzipFile(fileobj=held))
    return held


def _text(line: bytes | None) -> Result[str, Problem]:
    if line is None:
        return result.Failure(Problem(what=f"it is longer than {LINE_BYTES} bytes", mend="export it again"))
    try:
        return result.Success(line.decode("utf-8-sig"))
    except UnicodeDecodeError as broken:
        return result.Failure(Problem(what=f"byte {broken.start + 1} is not UTF-8", mend="write UTF-8"))
