"""A body as it was before its content encoding, piece by piece; what passes is handed on as it came."""

import zlib
from collections.abc import Iterator, Mapping

PART = 1024 * 1024
"""So many bytes at most come out at once, however well they were packed."""

_ANY_HEADER, _NO_HEADER = 32 + zlib.MAX_WBITS, -zlib.MAX_WBITS
_PLAIN = frozenset({b"", b"identity"})
_ZIPPED = frozenset({b"gzip", b"x-gzip", b"deflate"})


class Unzipped:
    """One body under way. gzip may have several members, and deflate comes with and without a header."""

    def __init__(self, headers: Mapping[bytes, bytes], /) -> None:
        """Begin a body with these headers; `is_readable` is false from the start in an encoding that is not known."""
        encoding = headers.get(b"content-encoding", b"").strip().lower()
        self.is_readable = encoding in _PLAIN | _ZIPPED
        self._is_zipped = encoding in _ZIPPED
        self._begun = False
        self._bits = _ANY_HEADER
        self._stream = zlib.decompressobj(self._bits)

    def feed(self, piece: bytes, /) -> Iterator[bytes]:
        """Yield what a piece holds; what is broken ends it, and `is_readable` with it."""
        if not self._is_zipped:
            yield from (piece,) if self.is_readable else ()
            return
        left, more = piece, False
        while (left or more) and self.is_readable:
            try:
                plain = self._stream.decompress(left, PART)
            except zlib.error:
                self._without_header()
                continue
            self._begun = self._begun or bool(plain)
            left, more = self._stream.unconsumed_tail, len(plain) == PART
            if self._stream.eof:
                left, self._stream = self._stream.unused_data, zlib.decompressobj(self._bits)
            if plain:
                yield plain

    def _without_header(self) -> None:
        self.is_readable = not self._begun and self._bits == _ANY_HEADER
        self._bits = _NO_HEADER
        self._stream = zlib.decompressobj(self._bits)
