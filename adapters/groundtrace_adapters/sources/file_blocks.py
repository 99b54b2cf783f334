"""Bytes of a file as blocks of whole entries or lines: read, unpacked and made searchable, one megabyte at a time.

Memory does not grow with a file, nor with a line: of an entry longer than a block only the first block is kept.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path

from groundtrace.text import NUL_SYMBOL
from groundtrace_adapters.sources.line_counter import LineCounter

BLOCK_BYTES = 128 * 1024
"""How much is read at once: small enough for the processor's cache."""

ENTRY_BYTES = 1024 * 1024
"""The longest entry that is searched whole."""

_SURE_BYTES = 16 * 1024
"""So far into a piece it is cut by itself: whether an entry begins there does not depend on what lies before."""

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NUL = NUL_SYMBOL.encode()


@dataclass(slots=True, kw_only=True)
class Reading:
    """What came of reading one file: bytes unpacked, entries too long to be searched whole, and what broke it off.

    `lines` numbers the lines, where somebody asks for their numbers, and `may_read_again` tells whether there is time
    to count those that were passed by. A file is `unended` if its last line is.
    """

    unpacked: int = 0
    overlong: int = 0
    fault: str = ""
    lines: LineCounter | None = None
    may_read_again: Callable[[], bool] = lambda: True
    unended: bool = False

    def begin(self, offset: int) -> None:
        """Go on to the block that begins at this offset of the unpacked file."""
        if self.lines is not None:
            self.lines.begin(offset)

    def pass_by(self, *pieces: tuple[bytes, int]) -> None:
        """Be done with the block in hand, given as pieces with their ends."""
        if self.lines is not None:
            self.lines.pass_by(*pieces)


def head_of(path: Path, size: int, /) -> bytes:
    """Return the first bytes of a file, unpacked; raises OSError, and gives what it can of a damaged archive."""
    reading = Reading()
    found = b""
    with path.open("rb", buffering=0) as raw:
        for piece in _pieces(raw, reading):
            found += piece
            if len(found) >= size:
                break
    return found[:size]


def is_binary(head: bytes, /) -> bool:
    """Tell by its first bytes whether a file is no text: more than a tenth of them are NUL."""
    sample = head[:8_192]
    return sample.count(b"\0") > max(8, len(sample) // 10)


def blocks(
    path: Path,
    cut: Callable[[bytes], int],
    reading: Reading,
    /,
    *,
    start: int = 0,
    wanted: Callable[[bytes, bytes], bool] | None = None,
) -> Iterator[bytes]:
    """Yield a file as blocks of whole entries; raises OSError.

    `cut` gives the offset in a block behind which an entry may go on in the next. A damaged archive ends the blocks
    early and leaves its `fault`. With a `start` they begin at the first line behind that offset (not in an archive).
    A block that is not `wanted`, by what is left of the one before and what is read, is yielded empty.
    """
    with path.open("rb", buffering=0) as raw:
        yield from _blocks(raw, cut, reading, start=start, wanted=wanted)


def _blocks(
    raw: FileIO,
    cut: Callable[[bytes], int],
    reading: Reading,
    /,
    *,
    start: int,
    wanted: Callable[[bytes, bytes], bool] | None,
) -> Iterator[bytes]:
    carry = b""
    skipping = start > 0
    for piece in _filled(_pieces(raw, reading, start=start)):
        if not skipping and (at := cut(piece)) > _SURE_BYTES:
            reading.begin(reading.unpacked - len(piece) - len(carry))
            if wanted is None or wanted(carry, piece):
                block = searchable(b"".join((carry, memoryview(piece)[:at])))
                yield block
                reading.pass_by((block, len(block)))
            else:
                yield b""
                reading.pass_by((carry, len(carry)), (piece, at))
            carry = piece[at:]
            continue
        begin = piece.find(b"\n") if skipping else 0
        if begin < 0:
            continue
        skipping = False
        data = carry + piece[begin:] if carry or begin else piece
        at = cut(data)
        if at == 0 and len(data) > ENTRY_BYTES:
            reading.overlong += 1
            skipping = b"\n" not in data[ENTRY_BYTES:]
            at = ENTRY_BYTES
            carry = b"" if skipping else data[data.index(b"\n", at) :]
        else:
            carry = data[at:]
        if at:
            reading.begin(reading.unpacked - len(data))
            block = searchable(data[:at])
            yield block
            reading.pass_by((block, len(block)))
    if carry:
        reading.begin(reading.unpacked - len(carry))
        block = searchable(carry)
        yield block
        reading.pass_by((block, len(block)))
        reading.unended = not block.endswith(b"\n")


def searchable(data: bytes, /) -> bytes:
    """Return whole lines as valid UTF-8 with LF ends, NUL and bytes that are no UTF-8 replaced visibly."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\0" in data:
        data = data.replace(b"\0", _NUL)
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="replace").encode()
    return data


def _filled(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Gather the small pieces of an archive into blocks."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK_BYTES:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _pieces(raw: FileIO, reading: Reading, *, start: int = 0) -> Iterator[bytes]:
    raw.seek(start)
    first = raw.read(BLOCK_BYTES)
    if first.startswith(_GZIP):
        raw.seek(0)
        yield from _unpacked(gzip.GzipFile(fileobj=raw), reading)
        return
    piece = first.removeprefix(_BOM)
    if reading.lines is not None:
        reading.lines.again = partial(_line_feeds, raw, reading, start + len(first) - len(piece))
    while piece:
        reading.unpacked += len(piece)
        yield piece
        piece = raw.read(BLOCK_BYTES)


def _line_feeds(raw: FileIO, reading: Reading, before: int, begin: int, end: int) -> int | None:
    """Count the line feeds between two offsets, `before` bytes into the file, and leave the file where it was."""
    if not reading.may_read_again():
        return None
    here, found = raw.tell(), 0
    raw.seek(before + begin)
    for at in range(begin, end, BLOCK_BYTES):
        found += raw.read(min(BLOCK_BYTES, end - at)).count(b"\n")
    raw.seek(here)
    return found


def _unpacked(archive: gzip.GzipFile, reading: Reading) -> Iterator[bytes]:
    try:
        piece = archive.read1(BLOCK_BYTES).removeprefix(_BOM)
        while piece:
            reading.unpacked += len(piece)
            yield piece
            piece = archive.read1(BLOCK_BYTES)
    except EOFError:
        reading.fault = f"the archive is cut off: {reading.unpacked:,} bytes could be unpacked"
    except (zlib.error, gzip.BadGzipFile) as error:
        reading.fault = f"the archive is damaged ({error}): {reading.unpacked:,} bytes could be unpacked"


def last_line(data: bytes, /) -> int:
    """Return the offset behind the last whole line: the cut for files whose lines stand alone."""
    return data.rfind(b"\n") + 1


def lines_of(block: bytes, /) -> list[bytes]:
    """Return the lines of a block without their ends."""
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines
