"""Where an audit finds its sessions: a store, or transcripts and exports taken into one that ends with the command."""

import gzip
import json
import tempfile
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from groundtrace.ports import Receipt
from groundtrace.problem import Problem
from groundtrace.transcripts.events import Format
from groundtrace.upkeep import RecordKind
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.import_outcome import Outcome
from groundtrace_app.cli.import_report import tell_problems
from groundtrace_app.cli.import_transcripts import files_of, present
from groundtrace_app.cli.opening import told
from groundtrace_app.cli.printing import fail
from groundtrace_app.cli.progress import ProgressLine
from groundtrace_app.cli.store_load import LoadRun
from groundtrace_app.cli.streams import told_by_ourselves
from groundtrace_app.cli.tally import Tally
from groundtrace_app.importing import TranscriptImport, Wishes
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace, open_trace

_SQLITE = b"SQLite format 3\x00"
_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 1024 * 1024


def with_paths(paths: Sequence[str], form: Format | None, work: Callable[[Store], int], /) -> int:
    """Take the paths into a store of their own, tell what could not be read, and work on that store.

    Where nothing at all could be read there is nothing to work on.
    """
    absent = present(paths).swap().value_or(None) or next(filter(None, map(_store_file, paths)), None)
    if absent is not None:
        return fail(absent)
    with tempfile.TemporaryDirectory(prefix="groundtrace-audit-") as folder:
        opened = open_trace(Settings(store=str(Path(folder, "audit.db"))))
        return opened.map(lambda trace: _over(trace, paths, form, work)).lash(told(Exit.UNAVAILABLE)).unwrap()


def _over(trace: Trace, paths: Sequence[str], form: Format | None, work: Callable[[Store], int]) -> int:
    try:
        read = _read(trace, paths, form)
        if read in {Exit.BAD_INPUT, Exit.UNAVAILABLE, Exit.INTERRUPTED}:
            return read
        return work(trace.store) or read
    finally:
        trace.close()


def _read(trace: Trace, paths: Sequence[str], form: Format | None) -> int:
    exports = [path for path in paths if _is_export(path)]
    transcripts = [path for path in paths if path not in exports]
    code = _imported(trace, transcripts, form) if transcripts else int(Exit.DONE)
    if exports and code not in {Exit.UNAVAILABLE, Exit.INTERRUPTED}:
        run = LoadRun(trace.store)
        ended = run.load(exports)
        code = ended or run.tell_faults() or code
    return code


def _imported(trace: Trace, paths: Sequence[str], form: Format | None) -> int:
    outcome = Outcome()
    with told_by_ourselves():
        tally = Tally(trace.sink, trace.store)
        recorded: Callable[[Receipt], None] = tally.recorded
        importing = TranscriptImport(trace, Wishes(format=form), recorded=recorded)
        try:
            with ProgressLine() as line:
                for file in files_of(paths, outcome):
                    try:
                        outcome.read(importing.take(file, watch=partial(line.count, f"{file.shown}:")))
                    except OSError as broken:
                        outcome.broken(file.shown, broken)
        except KeyboardInterrupt:
            outcome.ended = Exit.INTERRUPTED
        importing.end()
        outcome.rows = tally.settle()
        outcome.evaluations = importing.keeping
        outcome.not_made = importing.not_made
    return tell_problems(outcome)


def _store_file(path: str) -> Problem | None:
    """Return what to do about a path that is a store itself."""
    if _head(path, len(_SQLITE)) != _SQLITE:
        return None
    return Problem(what="this is a store, and no transcript", where=path, mend=f"write --store {path}")


def _is_export(path: str) -> bool:
    """Tell whether a file begins with a line that `store export` wrote."""
    line, _, _ = _head(path, _HEAD_BYTES).partition(b"\n")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("record") in list(RecordKind) and "left_out" in first


def _head(path: str, size: int) -> bytes:
    """Return the first bytes of a file, unpacked; nothing of what is no file or cannot be read."""
    if not Path(path).is_file():
        return b""
    try:
        with Path(path).open("rb") as held:
            if held.read(len(_GZIP)) != _GZIP:
                held.seek(0)
                return held.read(size)
            held.seek(0)
            return gzip.GzipFile(fileobj=held).read(size)
    except (OSError, EOFError, zlib.error):
        return b""
