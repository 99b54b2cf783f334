"""The ranges of ids by which a PostgreSQL store is cut into months; pure.

A UUIDv7 begins with its time, so the text order of ids is the order of time, and a month is a range of text. Every id
lies in exactly one range, whatever it looks like: one that is no UUIDv7 of the years 2020 to 2049 lies before them,
after them, or in the month whose ids it is sorted among. So there are 362 ranges and no DEFAULT partition.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

FIRST_YEAR, END_YEAR = 2020, 2050

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdRange:
    """One partition: its table, and the ids `first <= id < end` in it; None is without that end."""

    table: str
    first: str | None
    end: str | None

    @property
    def month(self) -> str:
        """Return the month's name, `2026-01`; `before` or `after` for a range without that end."""
        return self.table.removeprefix("tool_invocation_").replace("_", "-")


@cache
def id_ranges() -> tuple[IdRange, ...]:
    """Return all ranges in the order of ids: what lies before the months, each month, and what lies after them."""
    starts = _starts()
    names = [f"tool_invocation_{FIRST_YEAR + month // 12}_{month % 12 + 1:02}" for month in range(len(starts) - 1)]
    return (
        IdRange(table="tool_invocation_before", first=None, end=starts[0]),
        *(
            IdRange(table=name, first=first, end=end)
            for name, first, end in zip(names, starts, starts[1:], strict=False)
        ),
        IdRange(table="tool_invocation_after", first=starts[-1], end=None),
    )


def range_of(id: str, /) -> IdRange:
    """Return the range of an id, by code point as the column is ordered."""
    return id_ranges()[bisect_right(_starts(), id)]


def month_range(year: int, month: int, /) -> IdRange | None:
    """Return the range of a month, None outside of the years that have one."""
    if year not in range(FIRST_YEAR, END_YEAR) or month not in range(1, 13):
        return None
    return id_ranges()[1 + (year - FIRST_YEAR) * 12 + month - 1]


@cache
def _starts() -> tuple[str, ...]:
    months = [datetime(year, month, 1, tzinfo=UTC) for year in range(FIRST_YEAR, END_YEAR) for month in range(1, 13)]
    return tuple(map(_first_id, [*months, datetime(END_YEAR, 1, 1, tzinfo=UTC)]))


def _first_id(moment: datetime) -> str:
    """Return the text before which every UUIDv7 of an earlier millisecond is sorted, and no other one."""
    digits = f"{(moment - _EPOCH) // timedelta(milliseconds=1):012x}"
    return f"{digits[:8]}-{digits[8:]}-7"
