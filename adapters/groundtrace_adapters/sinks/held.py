"""One row on its way through a sink, and how much of such rows memory may hold."""

import sys
from dataclasses import dataclass

from groundtrace.invocation import Invocation

_ROW_ITSELF = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much is held in memory, and for how many seconds while the store does not answer; then the disk has it."""

    rows: int = 10_000
    weight: int = 64 * 1024 * 1024
    seconds: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Held:
    """A row on its way: its ticket (rows put later have larger ones), since when (monotonic), its weight in bytes."""

    ticket: int
    row: Invocation
    since: float
    weight: int


def weight_of(row: Invocation, /) -> int:
    """Return about how many bytes a row takes in memory; its texts are what differs."""
    texts = (row.input_params, row.output_preview, row.error_message, row.retrieval_details, row.details)
    return _ROW_ITSELF + sum(map(sys.getsizeof, texts))
