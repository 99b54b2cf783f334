"""Which files a source reads: given files and everything below given folders, without following links in circles."""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import SourceError

MOST_FILES = 10_000
"""The most files that one source reads; what lies beyond is told as unseen."""

_NAMED_FILES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FileList:
    """Files in a stable order (as given, then by path), and in words what could not be listed."""

    files: tuple[Path, ...]
    unseen: tuple[str, ...] = ()


def list_files(paths: Iterable[Path], /, *, what: str) -> Result[FileList, SourceError]:
    """Return the regular files among and below `paths`; hidden ones are left out, each file is taken once.

    A path that is missing or unreadable is an error that names it and says how to mend it; `what` is the kind of
    source in words ("log").
    """
    files: dict[tuple[int, int], Path] = {}
    unseen: list[str] = []
    for path in paths:
        try:
            folder = stat.S_ISDIR(path.stat().st_mode)
            if folder:
                os.scandir(path).close()
        except OSError as error:
            return result.Failure(_missing(path, what, error))
        for file in _below(path, unseen) if folder else (path,):
            status = _status(file, unseen)
            if status is not None and _is_regular(status, file, unseen):
                files.setdefault((status.st_dev, status.st_ino), file)
            if len(files) >= MOST_FILES:
                unseen.append(f"only the first {MOST_FILES:,} files were read")
                return result.Success(FileList(files=tuple(files.values()), unseen=tuple(unseen)))
    return result.Success(FileList(files=tuple(files.values()), unseen=tuple(unseen)))


def short_names(files: Sequence[Path], /) -> dict[Path, str]:
    """Return for each file the shortest end of its path that no other of the files shares: `0.log`, `api-0/0.log`."""
    names: dict[Path, str] = {}
    left, parts = list(files), 1
    while left:
        ends = {path: "/".join(path.parts[-parts:]) for path in left}
        counts = Counter(ends.values())
        names |= {path: end for path, end in ends.items() if counts[end] == 1 or parts >= len(path.parts)}
        left = [path for path in left if path not in names]
        parts += 1
    return names


def name_some(files: Sequence[str], /, *, of: int) -> str:
    """Return in words that files could not be read, with the first five names and why."""
    more = f" and {len(files) - _NAMED_FILES:,} more" if len(files) > _NAMED_FILES else ""
    return f"{len(files):,} of {of:,} files could not be read: {', '.join(files[:_NAMED_FILES])}{more}"


def _below(folder: Path, unseen: list[str]) -> Iterator[Path]:
    def refused(error: OSError) -> None:
        unseen.append(f"folder {error.filename} could not be listed ({error.strerror})")

    seen: set[tuple[int, int]] = set()
    for root, folders, names in os.walk(folder, onerror=refused, followlinks=True):
        status = _status(Path(root), unseen)
        if status is None or (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(root, name) for name in sorted(names) if not name.startswith("."))


def _status(path: Path, unseen: list[str]) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError as error:
        unseen.append(f"{path.name} could not be read ({error.strerror})")
        return None


def _is_regular(status: os.stat_result, file: Path, unseen: list[str]) -> bool:
    if stat.S_ISREG(status.st_mode):
        return True
    unseen.append(f"{file.name} is no regular file and was not read")
    return False


def _missing(path: Path, what: str, error: OSError) -> SourceError:
    denied = isinstance(error, PermissionError)
    mend = "make it readable for this user" if denied else f"correct the path, or create it and put {what} files in it"
    return SourceError(
        kind=FailureKind.DENIED if denied else FailureKind.UNAVAILABLE,
        message=f"{what} path {path} cannot be read ({error.strerror}); {mend}",
    )
