"""Numbers of lines in a file that is read block by block, counted only as far as somebody asks for one.

Counting the line feeds of a file costs more than searching it for a text, and a search that finds nothing needs none.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

Count: TypeAlias = Callable[[int, int], int | None]
"""Counts the line feeds between two offsets of a file by reading it there again; None if there is no time for it."""

_AHEAD = 128


@dataclass(slots=True, kw_only=True)
class LineCounter:
    """Counts the lines of one file, block by block.

    `newlines` are the line feeds of its first blocks, as many as are known. Blocks with a number below `ahead` are
    counted as they pass, while their bytes are at hand; the others once a line behind them is asked for, by `again`.
    Where that is None (an archive), every block is counted as it passes.
    """

    newlines: list[int] = field(default_factory=list)
    ahead: int = 0
    again: Count | None = None
    _begins: list[int] = field(default_factory=list)
    _passed: int = 0
    _summed: int = 0
    _before: int = 0
    _inside: tuple[int, int] = (0, 0)

    def begin(self, offset: int, /) -> None:
        """Take the next block in hand, which begins at this offset of the file."""
        self._begins.append(offset)
        self._inside = (0, 0)

    def line_at(self, block: bytes, place: int, /) -> int | None:
        """Return the number of the line that `place` of the block in hand lies in; places come in their order.

        None where the lines before the block could not be counted.
        """
        number = len(self._begins) - 1
        self.ahead = max(self.ahead, number + _AHEAD)
        if not self._count_to(number):
            return None
        found, offset = self._inside
        if number < len(self.newlines) and len(block) - place < place - offset:
            found = self.newlines[number] - block.count(b"\n", place)
        else:
            found += block.count(b"\n", offset, place)
        self._inside = (found, place)
        return 1 + self._before + found

    def pass_by(self, *pieces: tuple[bytes, int]) -> None:
        """Be done with the block in hand, given as pieces with their ends."""
        self._passed += 1
        number = len(self._begins) - 1
        if number == len(self.newlines) and (number < self.ahead or self.again is None):
            found, offset = self._inside
            self.newlines.append(found + sum(data.count(b"\n", offset, end) for data, end in pieces))

    def passed(self) -> int | None:
        """Return how many line feeds are in the blocks that are done with; None where not all are counted."""
        return None if len(self.newlines) < self._passed else sum(self.newlines[: self._passed])

    def _count_to(self, number: int) -> bool:
        while len(self.newlines) < number:
            at = len(self.newlines)
            found = None if self.again is None else self.again(self._begins[at], self._begins[at + 1])
            if found is None:
                return False
            self.newlines.append(found)
        self._before += sum(self.newlines[self._summed : number])
        self._summed = number
        return True
