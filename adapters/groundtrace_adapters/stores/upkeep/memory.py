"""Upkeep of the store in memory."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Protocol, TypeVar

from returns.result import Result
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, StoreError, StoreUpkeep
from groundtrace.upkeep import Count, Page, Pruned, RecordKey, Selection, StoreStats
from groundtrace_adapters.stores.record_codec import Record
from groundtrace_adapters.stores.upkeep.retention import Line, dry, share_of

Given = TypeVar("Given")

_SESSIONS_LOOKED_AT = 500


class Held(Protocol[Record]):
    """Records of one kind: by session, and what else is held by key."""

    @property
    def sessions(self) -> dict[str, list[Record]]:
        """Return the records of each session."""

    @property
    def digests(self) -> dict[tuple[str, str], object]:
        """Return the digest of each record."""


class Answering(Protocol):
    """Runs work while nobody else does, and refuses where the store is closed."""

    def __call__(self, operation: str, work: Callable[[], Given], /) -> Result[Given, StoreError]:
        """Return what `work` gives."""


class MemoryUpkeep(StoreUpkeep):
    """StoreUpkeep over the two tables of a MemoryStore."""

    def __init__(
        self,
        rows: Held[Invocation],
        evaluations: Held[Evaluation],
        /,
        *,
        answer: Answering,
        save_all: Callable[[Sequence[Evaluation]], Result[tuple[Fate, ...], StoreError]],
    ) -> None:
        self._rows = rows
        self._evaluations = evaluations
        self._answer = answer
        self._save_all = save_all

    @override
    def invocations(
        self, chosen: Selection, /, *, after: RecordKey | None = None, limit: int = 1_000
    ) -> Result[Page[Invocation], StoreError]:
        return self._answer(
            "invocations", lambda: _page(self._rows.sessions, chosen, after, limit, lambda row: row.started_at)
        )

    @override
    def evaluations(
        self, chosen: Selection, /, *, after: RecordKey | None = None, limit: int = 1_000
    ) -> Result[Page[Evaluation], StoreError]:
        return self._answer(
            "evaluations", lambda: _page(self._evaluations.sessions, chosen, after, limit, lambda one: one.created_at)
        )

    @override
    def save_all(self, evaluations: Sequence[Evaluation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._save_all(evaluations)

    @override
    def prune(
        self, before: datetime, /, *, after: str = "", limit: int = 1_000, dry_run: bool = False
    ) -> Result[Pruned, StoreError]:
        return self._answer("prune", lambda: self._prune(before, after, max(limit, 1), dry_run=dry_run))

    @override
    def stats(self, *, exact: bool = False) -> Result[StoreStats, StoreError]:
        return self._answer("stats", self._stats)

    def _prune(self, before: datetime, after: str, limit: int, *, dry_run: bool) -> Pruned:
        sessions = sorted(self._rows.sessions.keys() | self._evaluations.sessions.keys())
        behind = sessions[bisect_right(sessions, after) :]
        lines = [self._line(session, before) for session in behind[:_SESSIONS_LOOKED_AT]]
        if dry_run:
            return dry(lines, before, whole=len(lines) == len(behind))
        share = share_of(lines, before, limit)
        gone = [self._rows_of(session) for session in share.sessions]
        evaluations = sum(_forget(self._evaluations, session) for session in share.sessions)
        for session in share.sessions:
            _forget(self._rows, session)
        return share.done(
            whole=share.looked_at == len(behind),
            sessions=len(share.sessions),
            rows=sum(map(len, gone)),
            evaluations=evaluations,
        )

    def _line(self, session: str, before: datetime) -> Line:
        rows, evaluations = self._rows_of(session), self._evaluations.sessions.get(session, [])
        times = [*(row.started_at for row in rows), *(one.created_at for one in evaluations)]
        return Line(
            session_id=session,
            last_at=max(times),
            old_rows=sum(row.started_at < before for row in rows),
            evaluations=len(evaluations),
        )

    def _rows_of(self, session: str) -> Sequence[Invocation]:
        return self._rows.sessions.get(session, [])

    def _stats(self) -> StoreStats:
        rows, evaluations = self._rows.sessions, self._evaluations.sessions
        outcomes = Counter(row.outcome.value for row in _every(rows))
        times = [row.started_at for row in _every(rows)] + [one.created_at for one in _every(evaluations)]
        return StoreStats(
            rows=Count(number=outcomes.total()),
            sessions=Count(number=len(rows.keys() | evaluations.keys())),
            evaluations=Count(number=sum(map(len, evaluations.values()))),
            outcomes={word: Count(number=outcomes[word]) for word in sorted(outcomes)},
            first_at=min(times, default=None),
            last_at=max(times, default=None),
            bytes=None,
            version=0,
            step="",
        )


def _every(sessions: Mapping[str, Sequence[Record]]) -> Iterator[Record]:
    return (record for records in sessions.values() for record in records)


def _forget(held: Held[Record], session: str) -> int:
    records = held.sessions.pop(session, [])
    for record in records:
        del held.digests[record.session_id, record.id]
    return len(records)


def _page(
    sessions: Mapping[str, Sequence[Record]],
    chosen: Selection,
    after: RecordKey | None,
    limit: int,
    time_of: Callable[[Record], datetime],
) -> Page[Record]:
    place = ("", "") if after is None else (after.session_id, after.id)
    wanted = sorted(sessions) if chosen.session_id is None else [chosen.session_id]
    behind = (
        record
        for session in wanted[bisect_left(wanted, place[0]) :]
        for record in sorted(sessions.get(session, ()), key=lambda one: one.id)
        if (session, record.id) > place
    )
    page = list(islice(behind, max(limit, 1)))
    last = page[-1] if next(behind, None) is not None else None
    return Page(
        records=tuple(record for record in page if _is_of(time_of(record), chosen)),
        next=None if last is None else RecordKey(session_id=last.session_id, id=last.id),
    )


def _is_of(time: datetime, chosen: Selection) -> bool:
    return (chosen.since is None or chosen.since <= time) and (chosen.until is None or time < chosen.until)
