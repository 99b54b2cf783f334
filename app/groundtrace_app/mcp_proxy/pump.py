"""Bytes from one file descriptor to another, as they come: nothing is held back, changed or looked at on the way."""

import os
import select
from collections.abc import Callable
from enum import StrEnum

PIECE = 64 * 1024
"""What a pipe holds, in bytes."""


class PumpEnd(StrEnum):
    """Why a pump stopped: its writer has ended, or its reader has left."""

    WRITER_ENDED = "writer_ended"
    READER_LEFT = "reader_left"


def pump(source: int, target: int, saw: Callable[[bytes], None], /) -> PumpEnd:
    """Hand on what `source` gives until one side ends.

    `saw` is given each piece just before it is handed on, so that no answer is ever seen before its question.
    """
    while piece := _read(source):
        saw(piece)
        try:
            _write(target, piece)
        except OSError:
            return PumpEnd.READER_LEFT
    return PumpEnd.WRITER_ENDED


def _read(source: int) -> bytes:
    while True:
        try:
            return os.read(source, PIECE)
        except BlockingIOError:
            select.select([source], [], [])
        except OSError:
            return b""


def _write(target: int, piece: bytes) -> None:
    left = memoryview(piece)
    while left:
        try:
            left = left[os.write(target, left) :]
        except BlockingIOError:
            select.select([], [target], [])
