"""A transcript file: plain or packed, JSON lines or one document; opened as often as it takes to see which."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts.documents import (
    DOCUMENT_BYTES,
    NO_READER,
    TOO_LARGE,
    concatenated,
    document,
    items,
    streamed_items,
)
from groundtrace_adapters.transcripts.headed import headed, is_header
from groundtrace_adapters.transcripts.lines import LINE_BYTES, json_lines
from groundtrace_adapters.transcripts.packing import BROKEN_BZIP2, TORN_ERRORS, unpacked
from groundtrace_adapters.transcripts.parts import parts_of
from groundtrace_adapters.transcripts.pieces import Piece, Unread, value_in

HEAD_BYTES = 1024 * 1024
"""So much of a file tells it from others: a session without an id of its own is named after it."""

LINES_LOOKED_AT = 100
FOLDERS_NAMED = 2
TORN = "its compressed data ends or breaks in the middle; what was read is kept"
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFile:
    """A file by the name that people know it by; `open` gives its raw bytes, each time from the beginning.

    `folder` names where it lies, by two folders, for formats whose session is a folder; empty where nothing does.
    """

    shown: str
    stem: str
    open: Callable[[], BinaryIO]
    folder: str = ""


def file_at(path: Path, /, *, shown: str | None = None) -> TranscriptFile:
    """Return a file on disk."""
    folder = "/".join(path.parent.resolve().parts[1:][-FOLDERS_NAMED:])
    stem = path.name.partition(".")[0]
    return TranscriptFile(shown=shown or str(path), stem=stem, open=lambda: path.open("rb"), folder=folder)


def unreadable(shown: str, fault: OSError, /) -> TranscriptFile:
    """Return a file that cannot be opened, so that it is told among the others and costs them nothing."""

    def refuse() -> BinaryIO:
        raise fault

    return TranscriptFile(shown=shown, stem="", open=refuse)


def own_name(file: TranscriptFile, /) -> str:
    """Return the name of the session of a file that names none: of its first MiB, wherever it lies.

    May raise OSError.
    """
    with _plain(file) as stream:
        head = _read(stream, HEAD_BYTES)
    return f"{file.stem or 'transcript'}-{hashlib.sha256(head).hexdigest()[:12]}"


def pieces_of(file: TranscriptFile, /) -> Iterator[Piece]:
    """Yield a file's records in order, and the places that could not be read; may raise OSError."""
    try:
        yield from _pieces(file)
    except TORN_ERRORS:
        yield Unread(place="end", why=TORN)
    except OSError as broken:
        if broken.args != BROKEN_BZIP2:
            raise
        yield Unread(place="end", why=TORN)


def _pieces(file: TranscriptFile) -> Iterator[Piece]:
    with _plain(file) as stream:
        line = _first_line(stream)
        more = bool(_first_line(stream)) if line else False
    text = line.decode(errors="replace").removeprefix(_MARK).strip()
    value = value_in(text).value_or(None)
    if isinstance(value, list) and not more:
        yield from items(value)
    elif value is None and text[:1] == "[":
        yield from _array(file)
    elif value is None and text[:1] == "{":
        yield from _object(file, text, cut=not line.endswith(b"\n"))
    elif is_header(value):
        yield from _headed(file)
    else:
        yield from _lines(file)


def _lines(file: TranscriptFile) -> Iterator[Piece]:
    with _plain(file) as stream:
        yield from json_lines(stream)


def _array(file: TranscriptFile) -> Iterator[Piece]:
    whole = _whole(file)
    found = None if whole is None else document(whole)
    if found is not None:
        yield from found
        return
    with _plain(file) as stream:
        yield from streamed_items(stream)


def _object(file: TranscriptFile, first: str, *, cut: bool) -> Iterator[Piece]:
    """An object over several lines, or on one that is `cut`; where it is none, the lines are read for themselves."""
    whole = _whole(file)
    found = None if whole is None else document(whole)
    if found is not None:
        yield from found
    elif whole is not None and (several := concatenated(whole)) is not None:
        yield from several
    elif (first == "{" or cut) if whole is None else _is_torn(file, whole):
        yield from _parts(file)
    else:
        yield from _lines(file)


def _is_torn(file: TranscriptFile, text: str) -> bool:
    """Tell whether a broken text is an object that lists records, and no lines that are records of their own."""
    lines = text.split("\n", LINES_LOOKED_AT)[1:LINES_LOOKED_AT]
    if any(isinstance(value_in(line).value_or(None), dict | list) for line in lines):
        return False
    return isinstance(next(_parts(file), None), Record)


def _parts(file: TranscriptFile) -> Iterator[Piece]:
    """The records that an object lists which is too large to be held; one that lists none is told."""
    listed = False
    try:
        with _plain(file) as stream:
            for piece in parts_of(stream):
                listed = True
                yield piece
    except ImportError:
        yield Unread(place="document", why=NO_READER)
        return
    if not listed:
        yield Unread(place="document", why=TOO_LARGE)


def _headed(file: TranscriptFile) -> Iterator[Piece]:
    """A result below its headers; a file that only begins like one is read as lines."""
    whole = _whole(file)
    if whole is None:
        yield Unread(place="document", why=TOO_LARGE)
        return
    found = headed(whole.lstrip(), folder=file.folder, file=file.stem)
    yield from _lines(file) if found is None else found


def _whole(file: TranscriptFile) -> str | None:
    """Return a whole file, None if it is too large to be held."""
    with _plain(file) as stream:
        data = _read(stream, DOCUMENT_BYTES + 1)
    return None if len(data) > DOCUMENT_BYTES else data.decode(errors="replace").removeprefix(_MARK)


def _read(stream: BinaryIO, size: int) -> bytes:
    """Return the first bytes; of a compressed file that is torn what there is."""
    parts, left = [], size
    try:
        while left > 0 and (part := stream.read(min(left, HEAD_BYTES))):
            parts.append(part)
            left -= len(part)
    except TORN_ERRORS:
        pass
    return b"".join(parts)


def _first_line(stream: BinaryIO) -> bytes:
    """Return the next line that is not blank."""
    while line := stream.readline(LINE_BYTES):
        if line.strip():
            return line
    return b""


@contextmanager
def _plain(file: TranscriptFile) -> Iterator[BinaryIO]:
    with file.open() as raw, unpacked(raw) as stream:
        yield stream
