"""The rows of a batch, built before it goes anywhere: one whose building breaks costs neither thread nor batch."""

from collections.abc import Iterable

from groundtrace_adapters.sinks.held import Held
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.reports import report_lost


def built(batch: Iterable[Held], holding: Holding, /) -> list[Held]:
    """Return those of a batch that have their row now; any other is refused, and reported without its content.

    Building a row is total, and redaction is part of it: what breaks here is a bug or a machine without memory, and
    the only one of its faults that would end the sink's thread.
    """
    good = []
    for held in batch:
        why = _why_not(held)
        if why is None:
            good.append(held)
        else:
            report_lost([held], why)
            holding.refused(held, why)
    return good


def _why_not(held: Held) -> str | None:
    try:
        _ = held.row
    except Exception as fault:  # noqa: BLE001 - a bug in one row must not cost the others
        return f"its row could not be built ({type(fault).__name__})"
    return None
