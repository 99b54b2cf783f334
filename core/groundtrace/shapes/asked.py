"""What a call asked for, as far as it tells how whole its answer can be: the limit among its parameters."""

import re
from collections.abc import Mapping

LIMIT_NAMES = frozenset(
    {"limit", "maxresults", "maxrows", "maxlines", "maxentries", "maxitems", "pagesize", "perpage", "size"}
)
"""Parameters that say how many items an answer may have, compared without case and underscores."""

QUERY_NAMES = frozenset({"sql", "query", "statement"})
_LIMIT_CLAUSE = re.compile(
    r"(?:\blimit|\|\s*(?:head|take|limit)|\bfetch\s+(?:first|next))\s+(\d{1,9})"
    r"(?:\s+rows?\s+only)?(?:\s+offset\s+\d{1,18})?\s*;?\s*\Z",
    re.IGNORECASE,
)
_TAIL = 200


def limit_of(params: object, /) -> int | None:
    """Return how many items a call asked for at most: a parameter of that name, or the clause that ends its query.

    None where neither is there, and for a limit below 1. The smallest counts where there are several.
    """
    if not isinstance(params, Mapping):
        return None
    try:
        limits = [limit for name, value in params.items() if (limit := _limit(name, value)) is not None]
    except Exception:  # noqa: BLE001 - a mapping of the caller's own may raise anything
        return None
    return min(limits, default=None)


def _limit(name: object, value: object) -> int | None:
    if type(name) is not str:
        return None
    if type(value) is int:
        return value if value > 0 and name.replace("_", "").lower() in LIMIT_NAMES else None
    if type(value) is str and name.lower() in QUERY_NAMES:
        clause = _LIMIT_CLAUSE.search(value[-_TAIL:])
        return int(clause[1]) or None if clause else None
    return None


def limit_mark(count: int, limit: int | None, what: str, /) -> tuple[str, ...]:
    """Return a mark where an answer has as many items as the call asked for at most: there may be more."""
    reached = limit is not None and count >= limit
    return (f"{count:,} {what}, as many as the limit allows: there may be more",) if reached else ()
