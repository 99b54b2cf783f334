"""Bytes of a file as blocks of whole entries or lines: read, unpacked and made searchable, one megabyte at a time.

Memory does not grow with a file, nor with a line: of an entry longer than a block only the first block is kept.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from groundtrace.text import NUL_SYMBOL

BLOCK_BYTES = 128 * 1024
"""How much is read at once: small enough for the processor's cache."""

ENTRY_BYTES = 1024 * 1024
"""The longest entry that is searched whole."""

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NUL = NUL_SYMBOL.encode()


@dataclass(slots=True, kw_only=True)
class Reading:
    """What came of reading one file: bytes unpacked, entries too long to be searched whole, and what broke it off.

    `line` is the number of the line that the block in hand begins with. `newlines` are the counts of all blocks so far;
    those `known` from an earlier reading of the same file save counting them again, and so does what the reader of a
    block has `counted` of it: how many lines end before an offset.
    """

    unpacked: int = 0
    overlong: int = 0
    fault: str = ""
    line: int = 1
    known: Sequence[int] = ()
    newlines: list[int] = field(default_factory=list)
    counted: tuple[int, int] = (0, 0)

    def pass_by(self, *pieces: tuple[bytes, int]) -> None:
        """Count the lines of the block in hand, given as pieces with their ends, and go on to the next."""
        number = len(self.newlines)
        if number < len(self.known):
            found = self.known[number]
        else:
            already, offset = self.counted
            found = already + sum(data.count(b"\n", offset, end) for data, end in pieces)
        self.newlines.append(found)
        self.line += found
        self.counted = (0, 0)


def head_of(path: Path, size: int, /) -> bytes:
    """Return the first bytes of a file, unpacked; raises OSError, and gives what it can of a damaged archive."""
    reading = Reading()
    found = b""
    for piece in _pieces(path, reading):
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
    carry = b""
    skipping = start > 0
    for piece in _filled(_pieces(path, reading, start=start)):
        if wanted is not None and not skipping and not wanted(carry, piece) and (at := cut(piece)) > 0:
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
            block = searchable(data[:at])
            yield block
            reading.pass_by((block, len(block)))
    if carry:
        block = searchable(carry)
        yield block
        reading.pass_by((block, len(block)))
        reading.line += not block.endswith(b"\n")


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


def _pieces(path: Path, reading: Reading, *, start: int = 0) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as raw:
        raw.seek(start)
        first = raw.read(BLOCK_BYTES)
        if first.startswith(_GZIP):
            raw.seek(0)
            yield from _unpacked(gzip.GzipFile(fileobj=raw), reading)
            return
        piece = first.removeprefix(_BOM)
        while piece:
            reading.unpacked += len(piece)
            yield piece
            piece = raw.read(BLOCK_BYTES)


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
