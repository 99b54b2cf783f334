"""The embedded store: one SQLite file in WAL mode, for several threads and several processes at once."""

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TypeVar

from returns import result
from returns.pipeline import is_successful
from returns.result import Result
from typing_extensions import override

from groundtrace.ports import Fate, StoreError, StoreFault
from groundtrace_adapters.forking import call_in_child
from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.columns import Kind
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.plain_values import to_plain
from groundtrace_adapters.stores.record_codec import Bindings, Record, RecordCodec
from groundtrace_adapters.stores.sql_store import SqlStore
from groundtrace_adapters.stores.sql_text import SQLITE, Dialect
from groundtrace_adapters.stores.sqlite_connect import SqliteLimits
from groundtrace_adapters.stores.sqlite_connections import SqliteConnections
from groundtrace_adapters.stores.sqlite_faults import sqlite_error
from groundtrace_adapters.stores.work import Work
from groundtrace_adapters.stores.write_text import bare_insert_text

Given = TypeVar("Given")

DEFAULT_LIMITS = SqliteLimits()

_INSTRUCTIONS_BETWEEN_LOOKS = 100_000


class SqliteStore(SqlStore):
    """InvocationStore, EvaluationStore and KeyKeeper in one file, which is made and migrated at first use.

    The constructor touches nothing; each method gives the fault in its Result, and tries anew the next time.
    `read_only` opens an existing store without changing it.
    """

    def __init__(
        self,
        path: str | Path,
        /,
        *,
        limits: SqliteLimits = DEFAULT_LIMITS,
        read_only: bool = False,
    ) -> None:
        super().__init__(_SqliteEngine(SqliteConnections(Path(path), limits, read_only=read_only), limits))


class _SqliteEngine(Engine):
    def __init__(self, connections: SqliteConnections, limits: SqliteLimits, /) -> None:
        self._connections = connections
        self._limits = limits
        # SQLite lets its waiting writers guess when to try again; within one process they queue here instead.
        self._writing = Lock()
        call_in_child(self._in_child)

    def _in_child(self) -> None:
        self._writing = Lock()

    @property
    @override
    def dialect(self) -> Dialect:
        return SQLITE

    @override
    def read(
        self, operation: str, work: Callable[[Work], Given], /, *, bounded: bool = False
    ) -> Result[Given, StoreError]:
        return self._run(operation, "BEGIN", lambda connection: work(_SqliteWork(connection)))

    @override
    def write(self, operation: str, work: Callable[[Work], Given], /) -> Result[Given, StoreError]:
        return self._write(operation, lambda connection: work(_SqliteWork(connection)))

    @override
    def keep(
        self, operation: str, codec: RecordCodec[Record], records: Sequence[Record], /
    ) -> Result[tuple[Fate, ...], StoreError]:
        return codec.as_bare_values(records, BINDINGS, operation=operation).bind(
            lambda rows: self._write(operation, lambda connection: _kept(connection, codec, records, rows))
        )

    @override
    def close(self) -> None:
        self._connections.close()

    def _write(self, operation: str, work: Callable[[sqlite3.Connection], Given]) -> Result[Given, StoreError]:
        if not self._writing.acquire(timeout=self._limits.busy_seconds):
            what = f"the SQLite store {self._connections.path} is being written by other threads"
            return result.Failure(store_error(StoreFault.LOCKED, operation, what, mend="try again"))
        try:
            return self._run(operation, "BEGIN IMMEDIATE", work)
        finally:
            self._writing.release()

    def _run(
        self, operation: str, begin: str, work: Callable[[sqlite3.Connection], Given]
    ) -> Result[Given, StoreError]:
        with self._connections.at_work():
            return self._in_transaction(operation, begin, work)

    def _in_transaction(
        self, operation: str, begin: str, work: Callable[[sqlite3.Connection], Given]
    ) -> Result[Given, StoreError]:
        taken = self._connections.take(operation)
        if not is_successful(taken):
            return result.Failure(taken.failure())
        connection = taken.unwrap()
        try:
            self._set_deadline(connection)
            connection.execute(begin)
            given = work(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            connection.close()
            return result.Failure(sqlite_error(error, operation, self._connections.path))
        except BaseException:
            connection.close()
            raise
        self._connections.give_back(connection)
        return result.Success(given)

    def _set_deadline(self, connection: sqlite3.Connection) -> None:
        deadline = time.monotonic() + self._limits.statement_seconds
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _INSTRUCTIONS_BETWEEN_LOOKS)


class _SqliteWork(Work):
    def __init__(self, connection: sqlite3.Connection, /) -> None:
        self._connection = connection

    @override
    def fetch(self, statement: str, parameters: Mapping[str, object], /) -> Answer:
        return self._connection.execute(statement, _bound(parameters)).fetchall()


def _kept(
    connection: sqlite3.Connection,
    codec: RecordCodec[Record],
    records: Sequence[Record],
    rows: Sequence[tuple[object, ...]],
) -> tuple[Fate, ...]:
    # Without a digest, which costs more than to look at the few rows that turn out to be there already.
    statement = f"{bare_insert_text(codec, '?')} ON CONFLICT (session_id, id) DO NOTHING"
    if connection.executemany(statement, rows).rowcount == len(rows):
        return (Fate.STORED,) * len(rows)
    keys = json.dumps([codec.key_of(record) for record in records])
    columns = ", ".join(f"kept.{name}" for name in (*codec.columns, "row_digest"))
    asked = connection.execute(_HELD.format(table=codec.table, columns=columns), (keys,))
    held = {(row[0], row[1]): row for row in asked}
    return tuple(codec.fate_beside(record, held[codec.key_of(record)]) for record in records)


def _bound(parameters: Mapping[str, object]) -> dict[str, object]:
    return {name: time_text(value) if isinstance(value, datetime) else value for name, value in parameters.items()}


def time_text(moment: datetime, /) -> str:
    """Return a time as stored: `2026-03-08T02:30:00.000000Z`, of one width, so that text sorts as time does."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


BINDINGS = Bindings({Kind.WORD: str, Kind.FLAG: int, Kind.TIME: time_text, Kind.WORDS: to_plain})
"""How SQLite is given words, flags and times."""

_HELD = """SELECT {columns} FROM json_each(?) AS key JOIN {table} AS kept
    ON kept.session_id = json_extract(key.value, '$[0]') AND kept.id = json_extract(key.value, '$[1]')"""
