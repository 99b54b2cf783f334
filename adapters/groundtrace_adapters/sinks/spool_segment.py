"""One file of a spool: made, locked, appended to and fsynced by one process, read back and removed when it is done.

The lock is the owner's sign of life: a segment whose lock is free was left by a process that is gone.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from groundtrace_adapters.sinks.spool_lines import LONGEST_LINE

PATTERN = "rows-*.jsonl"
_OWNER_ONLY = 0o600


class Segment:
    """A segment whose lock this object holds until `leave` or `remove`. Every method may raise OSError."""

    def __init__(self, path: Path, descriptor: int, /) -> None:
        """Take over an open, locked descriptor; use `create` or `adopt`."""
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def create(cls, folder: Path, /) -> "Segment":
        """Make a new segment, and the folder if it is not there."""
        make_folder(folder)
        while True:
            path = folder / PATTERN.replace("*", uuid4().hex)
            made = cls._locked(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
            if made is not None:
                sync_folder(folder)
                return made

    @classmethod
    def adopt(cls, path: Path, /) -> "Segment | None":
        """Take over a segment whose owner is gone; None if it lives, or if another process was quicker.

        What is no plain file raises OSError like any other that cannot be read: a link could lead anywhere.
        """
        try:
            return cls._locked(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None

    def append(self, block: bytes, /) -> None:
        """Write all of `block` and fsync it, or leave the segment as it was."""
        write_all(self._descriptor, block)

    def size(self) -> int:
        """Return the bytes written so far."""
        return os.fstat(self._descriptor).st_size

    def is_there(self) -> bool:
        """Tell whether the segment can still be found under its name; not so where its folder became something else."""
        try:
            return _is_at(self.path, self._descriptor)
        except OSError:
            return False

    def lines(self) -> Iterator[bytes]:
        """Yield the lines from the first to the last; one that is longer than any row comes in pieces."""
        # By the descriptor: somebody may have removed the name.
        with os.fdopen(os.dup(self._descriptor), "rb") as read:
            read.seek(0)
            while line := read.readline(LONGEST_LINE):
                yield line

    def leave(self) -> None:
        """Let go of the segment, so that another sink or process may replay it."""
        os.close(self._descriptor)

    def remove(self) -> None:
        """Remove the segment: each of its rows has its place."""
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)

    @classmethod
    def _locked(cls, path: Path, flags: int) -> "Segment | None":
        descriptor = os.open(path, flags, _OWNER_ONLY)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _no_plain_file(path)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking another process may have locked it, replayed it and removed it.
            if _is_at(path, descriptor):
                return cls(path, descriptor)
        except BlockingIOError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None


def _no_plain_file(path: Path) -> OSError:
    return OSError(errno.EINVAL, "no plain file", str(path))


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def bytes_at(path: Path, /) -> int:
    """Return a plain file's size; 0 where another process has just removed it, and for what is no plain file."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def bytes_waiting(folder: Path, /) -> int:
    """Return the bytes of all segments in a spool's folder, and in the folders of its lanes."""
    return sum(bytes_at(path) for place in (PATTERN, f"*/{PATTERN}") for path in folder.glob(place))


def write_all(descriptor: int, block: bytes, /) -> None:
    """Write all of `block` behind what a file holds and fsync it, or leave the file as it was and raise OSError."""
    before = os.fstat(descriptor).st_size
    try:
        rest = memoryview(block)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    except OSError:
        # Half a line in the middle would spoil the line that is written behind it.
        os.ftruncate(descriptor, before)
        raise


@contextmanager
def opened_plain(path: Path, /) -> Iterator[int]:
    """Open a plain file for appending, made if need be; what is none, such as a pipe nobody reads, is an OSError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, _OWNER_ONLY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _no_plain_file(path)
        yield descriptor
    finally:
        os.close(descriptor)


def make_folder(folder: Path, /) -> None:
    """Make a folder for its owner alone, if it is not there; its name survives a crash too."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path, /) -> None:
    """Make the names in a folder survive a crash of the machine, as fsync makes a file's bytes."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
