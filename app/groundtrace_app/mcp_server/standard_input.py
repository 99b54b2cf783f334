"""Standard input as lines for an event loop, read in threads that hold nobody: an interrupt waits for no line."""

import os
from collections.abc import AsyncIterator

from groundtrace_app.loop import in_own_thread

PIECE = 64 * 1024
LINE_BYTES = 64 * 1024 * 1024
"""The longest line; a longer one is cut there, and then is no message."""


async def input_lines(descriptor: int = 0, /) -> AsyncIterator[str]:
    """Yield each line with its end, the last one as it stands; what is no UTF-8 is replaced visibly."""
    held = bytearray()
    while piece := await in_own_thread(lambda: _read(descriptor)):
        begun = len(held)
        held += piece
        while (end := held.find(b"\n", begun)) >= 0 or len(held) > LINE_BYTES:
            cut = end + 1 if end >= 0 else LINE_BYTES
            yield held[:cut].decode("utf-8", "replace")
            del held[:cut]
            begun = 0
    if held:
        yield held.decode("utf-8", "replace")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, PIECE)
    except OSError:
        return b""
