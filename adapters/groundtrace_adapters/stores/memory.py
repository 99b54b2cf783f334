"""The store in memory: a real one, under the same contract, for tests and for runs that keep nothing."""

import secrets
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation, row_order
from groundtrace.ports import (
    SUMMED_ROWS,
    EvaluationStore,
    Fate,
    InvocationStore,
    KeyKeeper,
    SessionLine,
    StoreError,
    StoreFault,
    StoreUpkeep,
)
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.forking import call_in_child
from groundtrace_adapters.stores.faults import store_error, too_many
from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS, Plain, Record, RecordCodec

Given = TypeVar("Given")

MAX_RECORDS = 1_000_000
"""How many rows and evaluations a memory store takes before it says that it is full."""


@dataclass(slots=True, kw_only=True)
class _Table(Generic[Record]):
    """Records of one kind: per session in order, and a digest by key. Not for several threads at once."""

    codec: RecordCodec[Record]
    order: Callable[[Record], tuple[datetime, int, str]]
    sessions: defaultdict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    digests: dict[tuple[str, str], object] = field(default_factory=dict)

    def keep(self, record: Record, plain: Plain) -> Fate:
        key = (record.session_id, record.id)
        if key not in self.digests:
            self.digests[key] = plain["row_digest"]
            insort(self.sessions[record.session_id], record, key=self.order)
        return Fate.STORED if self.digests[key] == plain["row_digest"] else Fate.ID_CONFLICT

    def growth_by(self, records: Sequence[Record]) -> int:
        return len({(record.session_id, record.id) for record in records} - self.digests.keys())


class MemoryStore(InvocationStore, EvaluationStore, KeyKeeper):
    """InvocationStore, EvaluationStore and KeyKeeper of one process, gone with it; bounded by `max_records`."""

    def __init__(self, *, max_records: int = MAX_RECORDS) -> None:
        self._lock = Lock()
        self._closed = False
        self._room = max_records
        self._key = secrets.token_bytes(32)
        self._rows: _Table[Invocation] = _Table(codec=INVOCATIONS, order=row_order)
        self._evaluations: _Table[Evaluation] = _Table(codec=EVALUATIONS, order=_evaluation_order)
        call_in_child(self._free_lock)

    def _free_lock(self) -> None:
        self._lock = Lock()

    def check(self) -> Result[None, StoreError]:
        """Tell whether the store is open."""
        return self._answer("check", lambda: None)

    def close(self) -> None:
        """Take nothing more and give nothing more."""
        self._closed = True

    def upkeep(self) -> StoreUpkeep:
        """Return what looks after the whole store."""
        from groundtrace_adapters.stores.upkeep.memory import MemoryUpkeep

        return MemoryUpkeep(
            self._rows,
            self._evaluations,
            answer=self._answer,
            save_all=lambda evaluations: self._keep("save_all", self._evaluations, evaluations),
        )

    @override
    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._keep("append", self._rows, rows)

    @override
    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        def page() -> tuple[Invocation, ...]:
            held = self._rows.sessions.get(session_id, [])
            start = 0 if after is None else bisect_right(held, row_order(after), key=row_order)
            return tuple(held[start : start + max(limit, 0)])

        return self._answer("rows", page)

    @override
    def find(self, session_id: str, ids: Sequence[str], /) -> Result[tuple[Invocation, ...], StoreError]:
        wanted = frozenset(ids)
        return self._answer(
            "find", lambda: tuple(row for row in self._rows.sessions.get(session_id, ()) if row.id in wanted)
        )

    @override
    def entries(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        held = self._answer("entries", lambda: tuple(self._rows.sessions.get(session_id, ())))
        return held.map(lambda rows: entries_of(summarize(rows)))

    @override
    def entries_within(
        self, scope: SummaryScope, /, *, most: int = SUMMED_ROWS
    ) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        def held() -> tuple[Invocation, ...]:
            sessions = self._rows.sessions
            named = sessions.keys() if scope.sessions is None else set(scope.sessions) & sessions.keys()
            return tuple(row for session in named for row in sessions[session] if scope.covers(row.started_at))

        return self._answer("entries_within", held).bind(
            lambda rows: (
                result.Failure(too_many("entries_within", most))
                if len(rows) > most
                else result.Success(entries_of(summarize(rows)))
            )
        )

    @override
    def sessions(
        self, *, before: SessionLine | None = None, limit: int = 100
    ) -> Result[tuple[SessionLine, ...], StoreError]:
        lines = self._answer("sessions", self._lines)
        place = None if before is None else (-_instant(before.last_at), before.session_id)
        behind = lines.map(lambda every: [one for one in every if place is None or _listing_order(one) > place])
        return behind.map(lambda rest: tuple(sorted(rest, key=_listing_order)[: max(limit, 0)]))

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        return self._keep("save", self._evaluations, [evaluation]).map(lambda fates: fates[0])

    @override
    def evaluations(
        self, session_id: str, /, *, latest: int | None = None
    ) -> Result[tuple[Evaluation, ...], StoreError]:
        held = self._answer("evaluations", lambda: tuple(self._evaluations.sessions.get(session_id, ())))
        return held.map(lambda every: every if latest is None else every[max(0, len(every) - max(latest, 0)) :])

    @override
    def redaction_key(self) -> Result[bytes, StoreError]:
        return self._answer("redaction_key", lambda: self._key)

    def _keep(
        self, operation: str, table: _Table[Record], records: Sequence[Record]
    ) -> Result[tuple[Fate, ...], StoreError]:
        return table.codec.encode_all(records, operation=operation).bind(
            lambda plain: self._kept(operation, table, plain)
        )

    def _kept(
        self, operation: str, table: _Table[Record], plain: Sequence[Plain]
    ) -> Result[tuple[Fate, ...], StoreError]:
        # What is kept is read back from the plain values, as from any other store: times in UTC, say.
        return table.codec.decode_all([tuple(one.values())[:-1] for one in plain], operation=operation).bind(
            lambda kept: self._answer(
                operation, lambda: tuple(map(table.keep, kept, plain)), growth=lambda: table.growth_by(kept)
            )
        )

    def _lines(self) -> list[SessionLine]:
        ids = self._rows.sessions.keys() | self._evaluations.sessions.keys()
        return [_line(id, self._rows.sessions.get(id, []), self._evaluations.sessions.get(id, [])) for id in ids]

    def _answer(
        self, operation: str, work: Callable[[], Given], *, growth: Callable[[], int] = int
    ) -> Result[Given, StoreError]:
        with self._lock:
            if self._closed:
                error = store_error(StoreFault.UNAVAILABLE, operation, "the memory store is closed")
                return result.Failure(error)
            if len(self._rows.digests) + len(self._evaluations.digests) + growth() > self._room:
                return result.Failure(
                    store_error(StoreFault.FULL, operation, f"the memory store holds no more than {self._room} records")
                )
            return result.Success(work())


def _evaluation_order(evaluation: Evaluation) -> tuple[datetime, int, str]:
    return evaluation.created_at, 0, evaluation.id


def _line(session_id: str, rows: Sequence[Invocation], evaluations: Sequence[Evaluation]) -> SessionLine:
    times = [row.started_at for row in rows] or [one.created_at for one in evaluations]
    return SessionLine(
        session_id=session_id,
        first_at=times[0],
        last_at=times[-1],
        rows=len(rows),
        decision=evaluations[-1].decision.value if evaluations else None,
    )


def _listing_order(line: SessionLine) -> tuple[int, str]:
    return -_instant(line.last_at), line.session_id


def _instant(moment: datetime) -> int:
    return (moment - datetime.min.replace(tzinfo=UTC)) // timedelta(microseconds=1)
