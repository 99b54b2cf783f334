"""`record`: calls from standard input, one JSON object a line. A bad line is named and counted; the rest is kept."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from groundtrace.record_input import RecordInput, parse_record, record_schema
from returns import result
from returns.result import Result

from groundtrace.problem import Problem
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.opening import settings_from, with_trace
from groundtrace_app.cli.printing import fail, print_json
from groundtrace_app.clock import SystemClock
from groundtrace_app.wiring import CLOSE_SECONDS, Trace

LINE_BYTES = 64 * 1024 * 1024
"""The longest line that is read; a longer one is refused and skipped, not held."""

REFUSED_TOLD = 20
"""So many refused lines are told one by one; the rest is counted."""

FLUSH_EVERY = 2_000


@dataclass(slots=True)
class _Count:
    """How the lines fared."""

    recorded: int = 0
    refused: int = 0
    sessions: set[str] = field(default_factory=set)
    spooled: int = 0
    lost: dict[str, str] = field(default_factory=dict)


def record_command(*, flags: Mapping[str, object], config: Path | None, schema: bool, as_json: bool) -> int:
    """Record standard input, tell what was stored, and return 1 if a line was refused, 3 if rows wait in the spool."""
    if schema:
        print_json(record_schema())
        return Exit.DONE
    return (
        settings_from(flags, config)
        .map(lambda settings: with_trace(settings, lambda trace: _record(trace, as_json=as_json), away=True))
        .lash(_failed)
        .unwrap()
    )


def _record(trace: Trace, *, as_json: bool) -> int:
    count = _Count()
    for number, line in _lines(sys.stdin.buffer):
        _record_line(trace, count, number, line)
        if count.recorded % FLUSH_EVERY == 0:
            _flush(trace, count)
    _flush(trace, count)
    return _report(trace, count, as_json=as_json)


def _lines(source: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield numbered lines that are not blank; None in place of one that is too long to hold."""
    number = 0
    while line := source.readline(LINE_BYTES):
        number += 1
        if len(line) == LINE_BYTES and not line.endswith(b"\n"):
            _skip_rest(source)
            yield number, None
        elif line.strip():
            yield number, line


def _skip_rest(source: BinaryIO) -> None:
    while (part := source.readline(LINE_BYTES)) and not part.endswith(b"\n"):
        pass


def _record_line(trace: Trace, count: _Count, number: int, line: bytes | None) -> None:
    """Record one line, or tell why not."""
    parsed = _parsed(line)
    refused = parsed.map(lambda read: _keep(trace, count, read)).swap().value_or(None)
    if refused is None:
        return
    count.refused += 1
    if count.refused <= REFUSED_TOLD:
        fail(replace(refused, where=f"line {number}" + (f", {refused.where}" if refused.where else "")))


def _parsed(line: bytes | None) -> Result[RecordInput, Problem]:
    if line is None:
        return result.Failure(Problem(what=f"the line is longer than {LINE_BYTES} bytes", mend="cut the output first"))
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as broken:
        return result.Failure(Problem(what=f"byte {broken.start + 1} is not UTF-8", mend="write UTF-8"))
    return parse_record(text, fallback_id=SystemClock().new_id())


def _keep(trace: Trace, count: _Count, read: RecordInput) -> None:
    call, outcome, retrieval = read
    row = (
        trace.recorder.record(call, outcome)
        if retrieval is None
        else trace.recorder.record_retrieval(call, retrieval, outcome)
    )
    count.recorded += row is not None
    count.refused += row is None
    count.sessions.add(call.session_id)


def _flush(trace: Trace, count: _Count) -> None:
    """Wait at the barrier for each session touched, so that neither the queue nor the count grows without bound."""
    for session in count.sessions:
        flushed = trace.sink.flush(session, deadline=CLOSE_SECONDS)
        count.spooled += len(flushed.spooled)
        count.lost.update(flushed.lost)
    count.sessions.clear()


def _report(trace: Trace, count: _Count, *, as_json: bool) -> int:
    stored = max(0, count.recorded - count.spooled - len(count.lost))
    numbers = {"stored": stored, "spooled": count.spooled, "refused": count.refused + len(count.lost)}
    if as_json:
        print_json(numbers)
    else:
        print(", ".join(f"{number} {word}" for word, number in numbers.items()))
    if count.refused > REFUSED_TOLD:
        fail(Problem(what=f"{count.refused - REFUSED_TOLD} more lines were refused", where="standard input"))
    for row_id, why in list(count.lost.items())[:REFUSED_TOLD]:
        fail(Problem(what=f"not stored: {why}", where=f"call {row_id}"))
    if count.spooled:
        fail(
            Problem(
                what=f"{count.spooled} calls wait in {trace.spool_folder}",
                where="store",
                mend="they are stored when the store is back and any command records again",
            )
        )
        return Exit.UNAVAILABLE
    return Exit.SOME_REFUSED if numbers["refused"] else Exit.DONE


def _failed(problem: Problem) -> Result[int, Problem]:
    return result.Success(fail(problem))
