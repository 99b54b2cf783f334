"""A store that somebody else wrote: everything in one pickled file, read and written whole under a lock.

It shows how little the contract asks for, and is held to it by `test_pickle_store.py`. It is slow on purpose.
"""

import fcntl
import os
import pickle
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from returns import result
from returns.result import Result

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation, row_order
from groundtrace.ports import SUMMED_ROWS, Fate, SessionLine, StoreError, StoreFault, StoreUpkeep
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS, Plain, RecordCodec

Given = TypeVar("Given")

STAMP_BYTES = 16
"""How a file begins: at random with each write, so that another store sees that it was written."""

Table = dict[str, dict[str, tuple[Any, object]]]
"""By session and id: the record, and the digest by which equal content is known."""


@dataclass(slots=True)
class Held:
    """All that the file holds."""

    rows: Table = field(default_factory=dict)
    evaluations: Table = field(default_factory=dict)
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))


class PickleStore:
    """Rows, evaluations and the redaction key in a file."""

    def __init__(self, path: Path, /) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._closed = False
        self._known: tuple[bytes, Held] | None = None

    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._keep("append", INVOCATIONS, rows, lambda held: held.rows)

    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        def page(held: Held) -> tuple[Invocation, ...]:
            behind = [row for row in _rows(held, session_id) if after is None or row_order(row) > row_order(after)]
            return tuple(behind[: max(limit, 0)])

        return self._read("rows", page)

    def find(self, session_id: str, ids: Sequence[str], /) -> Result[tuple[Invocation, ...], StoreError]:
        wanted = frozenset(ids)
        return self._read("find", lambda held: tuple(row for row in _rows(held, session_id) if row.id in wanted))

    def entries(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        return self._read("entries", lambda held: entries_of(summarize(_rows(held, session_id))))

    def entries_within(
        self, scope: SummaryScope, /, *, most: int = SUMMED_ROWS
    ) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        def chosen(held: Held) -> list[Invocation]:
            named = held.rows.keys() if scope.sessions is None else set(scope.sessions)
            return [row for session in named for row in _rows(held, session) if scope.covers(row.started_at)]

        return self._read("entries_within", chosen).bind(
            lambda rows: (
                result.Failure(_error(StoreFault.TOO_MANY, "entries_within", f"more than {most} rows"))
                if len(rows) > most
                else result.Success(entries_of(summarize(rows)))
            )
        )

    def sessions(
        self, *, before: SessionLine | None = None, limit: int = 100
    ) -> Result[tuple[SessionLine, ...], StoreError]:
        def lines(held: Held) -> tuple[SessionLine, ...]:
            names = held.rows.keys() | held.evaluations.keys()
            every = sorted((_line(name, held) for name in names), key=_listed)
            behind = [line for line in every if before is None or _listed(line) > _listed(before)]
            return tuple(behind[: max(limit, 0)])

        return self._read("sessions", lines)

    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        kept = self._keep("save", EVALUATIONS, [evaluation], lambda held: held.evaluations)
        return kept.map(lambda fates: fates[0])

    def evaluations(
        self, session_id: str, /, *, latest: int | None = None
    ) -> Result[tuple[Evaluation, ...], StoreError]:
        every = self._read("evaluations", lambda held: _evaluations(held, session_id))
        return every.map(lambda saved: saved if latest is None else saved[max(0, len(saved) - max(latest, 0)) :])

    def redaction_key(self) -> Result[bytes, StoreError]:
        with self._file("redaction_key") as opened:
            return opened.map(lambda file: self._written(file, lambda held: held.key))

    def check(self) -> Result[None, StoreError]:
        return self._read("check", lambda _: None)

    def upkeep(self) -> StoreUpkeep:
        raise NotImplementedError("this store is not looked after: it leaves out the suite of `StoreUpkeep`")

    def close(self) -> None:
        self._closed = True

    def _keep(
        self, operation: str, codec: RecordCodec[Any], records: Sequence[Any], table: Callable[[Held], Table]
    ) -> Result[tuple[Fate, ...], StoreError]:
        def kept(plain: Sequence[Plain]) -> Result[tuple[Fate, ...], StoreError]:
            # Read back from the plain values: times in UTC, say.
            stored = [(codec.decode(tuple(one.values())[:-1], operation=operation).unwrap(), one) for one in plain]
            with self._file(operation) as opened:
                return opened.map(
                    lambda file: self._written(
                        file, lambda held: tuple(self._fate(table(held), *pair) for pair in stored)
                    )
                )

        # The codec refuses what no store can keep.
        return codec.encode_all(records, operation=operation).bind(kept)

    def _fate(self, table: Table, record: Any, plain: Plain) -> Fate:
        session = table.setdefault(record.session_id, {})
        _, digest = session.setdefault(record.id, (record, plain["row_digest"]))
        return Fate.STORED if digest == plain["row_digest"] else Fate.ID_CONFLICT

    def _read(self, operation: str, work: Callable[[Held], Given]) -> Result[Given, StoreError]:
        with self._file(operation) as opened:
            return opened.map(lambda file: work(self._held(file)))

    def _held(self, file: Any) -> Held:
        """Return what the file holds, unread where it is as this store left it."""
        stamp = file.read(STAMP_BYTES)
        if self._known is None or self._known[0] != stamp:
            self._known = (stamp, pickle.load(file) if stamp else Held())
        return self._known[1]

    def _written(self, file: Any, work: Callable[[Held], Given]) -> Given:
        held = self._held(file)
        done = work(held)
        file.seek(0)
        file.truncate()
        stamp = secrets.token_bytes(STAMP_BYTES)
        file.write(stamp + pickle.dumps(held))
        file.flush()
        os.fsync(file.fileno())
        self._known = (stamp, held)
        return done

    @contextmanager
    def _file(self, operation: str) -> Iterator[Result[Any, StoreError]]:
        """Open the file alone; a place that is away, and a closed store, are values."""
        with self._lock:
            if self._closed:
                yield result.Failure(_error(StoreFault.UNAVAILABLE, operation, "the store is closed"))
                return
            try:
                file = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
            except OSError as refused:
                yield result.Failure(_error(StoreFault.UNAVAILABLE, operation, f"no such place ({refused.strerror})"))
                return
            with file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield result.Success(file)


def _rows(held: Held, session_id: str) -> list[Invocation]:
    return sorted((row for row, _ in held.rows.get(session_id, {}).values()), key=row_order)


def _evaluations(held: Held, session_id: str) -> tuple[Evaluation, ...]:
    saved = [one for one, _ in held.evaluations.get(session_id, {}).values()]
    return tuple(sorted(saved, key=lambda one: (one.created_at, one.id)))


def _line(session_id: str, held: Held) -> SessionLine:
    rows = _rows(held, session_id)
    judged = _evaluations(held, session_id)
    times = [row.started_at for row in rows] or [one.created_at for one in judged]
    decision = judged[-1].decision.value if judged else None
    return SessionLine(
        session_id=session_id, first_at=min(times), last_at=max(times), rows=len(rows), decision=decision
    )


def _listed(line: SessionLine) -> tuple[float, str]:
    return -line.last_at.timestamp(), line.session_id


def _error(fault: StoreFault, operation: str, message: str) -> StoreError:
    return StoreError(fault=fault, operation=operation, message=message, retryable=fault is StoreFault.UNAVAILABLE)
