"""`import`: transcripts that other agents left, into the trace. What of a broken file is good is kept."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import Receipt
from groundtrace.problem import Problem
from groundtrace.transcripts.events import Format
from groundtrace.transcripts.formats import FORMATS, format_named
from groundtrace.transcripts.timing import UNDATED
from groundtrace_adapters.transcripts.archives import is_archive
from groundtrace_adapters.transcripts.files import TranscriptFile, file_at
from groundtrace_adapters.transcripts.folders import files_at
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.import_outcome import Outcome
from groundtrace_app.cli.import_report import tell
from groundtrace_app.cli.opening import Flags, untold, with_settings, with_trace
from groundtrace_app.cli.printing import fail
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.store_opening import moment_of
from groundtrace_app.cli.streams import told_by_ourselves
from groundtrace_app.cli.tally import Tally
from groundtrace_app.importing import TranscriptImport, Wishes
from groundtrace_app.trace import Trace

STANDARD_INPUT = "-"
AUTO = "auto"
_PART = 1024 * 1024


def import_command(
    paths: Sequence[str],
    *,
    format_name: str,
    session: str | None,
    at: str | None,
    dry_run: bool,
    flags: Flags,
    config: Path | None,
    as_json: bool,
) -> int:
    """Import every path, tell what each held, and return the exit code of the worst."""
    wishes = Result.do(
        Wishes(format=form, session=session, undated=undated)
        for form in format_asked(format_name)
        for undated in _undated(at)
    )
    ready = wishes.bind(lambda read: present(paths).map(lambda _: read))
    if not is_successful(ready):
        return fail(ready.failure())
    asked = ready.unwrap()
    if dry_run:
        return tell(read_into(None, paths, asked), as_json=as_json)
    # Calls of long ago are no news for whoever watches live.
    return with_settings(
        flags,
        config,
        lambda settings: with_trace(
            untold(settings), lambda trace: tell(read_into(trace, paths, asked), as_json=as_json), away=True
        ),
    )


def read_into(trace: Trace | None, paths: Sequence[str], wishes: Wishes, /) -> Outcome:
    """Import every path into a trace, or only look; what was read before an interrupt is kept."""
    outcome = Outcome()
    with told_by_ourselves():
        tally = None if trace is None else Tally(trace.sink, trace.store)
        recorded: Callable[[Receipt], None] = (lambda _: None) if tally is None else tally.recorded
        importing = TranscriptImport(trace, wishes, recorded=recorded)
        try:
            with ProgressLine() as line:
                _read_all(importing, paths, outcome, line)
        except KeyboardInterrupt:
            outcome.ended = Exit.INTERRUPTED
        importing.end()
        outcome.rows = None if tally is None else tally.settle()
        outcome.evaluations = importing.keeping
        outcome.not_made = importing.not_made
    return outcome


def _read_all(importing: TranscriptImport, paths: Sequence[str], outcome: Outcome, line: ProgressLine) -> None:
    for file in _files_of(paths, outcome):
        try:
            outcome.read(importing.take(file, watch=partial(line.count, f"{file.shown}:")))
        except OSError as broken:
            outcome.broken(file.shown, broken)


def _files_of(paths: Sequence[str], outcome: Outcome) -> Iterator[TranscriptFile]:
    """Yield every file that the paths mean; one that cannot be read is told to `outcome`."""
    for path in paths:
        outcome.in_folder = path != STANDARD_INPUT and (Path(path).is_dir() or is_archive(Path(path)))
        try:
            if path == STANDARD_INPUT:
                with tempfile.TemporaryDirectory() as folder:
                    yield _standard_input(Path(folder) / "input")
            else:
                yield from files_at(Path(path))
        except OSError as broken:
            outcome.broken(path, broken)


def _standard_input(held: Path) -> TranscriptFile:
    """Copy standard input to disk, so that it can be opened again as a file can."""
    with held.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy, _PART)
    return replace(file_at(held, shown="standard input"), stem="stdin", folder="")


def format_asked(name: str, /) -> Result[Format | None, Problem]:
    """Return the format that `--format` names, None for `auto`."""
    found = format_named(name)
    if found is not None or name == AUTO:
        return result.Success(found)
    known = ", ".join(one.name for one in FORMATS)
    return result.Failure(
        Problem(what=f"unknown format {name!r}", where="--format", mend=f"write auto, or one of {known}")
    )


def _undated(text: str | None) -> Result[datetime, Problem]:
    return result.Success(UNDATED) if text is None else moment_of(text, "--at")


def present(paths: Sequence[str], /) -> Result[None, Problem]:
    """Return a Problem for the first path that means no file and no folder."""
    for path in paths:
        missing = path != STANDARD_INPUT
        with suppress(OSError, ValueError):
            missing = missing and not Path(path).exists()
        if missing:
            return result.Failure(
                Problem(what="there is no such file or folder", where=path, mend="name one that is there")
            )
        if path == STANDARD_INPUT and sys.stdin is None:
            return result.Failure(Problem(what="it is closed", where="standard input", mend="name a file"))
    return result.Success(None)
