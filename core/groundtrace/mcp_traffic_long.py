"""Lines of JSON that are too long to hold, read in pieces and kept shortened: still JSON, with each id and flag in it.

Long texts keep their beginning, long lists and objects inside a message their first members. A line is never held
whole, and one that stays too long even so is given up.
"""

import re
from itertools import accumulate

BUDGET = 1024 * 1024
"""About how many bytes of a long line are kept before inner members are left out."""

TEXT_BYTES = 64 * 1024
"""How much of one text is kept, in bytes; 256 beyond the budget."""

_LATE_TEXT_BYTES = 256
_MOST = 2 * BUDGET
_SHALLOW = 3
_DEEPEST = 500
_TRIES = 2
"""So often a piece is tried to be left out as a whole: where that fails, it has cost as much as reading it."""

_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_PLAIN = re.compile(rb'[^"\[\]{},]*+')
_SKIPPED = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = tuple((one in b"[{") - (one in b"]}") for one in range(256))
_WHOLE_ESCAPES = re.compile(rb"(?:[^\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+", re.DOTALL)


class Shortening:
    """One line under way; `feed` it to its end, then take what is left by `finish`."""

    def __init__(self) -> None:
        """Begin outside of any value."""
        self._kept = bytearray()
        self._depth = 0
        self._shallow = 0
        self._left_at = 0
        self._in_text = False
        self._text = bytearray()
        self._text_room = 0
        self._rest = b""

    def feed(self, piece: bytes, /) -> None:
        """Read the next piece of the line."""
        data, self._rest = self._rest + piece, b""
        at, tries = 0, _TRIES
        while at < len(data) and not self._given_up():
            if self._in_text:
                at = self._within_text(data, at)
            elif self._left_at:
                tries -= 1
                at = (tries >= 0 and self._leave_all_out(data, at)) or self._leave_out(data, at)
            else:
                at = self._keep(data, at)

    def finish(self) -> bytes | None:
        """Return the shortened line; None if it is no whole JSON, or too long even so."""
        whole = not (self._in_text or self._depth or self._left_at or self._rest)
        return bytes(self._kept) if whole and not self._given_up() else None

    def _given_up(self) -> bool:
        return len(self._kept) > _MOST or self._depth > _DEEPEST

    def _within_text(self, data: bytes, at: int) -> int:
        found = _TEXT.match(data, at)
        end = at if found is None else found.end()
        if self._text_room > len(self._text):
            self._text += data[at : min(end, at + self._text_room - len(self._text))]
        if end == len(data):
            return end
        if data[end : end + 1] == b"\\":
            self._rest = data[end:]
            return len(data)
        self._end_text()
        return end + 1

    def _begin_text(self) -> None:
        self._in_text = True
        if not self._left_at:
            self._text_room = TEXT_BYTES if len(self._kept) < BUDGET else _LATE_TEXT_BYTES
            self._kept += b'"'

    def _end_text(self) -> None:
        self._in_text = False
        if not self._left_at:
            whole = _WHOLE_ESCAPES.match(self._text)
            self._kept += b"" if whole is None else whole[0]
            self._kept += b'"'
        self._text.clear()
        self._text_room = 0

    def _keep(self, data: bytes, at: int) -> int:
        found = _PLAIN.match(data, at)
        end = at if found is None else found.end()
        self._kept += data[at:end]
        mark = data[end : end + 1]
        if mark == b'"':
            self._begin_text()
        elif mark == b"," and self._too_much():
            self._left_at = self._depth
        else:
            self._kept += mark
            self._count(mark)
        return end + 1

    def _leave_all_out(self, data: bytes, at: int) -> int:
        """Leave out the rest of a piece at once and return its end; 0 where the list or object may end within it."""
        rest = data[at:]
        parts = rest.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        brackets = b"".join(parts[::2]).translate(None, _NO_BRACKETS)
        depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=self._depth))
        if min(depths) < self._left_at or max(depths) > _DEEPEST:
            return 0
        self._depth = depths[-1]
        if len(parts) % 2 == 0:
            self._begin_text()
            self._rest = b"\\" * (_backslashes(rest) % 2)
        return len(data)

    def _leave_out(self, data: bytes, at: int) -> int:
        found = _SKIPPED.match(data, at)
        end = at if found is None else found.end()
        mark = data[end : end + 1]
        if mark == b'"':
            self._begin_text()
        else:
            self._count(mark)
            if self._depth < self._left_at:
                self._left_at = 0
                self._kept += mark
        return end + 1

    def _count(self, mark: bytes) -> None:
        if mark and mark in b"[{":
            if not self._depth and mark == b"[":
                self._shallow = 1
            self._depth += 1
        elif mark and mark in b"]}":
            self._depth -= 1

    def _too_much(self) -> bool:
        """Tell whether the rest of this list or object is left out; what a message itself holds never is."""
        return len(self._kept) >= BUDGET and self._depth >= _SHALLOW + self._shallow


def _backslashes(data: bytes) -> int:
    """Return how many end a piece; an odd number leaves an escape open."""
    return len(data) - len(data.rstrip(b"\\"))
