"""The text under which an entry is shown: whole if it is short, else its head and what lies around the hit."""

from groundtrace.text import clean

SHOWN_BYTES = 32 * 1024
"""The longest text of an entry, in bytes of UTF-8."""


def shown(entry: bytes, hit: int, /) -> tuple[str, bool]:
    """Return an entry's text without its line end, and whether something was left out; `hit` is an offset in it."""
    entry = entry.rstrip(b"\n")
    if len(entry) <= SHOWN_BYTES:
        return clean(entry.decode(errors="replace")), False
    half = SHOWN_BYTES // 2
    around = min(max(half, hit - half // 2), len(entry) - half)
    pieces = [_text(entry[:half])]
    if around > half:
        pieces.append(f" [... {around - half:,} bytes left out ...] ")
    pieces.append(_text(entry[around : around + half]))
    left = len(entry) - around - half
    if left > 0:
        pieces.append(f" [... {left:,} bytes left out]")
    return clean("".join(pieces)), True


def _text(piece: bytes) -> str:
    """Decode a piece whose ends may cut a character."""
    return piece.decode(errors="ignore")
