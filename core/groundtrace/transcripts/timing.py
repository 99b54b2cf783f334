"""When an imported call began and how long it took, as far as its transcript tells."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from groundtrace.recording import duration_from, milliseconds_from
from groundtrace.transcripts.events import Returned
from groundtrace.transcripts.open_call import OpenCall

UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""The start of calls of which nothing tells a time, a millisecond a position: seen at once to be no real time."""

NOT_TOLD = "not told by the trace"
BEFORE = "not told; the last time before it in the trace"
OF_RESULT = "not told; the time of the result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """`told` says how the start is known where the trace has none; `id_time` is the time that the row's id holds."""

    started_at: datetime
    duration_ms: int | None
    told: str | None
    skewed: bool
    id_time: datetime


def timing_of(call: OpenCall, returned: Returned | None, /, *, undated: datetime, unique: bool) -> Timing:
    """Return a call's times; the same for the same call in whatever file it stands, where ids are `unique`.

    A start that is not told is the last time before it in its session, else that of its result, else `undated` and a
    millisecond a position. The id's time is that of the result, which is told even where the call's is left out.
    """
    ended = None if returned is None else returned.at
    lasted, skewed = duration_from(call.called.at, ended)
    if returned is not None and returned.duration_ms is not None:
        lasted = milliseconds_from(returned.duration_ms)
    offset = timedelta(milliseconds=call.seq)
    started, told = next(
        (moment, words)
        for moment, words in (
            (call.called.at, None),
            (call.before, BEFORE),
            (ended, OF_RESULT),
            (undated + offset, NOT_TOLD),
        )
        if moment is not None
    )
    fixed = UNDATED if unique else UNDATED + offset
    id_time = ended or (fixed if told is NOT_TOLD else started)
    return Timing(started_at=started, duration_ms=lasted, told=told, skewed=skewed, id_time=id_time)
