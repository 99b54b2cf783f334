"""Which sessions retention takes, and how many of them at once; pure (the rule stands at `StoreUpkeep.prune`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from groundtrace.upkeep import Pruned
from groundtrace_adapters.stores.plain_values import as_integer, as_text, as_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One session: the time of its last record, its rows that are older than the limit, and its evaluations."""

    session_id: str
    last_at: datetime
    old_rows: int
    evaluations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one transaction takes: `sessions`, in order, of `records` in all, out of the first `looked_at` lines.

    `kept_rows` are old rows among these lines that stay; `last` is the session of the last such line.
    """

    sessions: tuple[str, ...]
    records: int
    looked_at: int
    kept_rows: int
    last: str | None

    def done(self, *, whole: bool, sessions: int = 0, rows: int = 0, evaluations: int = 0) -> Pruned:
        """Return what became of it; `whole`: no session is left to look at."""
        return Pruned(
            sessions=sessions,
            rows=rows,
            evaluations=evaluations,
            kept_rows=self.kept_rows,
            next=None if whole else self.last,
        )


def line_from(row: tuple[object, ...], /) -> Line:
    """Return one session as the walk answers it: its last row's time and its last evaluation's, either may be NULL."""
    session_id, row_at, evaluation_at, old_rows, evaluations = row
    return Line(
        session_id=as_text(session_id),
        last_at=max(as_time(time) for time in (row_at, evaluation_at) if time is not None),
        old_rows=as_integer(old_rows),
        evaluations=as_integer(evaluations),
    )


def share_of(lines: Sequence[Line], before: datetime, limit: int, /) -> Share:
    """Return as many whole sessions as hold `limit` records, or one that holds more."""
    taken: list[str] = []
    records = kept_rows = looked_at = 0
    for line in lines:
        if line.last_at < before:
            if taken and records + line.old_rows + line.evaluations > limit:
                break
            taken.append(line.session_id)
            records += line.old_rows + line.evaluations
        else:
            kept_rows += line.old_rows
        looked_at += 1
    last = lines[looked_at - 1].session_id if looked_at else None
    return Share(sessions=tuple(taken), records=records, looked_at=looked_at, kept_rows=kept_rows, last=last)


def dry(lines: Sequence[Line], before: datetime, /, *, whole: bool) -> Pruned:
    """Return what would go of these sessions."""
    old = [line for line in lines if line.last_at < before]
    return Pruned(
        sessions=len(old),
        rows=sum(line.old_rows for line in old),
        evaluations=sum(line.evaluations for line in old),
        kept_rows=sum(line.old_rows for line in lines if line.last_at >= before),
        next=None if whole else lines[-1].session_id,
    )


def pruned(share: Share, sessions: int, rows: int, evaluations: int, /, *, after: str, whole: bool) -> Pruned:
    """Return what went; of one session that is larger than a transaction may be, a part, and the next step goes on.

    A session counts with its last part.
    """
    if len(share.sessions) == 1 and rows + evaluations < share.records:
        return Pruned(rows=rows, evaluations=evaluations, next=after)
    return share.done(whole=whole, sessions=sessions, rows=rows, evaluations=evaluations)
