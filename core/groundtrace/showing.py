"""Which rows a role is shown, under which labels: `e1`, `e2`, ... in the order of the rows (DESIGN section 8)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from groundtrace.invocation import Invocation, row_order
from groundtrace.roles import RowState, Shown

ROWS_SHOWN = 200
"""The most rows that are shown; of a longer turn these are the latest, and the others carry nothing."""


def label_rows(
    rows: Sequence[Invocation],
    /,
    *,
    repeated: Sequence[Invocation] = (),
    whole: Mapping[str, str] | None = None,
    spooled: Collection[str] = (),
    lost: Collection[str] = (),
    now: datetime | None = None,
) -> tuple[Shown, ...]:
    """Return the rows of this turn and those that its Deduped rows repeat, numbered in the order of rows.

    `repeated` are rows of earlier turns; they get their age at `now` (with a zone), in seconds. `whole` maps ids to
    whole redacted outputs where this process holds them. `spooled` and `lost` are ids as the barrier found them. A row
    that is given twice is shown once.
    """
    held = whole or {}
    earlier = {row.id for row in repeated} - {row.id for row in rows}
    by_id = {row.id: row for row in (*repeated, *rows)}
    ordered = sorted(by_id.values(), key=row_order)
    return tuple(
        Shown(
            label=f"e{number}",
            row=row,
            text=held.get(row.id, row.output_preview or ""),
            whole=row.id in held,
            state=_state(row.id, spooled, lost),
            age_seconds=(now - row.started_at).total_seconds() if now is not None and row.id in earlier else None,
        )
        for number, row in enumerate(ordered[-ROWS_SHOWN:], start=1)
    )


def _state(row_id: str, spooled: Collection[str], lost: Collection[str]) -> RowState:
    if row_id in lost:
        return RowState.LOST
    return RowState.SPOOLED if row_id in spooled else RowState.STORED
