"""Files as they lie on disk: unpacked, and in UTF-8 whatever they were written in; what cannot be unpacked is told."""

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from types import MappingProxyType
from typing import BinaryIO, cast

from typing_extensions import override

TORN_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
"""What a stream of `unpacked` raises where its compressed data ends or breaks in the middle."""

BROKEN_BZIP2 = ("Invalid data stream",)
"""What the OSError of broken bzip2 data holds, which has no class of its own."""

LAYERS = 3
_HEAD_BYTES = 512
_PART = 64 * 1024
_TAR, _TAR_AT = b"ustar", 257

_PACKED: Mapping[bytes, Callable[[BinaryIO], object]] = MappingProxyType(
    {
        b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw, mode="rb"),
        **{b"BZh%d1AY&SY" % size: bz2.BZ2File for size in range(1, 10)},
        b"\xfd7zXZ\x00": lzma.LZMAFile,
    }
)
_NOT_UNPACKED: Mapping[bytes, str] = MappingProxyType(
    {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7-Zip", b"\x04\x22\x4d\x18": "lz4", b"Rar!": "RAR"}
)
# The longer marks first; without a mark the first sign of JSON and the zero byte beside it tell.
_ENCODINGS: Mapping[bytes, str] = MappingProxyType(
    {
        codecs.BOM_UTF32_LE: "utf-32",
        codecs.BOM_UTF32_BE: "utf-32",
        codecs.BOM_UTF16_LE: "utf-16",
        codecs.BOM_UTF16_BE: "utf-16",
        b"{\x00": "utf-16-le",
        b"[\x00": "utf-16-le",
        b"\x00{": "utf-16-be",
        b"\x00[": "utf-16-be",
    }
)


@contextmanager
def unpacked(raw: BinaryIO, /) -> Iterator[BinaryIO]:
    """Give a file's own bytes in UTF-8, through up to three layers of gzip, bzip2 or xz.

    Raises OSError for what is packed in a way that is not read.
    """
    with ExitStack() as stack:
        stream = raw
        for _ in range(LAYERS):
            head = _head(stream)
            opened = next((how for mark, how in _PACKED.items() if head.startswith(mark)), None)
            if opened is None:
                break
            stream = stack.enter_context(cast("BinaryIO", opened(stream)))
        head = _head(stream)
        _refuse(head)
        encoding = next((name for mark, name in _ENCODINGS.items() if head.startswith(mark)), None)
        if encoding is not None:
            stream = cast("BinaryIO", stack.enter_context(io.BufferedReader(_Recoded(stream, encoding), _PART)))
        yield stream


def _head(stream: BinaryIO) -> bytes:
    """Return the first bytes, of what is torn those before, and stand at the beginning again."""
    head = b""
    with suppress(*TORN_ERRORS):
        while len(head) < _HEAD_BYTES and (part := cast("io.BufferedIOBase", stream).read1(_HEAD_BYTES - len(head))):
            head += part
    stream.seek(0)
    return head


def _refuse(head: bytes) -> None:
    packed = next((name for mark, name in _NOT_UNPACKED.items() if head.startswith(mark)), None)
    if packed is None and head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        packed = "tar"
    if packed is not None:
        raise OSError(None, f"it is packed with {packed}; unpack it first")


class _Recoded(io.RawIOBase):
    """Text of another encoding as UTF-8; what is no text of it is replaced."""

    def __init__(self, source: BinaryIO, encoding: str) -> None:
        super().__init__()
        self._source = source
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._left = b""

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, target: object, /) -> int:
        room = memoryview(cast("bytearray", target)).cast("B")
        while not self._left:
            part = self._source.read(_PART)
            self._left = self._decoder.decode(part, final=not part).encode("utf-8", "replace")
            if not part:
                break
        given, self._left = self._left[: len(room)], self._left[len(room) :]
        room[: len(given)] = given
        return len(given)
