"""Finding and reading the files of a knowledge folder, bounded, without trusting names, links or bytes in it."""

import bisect
import os
import stat
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

MAX_FILES = 20_000
"""Most files that one folder may bring; further ones are named as unseen."""

MAX_FILE_BYTES = 2 * 1024 * 1024
"""Most bytes read of one file; the rest is named as unseen."""

MAX_BYTES = 512 * 1024 * 1024
"""Most bytes of all files together; files beyond are named as unseen."""

MAX_DEPTH = 32

_ENDINGS = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """One file: `path` is relative, with `/`, printable and unique; `mark` changes whenever the file is written."""

    path: str
    place: str
    mark: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The files of a folder in the order of their paths, and in words what could not be looked at."""

    files: tuple[FoundFile, ...]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """A file's text. `unread` says that a part was left out, `note` that bytes were no UTF-8 and were replaced."""

    text: str
    unread: str | None = None
    note: str | None = None


def list_files(folder: Path, /, *, most_bytes: int = MAX_BYTES) -> Listing:
    """Return the Markdown files below `folder`; OSError only if the folder itself cannot be listed.

    Hidden names are left out. A link is followed inside the folder and never out of it; what it leads to is listed
    once, under its own place if it is not hidden there.
    """
    walk = _Walk(root=str(folder.resolve(strict=True)))
    os.scandir(walk.root).close()
    walk.below(walk.root)
    while walk.links:
        walk.follow(walk.links.pop(0))
    files = sorted(walk.files, key=lambda file: file.path)
    sums = list(accumulate(min(file.size, MAX_FILE_BYTES) for file in files))
    kept = min(bisect.bisect_right(sums, most_bytes), MAX_FILES)
    if kept < len(files):
        walk.unread.append(f"{len(files) - kept} files behind {files[kept].path}, it included: the folder is too large")
    return Listing(files=tuple(files[:kept]), unread=tuple(sorted(walk.unread)))


def read_file(file: FoundFile, /) -> ReadFile:
    """Return the file's text with `\\n` line ends; OSError if it cannot be read."""
    with Path(file.place).open("rb") as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    unread = None
    if len(data) > MAX_FILE_BYTES:
        data, unread = data[:MAX_FILE_BYTES], f"{file.path}: what stands beyond {MAX_FILE_BYTES} bytes"
    text = data.decode("utf-8-sig", "replace")
    # A cut inside a character is no fault of the file.
    is_utf8 = "\ufffd" not in (text if unread is None else text[:-1])
    note = None if is_utf8 else f"{file.path}: bytes that are no UTF-8 are replaced"
    return ReadFile(text=text.replace("\r\n", "\n").replace("\r", "\n"), unread=unread, note=note)


@dataclass(slots=True)
class _Walk:
    """One walk through a folder: everything that is no link first, then the links, in the order of their places."""

    root: str
    files: list[FoundFile] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def below(self, place: str) -> None:
        """Take everything below a folder, but note links for later; a folder that was seen is not looked at again."""
        waiting = [(place, 0)]
        while waiting:
            folder, depth = waiting.pop()
            for entry in self._entries(folder):
                if entry.name.startswith("."):
                    continue
                if entry.is_symlink():
                    bisect.insort(self.links, entry.path)
                elif entry.is_dir() and depth < MAX_DEPTH:
                    waiting.append((entry.path, depth + 1))
                elif entry.is_dir():
                    self.unread.append(f"{self.name(entry.path)}: folders deeper than {MAX_DEPTH} are not read")
                elif _is_markdown(entry.name):
                    self._take(entry.path, entry)

    def follow(self, place: str) -> None:
        """Take what a link leads to, if that lies inside the folder and was not taken under another name."""
        try:
            target = Path(place).resolve(strict=True)
            if not target.is_relative_to(self.root):
                self.unread.append(f"{self.name(place)}: a link that leaves the folder is not followed")
            elif target.is_dir():
                self.below(place)
            elif _is_markdown(place):
                self._take(place, target)
        except (OSError, RuntimeError) as error:
            if _is_markdown(place):
                self._missed(place, error)

    def name(self, place: str) -> str:
        """Return a place as the path of an entry: relative, with `/`, and printable whatever its bytes are."""
        path = place[len(self.root) :].replace(os.sep, "/").lstrip("/")
        return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")

    def _entries(self, folder: str) -> list["os.DirEntry[str]"]:
        try:
            status = Path(folder).stat()
            if (status.st_dev, status.st_ino) in self.seen:
                return []
            self.seen.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self._missed(folder, error)
            return []

    def _take(self, place: str, file: "os.DirEntry[str] | Path") -> None:
        try:
            status = file.stat()
        except OSError as error:
            self._missed(place, error)
            return
        key = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode) and key not in self.seen:
            self.seen.add(key)
            mark = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"
            self.files.append(FoundFile(path=self.name(place), place=place, mark=mark, size=status.st_size))

    def _missed(self, place: str, error: Exception) -> None:
        words = error.strerror if isinstance(error, OSError) else None
        self.unread.append(f"{self.name(place)}: {words or type(error).__name__}")


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(_ENDINGS)
