"""Zip archives (inspect's `.eval` is one): each JSON file inside is a transcript file of its own."""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, BinaryIO, cast

from groundtrace_adapters.transcripts.files import TranscriptFile, unreadable

_MAGIC = b"PK\x03\x04"
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson"})
_PACKED = frozenset({".gz", ".bz2", ".xz"})
_PART = 1024 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, ValueError, RuntimeError)
"""What `zipfile` raises of an archive that is torn, encrypted, or of a kind that it does not read."""

MOST_BYTES = 2 * 1024 * 1024 * 1024
"""A file of an archive that unpacks to more is not read: an archive of a few bytes may claim any size."""


def is_archive(path: Path, /) -> bool:
    """Tell whether a file is a zip archive."""
    if not path.is_file():
        return False
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
    return False


def files_in(path: Path, /) -> Iterator[TranscriptFile]:
    """Yield the JSON files of an archive in the order of their names; a broken one is a file that cannot be opened."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if _is_json(name))
    except _BROKEN:
        yield unreadable(str(path), OSError(None, "a broken archive"))
        return
    except OSError as fault:
        yield unreadable(str(path), fault)
        return
    for name in names:
        yield _member(path, name)


def _is_json(name: str) -> bool:
    endings = [one.lower() for one in Path(name).suffixes]
    return bool(_SUFFIXES.intersection(endings[-2:] if endings[-1:] and endings[-1] in _PACKED else endings[-1:]))


def _member(path: Path, name: str) -> TranscriptFile:
    stem = f"{path.name.partition('.')[0]}-{Path(name).name.partition('.')[0]}"
    return TranscriptFile(shown=f"{path}:{name}", stem=stem, open=lambda: _unpacked(path, name))


def _unpacked(path: Path, name: str) -> BinaryIO:
    """Return a file of an archive, unpacked to disk, so that it can be gone through as any other."""
    try:
        with ExitStack() as stack:
            unpacked = stack.enter_context(TemporaryFile())
            _unpack(path, name, unpacked)
            stack.pop_all()
    except _BROKEN as broken:
        raise OSError(None, "it cannot be unpacked") from broken
    unpacked.seek(0)
    return cast("BinaryIO", unpacked)


def _unpack(path: Path, name: str, target: IO[bytes]) -> None:
    size = 0
    with zipfile.ZipFile(path) as archive, archive.open(name) as packed:
        while part := packed.read(_PART):
            size += len(part)
            if size > MOST_BYTES:
                raise OSError(None, f"it unpacks to more than {MOST_BYTES:,} bytes")
            target.write(part)
