"""The rows of a batch before it goes anywhere: one that cannot be built or written costs neither thread nor batch."""

from collections.abc import Callable, Iterable

from groundtrace_adapters.sinks.held import Held
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.spool_lines import UNWRITABLE, line_of


def built(batch: Iterable[Held], holding: Holding, /) -> list[Held]:
    """Return those of a batch that have their row now; any other is refused, and reported without its content.

    Building a row is total, and redaction is part of it: what breaks here is a bug or a machine without memory, and
    the only one of its faults that would end the sink's thread.
    """
    return _good(batch, holding, _why_not_built)


def writable(batch: Iterable[Held], holding: Holding, /) -> list[Held]:
    """Return those of a built batch that a spool can write; any other is refused, as `built` does.

    The recorder makes no other: this is for rows that a caller of the port made.
    """
    return _good(batch, holding, _why_not_written)


def _good(batch: Iterable[Held], holding: Holding, why_not: Callable[[Held], str | None]) -> list[Held]:
    good = []
    for held in batch:
        why = why_not(held)
        if why is None:
            good.append(held)
        else:
            holding.losses.tell([held], why)
            holding.refused(held, why)
    return good


def _why_not_built(held: Held) -> str | None:
    try:
        _ = held.row
    except BaseException as fault:  # noqa: BLE001 - a bug in one row, or in a policy, must not end the sink's thread
        return f"its row could not be built ({type(fault).__name__})"
    return None


def _why_not_written(held: Held) -> str | None:
    try:
        line_of(held.row)
    except UNWRITABLE as fault:
        return f"its row cannot be written ({type(fault).__name__})"
    return None
