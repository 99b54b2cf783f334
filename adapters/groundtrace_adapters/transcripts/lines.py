r"""JSON lines: split at `\n` alone, a byte order mark and blank lines left out, each bad line told by its number."""

from collections.abc import Iterator
from typing import BinaryIO

from returns import result
from returns.result import Result

from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts.pieces import NO_RECORD, NO_UTF8, Piece, Unread, value_in

LINE_BYTES = 128 * 1024 * 1024
"""The longest line that is read; a longer one is told and passed over without being held."""

_PART = 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_SEPARATOR = b"\x1e"
_BLANK = b" \t\r\n\x0b\x0c"


def json_lines(stream: BinaryIO, /, *, longest: int = LINE_BYTES) -> Iterator[Piece]:
    """Yield each line as a record or as what is wrong with it."""
    number = 0
    while line := stream.readline(longest):
        number += 1
        if len(line) >= longest and not line.endswith(b"\n"):
            _skip_rest(stream)
            yield Unread(place=f"line {number}", line=number, why=f"longer than {longest:,} bytes")
            continue
        line = line.removeprefix(_BOM) if number == 1 else line
        line = line.removeprefix(_SEPARATOR)
        if line.strip(_BLANK):
            yield from _pieces(line, number)


def _pieces(line: bytes, number: int) -> Iterator[Piece]:
    place = f"line {number}"
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode(errors="replace")
        yield Unread(place=place, line=number, why=NO_UTF8, kept=True)
    del line
    yield (
        value_in(text)
        .map(lambda value: _piece(value, place, number))
        .lash(lambda why: _refused(why, place, number))
        .unwrap()
    )


def _refused(why: str, place: str, number: int) -> Result[Piece, str]:
    return result.Success(Unread(place=place, line=number, why=why))


def _piece(value: object, place: str, number: int) -> Piece:
    if isinstance(value, dict | list):
        return Record(place=place, value=value)
    return Unread(place=place, line=number, why=NO_RECORD)


def _skip_rest(stream: BinaryIO) -> None:
    while (part := stream.readline(_PART)) and not part.endswith(b"\n"):
        pass
