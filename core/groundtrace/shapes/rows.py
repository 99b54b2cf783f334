"""Rows of a database: a cursor says how many there were without being read; a full page says that there may be more."""

from groundtrace import outcomes
from groundtrace.encoding import encode
from groundtrace.outcomes import NoEvidenceReason, Support
from groundtrace.shapes.asked import limit_mark
from groundtrace.shapes.declaring import found, marked, text_of, unread, whole
from groundtrace.shapes.shape import Body, Inner, Shape, Told

_CURSOR = ("fetchall", "fetchone", "rowcount")


def _is_cursor(value: object) -> bool:
    """Tell a cursor by its class (PEP 249, SQLAlchemy): nothing of the object itself is asked."""
    return all(hasattr(type(value), name) for name in _CURSOR)


def _cursor(value: object, inner: Inner) -> outcomes.Outcome | None:
    count = whole(encode(getattr(value, "rowcount", None)))
    gives_rows = getattr(value, "description", None) is not None or getattr(value, "returns_rows", False) is True
    if count is None:
        return None
    if not gives_rows and count > 0:
        return outcomes.Success(support=Support.INDIRECT, output=f"{count:,} rows affected")
    if count == 0:
        words = "0 rows" if gives_rows else "0 rows affected"
        return outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=words)
    return unread("the rows were not read when the call returned" if gives_rows else "how many rows is not known")


def _result(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read a result set as an object: rows beside their columns or their number."""
    rows = body.get("rows")
    if not isinstance(rows, list) or not any(name in body for name in ("columns", "fields", "rowcount", "row_count")):
        return None
    total = next((count for name in ("total", "total_rows") if (count := whole(body.get(name))) is not None), 0)
    shown = (f"{len(rows):,} of {total:,} rows are shown",) if total > len(rows) > 0 else ()
    return found(
        told.output, some=bool(rows), marks=(*more_marks(body), *shown, *limit_mark(len(rows), told.limit, "rows"))
    )


_MORE = {
    **dict.fromkeys(("truncated", "is_truncated", "isTruncated", "IsTruncated"), "the answer says that it is cut off"),
    **dict.fromkeys(("partial", "is_partial", "isPartial", "incomplete_results"), "the answer says that it is partial"),
    **dict.fromkeys(("has_more", "hasMore", "has_next_page", "hasNextPage"), "the answer says that there is more"),
    **dict.fromkeys(("timed_out", "timedOut"), "the answer says that its time ran out"),
}
_FURTHER = ("next_page_token", "nextPageToken", "NextToken", "next_token", "nextToken", "next_cursor", "nextCursor")


def more_marks(body: Body, /) -> tuple[str, ...]:
    """Return what an object says by known flags of its own that it does not hold: flags that are true, a next page."""
    flags = dict.fromkeys(words for name, words in _MORE.items() if body.get(name) is True)
    page = ("there is a further page",) if any(text_of(body.get(name)) for name in _FURTHER) else ()
    return (*flags, *page)


def _flagged(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read an object that says that it is not whole; what it holds is read without what says so."""
    marks = more_marks(body)
    if not marks:
        return None
    rest = {name: value for name, value in body.items() if name not in _MORE and name not in _FURTHER}
    held = told.inner(rest)
    if isinstance(held, outcomes.Success):
        return outcomes.Success(support=Support.INDIRECT, output=told.output, partial=(*held.partial, *marks))
    return marked(found(told.output, some=False), marks) if isinstance(held, outcomes.NoEvidence) else held


SQL_CURSOR = Shape(name="sql_cursor", fits=_is_cursor, read_object=_cursor)
SQL_RESULT = Shape(name="sql_result", members=frozenset({"rows"}), read_body=_result)
INCOMPLETE = Shape(name="incomplete", members=frozenset({*_MORE, *_FURTHER}), read_body=_flagged)
