"""Ids for rows that are imported: a UUIDv7 that holds the row's own start time and is equal for equal input.

So a trace that is imported twice is kept once, and its rows stand at their own time among others. A live call needs no
such id: it gets a fresh one before it runs, and two calls that look the same are two calls.
"""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 2**48 - 1
_VERSION, _VARIANT = 0x7, 0b10


def imported_id(started_at: datetime, /, *parts: str) -> str:
    """Return the UUIDv7 (RFC 9562) of a call that began at `started_at` and that `parts` tell apart from all others.

    Its time is that of `started_at` in whole milliseconds since 1970, at least 0 and at most 48 bits; so ids sort as
    those times do. Its other 74 bits are the head of a SHA-256 over the time to the microsecond and each part (a
    session, a place in a file, a span's id), where ("a", "bc") and ("ab", "c") differ. Raises ValueError for a time
    without a zone.
    """
    if started_at.utcoffset() is None:
        raise ValueError("started_at needs a time zone")
    since = started_at - _EPOCH
    milliseconds = min(max(since // timedelta(milliseconds=1), 0), _LATEST)
    tail = int.from_bytes(_digest(str(since // timedelta(microseconds=1)), *parts)[:10]) >> 6
    high, low = tail >> 62, tail & (1 << 62) - 1
    return str(UUID(int=milliseconds << 80 | _VERSION << 76 | high << 64 | _VARIANT << 62 | low))


def _digest(*parts: str) -> bytes:
    made = sha256()
    for part in parts:
        told = part.encode("utf-8", "surrogatepass")
        made.update(len(told).to_bytes(8))
        made.update(told)
    return made.digest()
