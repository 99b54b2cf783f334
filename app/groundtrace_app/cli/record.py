"""`record`: calls from standard input, one JSON object a line. A bad line is named and counted; the rest is kept."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from returns import result
from returns.result import Result

from groundtrace.ports import Fate
from groundtrace.problem import Problem
from groundtrace.record_input import RecordInput, parse_record, record_schema
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import Flags, with_settings, with_trace
from groundtrace_app.cli.printing import counted_words, fail, print_json
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.streams import told_by_ourselves
from groundtrace_app.cli.tally import Tally
from groundtrace_app.clock import IdMaker, SystemClock
from groundtrace_app.trace import Trace

LINE_BYTES = 64 * 1024 * 1024
"""The longest line that is read; a longer one is refused and skipped, not held."""

REFUSED_TOLD = 20
"""So many refused lines are told one by one; the rest is counted."""

CONFLICT = Fate.ID_CONFLICT.value


def record_command(*, flags: Flags, config: Path | None, schema: bool, as_json: bool) -> int:
    """Record standard input, or print the schema of its lines."""
    if schema:
        print_json(record_schema())
        return Exit.DONE
    if sys.stdin is None:
        return fail(Problem(what="it is closed", where="standard input", mend="give calls, one JSON object a line"))
    return record_lines(sys.stdin.buffer, flags=flags, config=config, as_json=as_json)


def record_lines(source: BinaryIO, /, *, flags: Flags, config: Path | None = None, as_json: bool = False) -> int:
    """Record `source`, tell what was stored, and return 1 if a line was refused, 3 if rows wait in the spool."""

    def record(trace: Trace) -> int:
        with told_by_ourselves():
            return _Recording(trace).run(source, as_json=as_json)

    return with_settings(flags, config, lambda settings: with_trace(settings, record, away=True))


class _Recording:
    """One run over standard input."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._tally = Tally(trace.sink, trace.store)
        self._ids = IdMaker()
        self._unnamed = SystemClock().new_id()
        self._refused = 0

    def run(self, source: BinaryIO, *, as_json: bool) -> int:
        """Record to the end; an interrupt or an unreadable input ends it early, and what was read stays recorded."""
        ended = Exit.DONE
        try:
            self._record_all(source)
        except KeyboardInterrupt:
            ended = Exit.INTERRUPTED
        except OSError as broken:
            what = f"it cannot be read ({broken.strerror})"
            ended = Exit(fail(Problem(what=what, where="standard input", mend="give a file or a pipe")))
        return self._report(ended, as_json=as_json)

    def _record_all(self, source: BinaryIO) -> None:
        with ProgressLine() as line:
            for number, given in lines_of(source):
                self._record_line(number, given)
                line.count("lines read:", number)

    def _record_line(self, number: int, line: bytes | None) -> None:
        refused = _parsed(line, fallback_id=self._unnamed).map(self._named).bind(self._keep).swap().value_or(None)
        if refused is not None:
            self._refused += 1
            if self._refused <= REFUSED_TOLD:
                fail(replace(refused, where=f"line {number}" + (f", {refused.where}" if refused.where else "")))

    def _named(self, read: RecordInput) -> RecordInput:
        """Give a call without an id one of its own time, so that it lies beside the calls of that time."""
        if read.call.id != self._unnamed:
            return read
        return read._replace(call=replace(read.call, id=self._ids.id_at(read.call.started_at)))

    def _keep(self, read: RecordInput) -> Result[None, Problem]:
        recorder = self._trace.recorder
        receipt = (
            recorder.record(read.call, read.outcome)
            if read.retrieval is None
            else recorder.record_retrieval(read.call, read.retrieval, read.outcome)
        )
        if receipt is None:
            return result.Failure(Problem(what="its row could not be made", mend="report it with the line"))
        self._tally.recorded(receipt)
        return result.Success(None)

    def _report(self, ended: Exit, *, as_json: bool) -> int:
        fate = self._tally.settle()
        refused = self._refused + fate.lost
        numbers = {"stored": fate.stored, "spooled": fate.spooled, "refused": refused}
        if as_json:
            print_json(numbers)
        else:
            print(", ".join(f"{number:,} {word}" for word, number in numbers.items()))
        self._tell_refused(fate.told)
        if fate.spooled:
            what = f"in the spool {self._trace.spool_folder} wait {fate.spooled:,} of these calls"
            mend = "the next command that records stores them, once the store is back"
            return ended or fail(Problem(what=what, where="store", mend=mend), Exit.UNAVAILABLE)
        return ended or (Exit.SOME_REFUSED if refused else Exit.DONE)

    def _tell_refused(self, lost: "tuple[tuple[str, str], ...]") -> None:
        if self._refused > REFUSED_TOLD:
            fail(
                Problem(
                    what=f"{counted_words(self._refused - REFUSED_TOLD, 'more line was', 'more lines were')} refused",
                    where="standard input",
                )
            )
        for row_id, why in lost[:REFUSED_TOLD]:
            mend = "its session has another call under this id: give this one another id" if why == CONFLICT else ""
            fail(Problem(what=f"not stored: {why}", where=f"call {row_id}", mend=mend))


def lines_of(source: BinaryIO, /, *, longest: int = LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    """Yield numbered lines that are not blank; None in place of one that is too long to hold."""
    number = 0
    while line := source.readline(longest):
        number += 1
        if len(line) == longest and not line.endswith(b"\n"):
            _skip_rest(source, longest)
            yield number, None
        elif line.strip():
            yield number, line


def _skip_rest(source: BinaryIO, longest: int) -> None:
    while (part := source.readline(longest)) and not part.endswith(b"\n"):
        pass


def _parsed(line: bytes | None, *, fallback_id: str) -> Result[RecordInput, Problem]:
    if line is None:
        return result.Failure(Problem(what=f"it is longer than {LINE_BYTES} bytes", mend="cut the output first"))
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        return result.Failure(Problem(what=f"byte {broken.start + 1} is not UTF-8", mend="write UTF-8"))
    return parse_record(text, fallback_id=fallback_id)
