"""Refuses log queries that mean nothing: no zone, an empty window, a limit out of range."""

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind
from groundtrace.sources import LogQuery, SourceError

MOST_ENTRIES = 1_000


def checked(query: LogQuery, /) -> Result[LogQuery, SourceError]:
    """Return the query itself if it can be answered."""
    for name, moment in (("start", query.start), ("end", query.end)):
        if moment is not None and moment.utcoffset() is None:
            return _refused(f"{name} has no zone; give one, such as Z or +01:00")
    if query.start is not None and query.end is not None and query.end <= query.start:
        return _refused("end is not after start; a window holds start <= time < end")
    if not 1 <= query.limit <= MOST_ENTRIES:
        return _refused(f"limit {query.limit} is out of range; give 1 to {MOST_ENTRIES:,}")
    return result.Success(query)


def _refused(words: str) -> Result[LogQuery, SourceError]:
    return result.Failure(SourceError(kind=FailureKind.ERROR, message=words))
