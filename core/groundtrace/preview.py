"""What a row keeps of an output: a redacted head and tail, and the size and hash of the whole (DESIGN section 4).

A large output is never copied whole: it is hashed in pieces, and only two windows of it are read and redacted. The
windows reach over what is shown, so that a secret across the cut is seen whole and none is left by half.
"""

import hashlib
import re
from typing import NamedTuple

from groundtrace.invocation import OutputState
from groundtrace.outcomes import Output
from groundtrace.redaction import MARKER_CHARACTERS, MARKER_OPENING, Redactor
from groundtrace.text import clean, is_blank

HEAD = 1_500
"""Characters shown from the start of a long output."""

TAIL = 500
"""Characters shown from its end."""

MARGIN = 8 * 1024
"""Characters read beyond what is shown: longer than any private key."""

EDGE = 1_280
"""Characters at the inner edge of a window that are never shown: what is cut there cannot be known for a secret."""

WHOLE = 1024 * 1024
"""The longest whole output that a turn holds, in characters."""

_SHOWN = HEAD + TAIL
_SMALL = _SHOWN + 2 * MARGIN
_PIECE = 64 * 1024
_CONTINUATION = bytes(range(0x80, 0xC0))
# The rest of a run of key material whose start lies before the window.
_RUN = re.compile(r"[A-Za-z0-9+/=_.~%-]*")
_KEY_END = re.compile(r"(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----))*+-----END [A-Z ]{0,40}KEY(?: BLOCK)?-----")


class Preview(NamedTuple):
    """The output columns of a row.

    `text` is None with state `none`: there was no output (then `bytes` and `sha256` are None too) or nothing visible
    in it. `bytes` and `sha256` are those of the whole output as UTF-8, before redaction and cleaning.
    """

    text: str | None
    state: OutputState
    bytes: int | None
    sha256: str | None


_FULL = OutputState.FULL
NOTHING = Preview(None, OutputState.NONE, None, None)


def preview(output: Output | None, redactor: Redactor, /) -> Preview:
    """Return what a row keeps of an output: all of up to 2,000 redacted characters, else head and tail."""
    if output is None:
        return NOTHING
    if len(output) <= _SMALL:
        return _small(output, redactor)
    size, digest = _measure(output)
    shown = _cut_windows(output, redactor)
    state = OutputState.NONE if shown is None else OutputState.TRUNCATED
    return Preview(shown, state, size, digest)


def whole_redacted(output: Output | None, redactor: Redactor, /, *, limit: int = WHOLE) -> str | None:
    """Return the whole output, cleaned and redacted; None where there is none, or more than `limit` characters."""
    if output is None or len(output) > limit * (4 if isinstance(output, bytes) else 1):
        return None
    text = redactor.text(clean(_text_of(output)))
    return text if len(text) <= limit else None


def _small(output: Output, redactor: Redactor) -> Preview:
    if isinstance(output, str):
        data = output.encode() if output.isascii() else output.encode("utf-8", "surrogatepass")
        text = clean(output)
    else:
        data, text = output, clean(_text_of(output))
    size, digest = len(data), hashlib.sha256(data).hexdigest()
    if is_blank(text):
        return Preview(None, OutputState.NONE, size, digest)
    redacted = redactor.text(text)
    if len(redacted) <= _SHOWN:
        return Preview(redacted, _FULL, size, digest)
    shown = _joined(redacted[:-TAIL], redacted[HEAD:], total=len(redacted), edge=0)
    return Preview(shown, OutputState.TRUNCATED, size, digest)


def _cut_windows(output: Output, redactor: Redactor) -> str | None:
    """Return the redacted head and tail of a large output, None if neither shows anything."""
    head, tail, total = _windows(output)
    head, tail = clean(head), clean(tail)
    between = total - len(head) - len(tail)
    start = _start_of_tail(tail)
    redacted_head, redacted_tail = redactor.text(head), redactor.text(tail[start:])
    if is_blank(redacted_head[:HEAD]) and is_blank(redacted_tail[-TAIL:]):
        return None
    total = len(redacted_head) + between + start + len(redacted_tail)
    return _joined(redacted_head, redacted_tail, total=total, edge=EDGE)


def _windows(output: Output) -> tuple[str, str, int]:
    """Return the two windows of a large output and the number of its characters."""
    if isinstance(output, str):
        return output[: HEAD + MARGIN], output[-(TAIL + MARGIN) :], len(output)
    head, tail = _text_of(output[: HEAD + MARGIN]), _text_of(output[-(TAIL + MARGIN) :].lstrip(_CONTINUATION))
    return head, tail, _characters(output)


def _start_of_tail(tail: str) -> int:
    """Return where reading of the tail may start: behind a run or a private key whose start is not in the window."""
    run = _RUN.match(tail)
    start = run.end() if run else 0
    key = _KEY_END.match(tail)
    return max(start, key.end() if key else 0)


def _joined(head: str, tail: str, *, total: int, edge: int) -> str:
    """Return head and tail with the number of characters between them; no marker is cut in two."""
    end = _before_marker(head, min(HEAD, max(0, len(head) - edge)))
    start = _behind_marker(tail, max(len(tail) - TAIL, min(edge, len(tail)), 0))
    return f"{head[:end]}\n[... {total - end - len(tail) + start:,} characters left out ...]\n{tail[start:]}"


def _before_marker(text: str, cut: int) -> int:
    opening, closing = _marker_around(text, cut)
    return opening if opening < cut <= closing else cut


def _behind_marker(text: str, cut: int) -> int:
    opening, closing = _marker_around(text, cut)
    return closing + 1 if opening < cut <= closing else cut


def _marker_around(text: str, cut: int) -> tuple[int, int]:
    """Return the ends of the last marker that opens before `cut`; (-1, -1) if there is none."""
    opening = text.rfind(MARKER_OPENING, max(0, cut - MARKER_CHARACTERS), cut + len(MARKER_OPENING))
    return opening, text.find("]", opening, opening + MARKER_CHARACTERS) if opening >= 0 else -1


def _text_of(output: Output) -> str:
    return output if isinstance(output, str) else output.decode("utf-8", "replace")


def _characters(output: bytes) -> int:
    return sum(len(output[at : at + _PIECE].translate(None, _CONTINUATION)) for at in range(0, len(output), _PIECE))


def _measure(output: Output) -> tuple[int, str]:
    """Return size and hash of an output as UTF-8, holding one piece of it at a time."""
    digest, size = hashlib.sha256(), 0
    for at in range(0, len(output), _PIECE):
        piece = output[at : at + _PIECE]
        data = piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece
        digest.update(data)
        size += len(data)
    return size, digest.hexdigest()
