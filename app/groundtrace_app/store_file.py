"""The file that an export goes into: whole parts alone, and beside it, until it is whole, how far it has come.

An interrupted export is taken up where the file beside says; what a part left half written behind that is cut off.
"""

import fcntl
import gzip
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import pydantic
from pydantic import ValidationError
from returns import result
from returns.result import Result

from groundtrace.problem import Problem
from groundtrace.upkeep import Cursor

_SAVE_SECONDS = 1.0
_MEND_BEGUN = "remove both to begin anew, or name another file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an export has come: `bytes` of the file hold `lines` lines and end at `cursor`.

    `options` are the choices that it was begun with; `left_out` and `unreadable` are counts as the report gives them.
    """

    options: str
    cursor: Cursor = field(default_factory=Cursor)
    bytes: int = 0
    lines: int = 0
    left_out: int = 0
    unreadable: int = 0


class ExportFile:
    """One export file, open and locked against a second export; `close` leaves it and its progress as they are.

    `progress` is how far it has come, `saved` from where a further run would go on.
    """

    def __init__(self, path: Path, held: BinaryIO, progress: Progress, /) -> None:
        self.path = path
        self.progress = progress
        self.saved = progress
        self._held = held
        self._saved_at = time.monotonic()

    def write(self, lines: tuple[str, ...], progress: Progress, /) -> None:
        """Append whole lines and remember `progress` (its `bytes` are counted here). Raises OSError."""
        text = "".join(f"{line}\n" for line in lines).encode("utf-8")
        # A member of its own for each part: the file can be cut behind any of them and is still good gzip.
        data = gzip.compress(text, compresslevel=6, mtime=0) if text and self.path.suffix == ".gz" else text
        self._held.write(data)
        self.progress = replace(progress, bytes=self.progress.bytes + len(data))
        if time.monotonic() - self._saved_at >= _SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Put what was written on the disk, then how far that is. Raises OSError."""
        self._held.flush()
        os.fsync(self._held.fileno())
        beside = _beside(self.path)
        draft = beside.with_name(beside.name + ".part")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as note:
            json.dump(asdict(self.progress), note)
        draft.replace(beside)
        self.saved, self._saved_at = self.progress, time.monotonic()

    def finish(self) -> None:
        """Put everything on the disk; the file is whole now. Raises OSError."""
        self._held.flush()
        os.fsync(self._held.fileno())
        _beside(self.path).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file; what was not yet saved is written again by the next run."""
        # What a full disk did not take, the caller has heard of.
        with suppress(OSError):
            self._held.close()


def open_export(path: Path, start: Cursor, options: str, /) -> Result[ExportFile, Problem]:
    """Return a new file, for its owner alone, to be filled from `start` on, or one whose export was interrupted.

    `options` say what is exported: an interrupted export goes on only under the same ones.
    """
    try:
        # An empty file is one that was made and not yet begun.
        begun = _beside(path).read_bytes() if path.exists() and path.stat().st_size else None
    except FileNotFoundError:
        return result.Failure(
            Problem(what="it is there already", where=str(path), mend="remove it, or name another file")
        )
    except OSError as refused:
        return result.Failure(_refused(path, refused))
    progress: Result[Progress, Problem] = result.Success(Progress(options=options, cursor=start))
    if begun is not None:
        progress = _read(begun, path, options)
    return progress.bind(lambda start: _opened(path, start))


def _read(begun: bytes, path: Path, options: str) -> Result[Progress, Problem]:
    where = str(_beside(path))
    try:
        progress = pydantic.TypeAdapter(Progress).validate_json(begun)
    except ValidationError:
        return result.Failure(Problem(what="this is no progress of an export", where=where, mend=_MEND_BEGUN))
    if progress.options != options:
        what = "this export was begun with other options, or from another store"
        return result.Failure(Problem(what=what, where=where, mend=f"repeat those, {_MEND_BEGUN}"))
    return result.Success(progress)


def _opened(path: Path, progress: Progress) -> Result[ExportFile, Problem]:
    try:
        held = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    except OSError as refused:
        return result.Failure(_refused(path, refused))
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        size = held.seek(0, os.SEEK_END)
        if size < progress.bytes:
            held.close()
            what = f"it is shorter than its progress in {_beside(path).name} says"
            return result.Failure(Problem(what=what, where=str(path), mend=_MEND_BEGUN))
        held.truncate(progress.bytes)
        held.seek(progress.bytes)
        made = ExportFile(path, held, progress)
        made.save()
    except BlockingIOError:
        held.close()
        return result.Failure(Problem(what="another export is writing it", where=str(path), mend="let that one end"))
    except OSError as refused:
        held.close()
        return result.Failure(_refused(path, refused))
    return result.Success(made)


def _refused(path: Path, refused: OSError) -> Problem:
    what = f"it cannot be written ({refused.strerror})"
    return Problem(what=what, where=str(path), mend="make its folder, room or rights there, or name another file")


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".progress")
