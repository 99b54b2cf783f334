"""Where an audit finds its sessions: a store, or transcripts and exports taken into one that ends with the command."""

import gzip
import json
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from groundtrace.problem import Problem
from groundtrace.transcripts.events import Format
from groundtrace.upkeep import RecordKind
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.audit_files import NAMES_KEPT, FilesTaken
from groundtrace_app.cli.exits import Exit
from groundtrace_app.cli.import_outcome import Outcome
from groundtrace_app.cli.import_report import tell_problems
from groundtrace_app.cli.import_transcripts import present, read_into
from groundtrace_app.cli.opening import told
from groundtrace_app.cli.printing import fail
from groundtrace_app.cli.store_load import LoadRun
from groundtrace_app.importing import Wishes
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace, open_trace

_SQLITE = b"SQLite format 3\x00"
_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 1024 * 1024
_ENDED: frozenset[int] = frozenset({Exit.UNAVAILABLE, Exit.INTERRUPTED})


Work: TypeAlias = Callable[[Store, FilesTaken], int]


def with_paths(paths: Sequence[str], form: Format | None, work: Work, /) -> int:
    """Take the paths into a store of their own, tell what could not be read, and work on that store.

    Where nothing at all could be read there is nothing to work on.
    """
    absent = present(paths).swap().value_or(None) or next(filter(None, map(_store_file, paths)), None)
    if absent is not None:
        return fail(absent)
    with tempfile.TemporaryDirectory(prefix="groundtrace-audit-") as folder:
        opened = open_trace(Settings(store=str(Path(folder, "audit.db"))))
        return opened.map(lambda trace: _over(trace, paths, form, work)).lash(told(Exit.UNAVAILABLE)).unwrap()


def _over(trace: Trace, paths: Sequence[str], form: Format | None, work: Work) -> int:
    try:
        read, files = _read(trace, paths, form)
        if read in _ENDED or read == Exit.BAD_INPUT:
            return read
        return work(trace.store, files) or read
    finally:
        trace.close()


def _read(trace: Trace, paths: Sequence[str], form: Format | None) -> tuple[int, FilesTaken]:
    """Take all paths; bad input only where none of them gave anything."""
    exports = [path for path in paths if _is_export(path)]
    transcripts = [path for path in paths if path not in exports]
    codes: list[int] = []
    files = FilesTaken()
    if transcripts:
        outcome = read_into(trace, transcripts, Wishes(format=form))
        codes.append(tell_problems(outcome, where="audit"))
        files = _taken(outcome)
    for export in exports:
        if not _ENDED & set(codes):
            codes.append(_load(trace, export))
            files = replace(files, read=files.read + 1, broken=files.broken + (codes[-1] != Exit.DONE))
    ended = next((code for code in codes if code in _ENDED), None)
    if ended is not None:
        return ended, files
    return codes[0] if len(set(codes)) == 1 else Exit.SOME_REFUSED, files


def _taken(outcome: Outcome) -> FilesTaken:
    return FilesTaken(
        read=outcome.sums.whole.files,
        broken=outcome.troubled,
        left_out=outcome.left_out.count,
        left_out_names=tuple(outcome.left_out.names[:NAMES_KEPT]),
        passed_over=dict(outcome.sums.unknown),
    )


def _load(trace: Trace, export: str) -> int:
    """Load an export; of what was withheld it tells the verdict, and that is all that an audit may show."""
    run = LoadRun(trace.store, where="audit", reading=True, stubs=True)
    return run.load([export]) or run.tell_faults()


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
