"""The way to data servers through the entry of a store on several PostgreSQL servers: an engine and its faults.

An error of a data server comes as an answer of the entry, whose own connections are as good as before.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg_pool import ConnectionPool
from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.ports import Fate, StoreError, StoreFault
from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.postgres_connections import BoundedConnection, PostgresConnections, PostgresLimits
from groundtrace_adapters.stores.postgres_faults import postgres_error
from groundtrace_adapters.stores.record_codec import Record, RecordCodec
from groundtrace_adapters.stores.sharded.entry_rows import BINDINGS, Values, digests_held, insert_new
from groundtrace_adapters.stores.sharded.entry_text import ROWS_A_STATEMENT
from groundtrace_adapters.stores.sql_text import POSTGRES, Dialect
from groundtrace_adapters.stores.work import Work

Given = TypeVar("Given")

# The entry reaches a data server in REPEATABLE READ, where a row that another writer has just kept is an error of
# class 40 and not a conflict to be passed over; the next try sees that row.
_TRIES = 20

# What the entry says of a server that it cannot reach or that ended the session: a connection, an FDW, a shutdown.
_BEHIND = ("08", "HV", "57P")
_KEPT_OUT = "a rule that others have made for `{}` keeps a row out"
_NAMED = re.compile(r'server "(groundtrace_\d+)"')


class EntryEngine(Engine):
    """A pool of connections to the entry, for one data server or for what the entry itself answers."""

    def __init__(self, dsn: str, limits: PostgresLimits, /) -> None:
        """Connect to nothing yet."""
        self._connections = PostgresConnections(dsn, limits)
        self._patience = limits.lock_seconds

    @property
    @override
    def dialect(self) -> Dialect:
        return POSTGRES

    @override
    def read(
        self, operation: str, work: Callable[[Work], Given], /, *, bounded: bool = False
    ) -> Result[Given, StoreError]:
        return self.run(
            operation, lambda connection: work(_EntryWork(connection)), level=IsolationLevel.REPEATABLE_READ
        )

    @override
    def write(self, operation: str, work: Callable[[Work], Given], /) -> Result[Given, StoreError]:
        return self.run(operation, lambda connection: work(_EntryWork(connection)))

    @override
    def keep(
        self, operation: str, codec: RecordCodec[Record], records: Sequence[Record], /
    ) -> Result[tuple[Fate, ...], StoreError]:
        values = codec.as_values(records, BINDINGS, operation=operation)
        return values.bind(lambda known: self.keep_values(operation, codec, records, known))

    def keep_values(
        self, operation: str, codec: RecordCodec[Record], records: Sequence[Record], values: Sequence[Values], /
    ) -> Result[tuple[Fate, ...], StoreError]:
        """Keep records of one server as `keep` does, given their values."""
        # One statement is a transaction by itself, and spares two ways to the entry.
        level = None if len(values) <= ROWS_A_STATEMENT else IsolationLevel.READ_COMMITTED
        inserted = self.run(operation, lambda connection: insert_new(connection, codec, values), level=level)
        return inserted.bind(
            lambda number: (
                result.Success((Fate.STORED,) * len(records))
                if number == len(records)
                else self._compared(operation, codec, records)
            )
        )

    def _compared(
        self, operation: str, codec: RecordCodec[Record], records: Sequence[Record]
    ) -> Result[tuple[Fate, ...], StoreError]:
        keys = [codec.key_of(record) for record in records]
        held = self.run(operation, lambda connection: digests_held(connection, codec.table, keys))
        return held.bind(
            lambda digests: (
                result.Success(tuple(codec.fate_of(record, digests[codec.key_of(record)]) for record in records))
                if digests.keys() >= set(keys)
                else result.Failure(store_error(StoreFault.REFUSED_ROW, operation, _KEPT_OUT.format(codec.table)))
            )
        )

    @override
    def close(self) -> None:
        self._connections.close()

    def run(
        self,
        operation: str,
        work: Callable[[BoundedConnection], Given],
        /,
        *,
        level: IsolationLevel | None = IsolationLevel.READ_COMMITTED,
    ) -> Result[Given, StoreError]:
        """Run `work` in one transaction, or without one of ours if it is one statement and has no `level`.

        Again, and from its beginning, where another writer was quicker.
        """
        pool = self._connections.pool(operation)
        return pool.bind(lambda opened: self._until_settled(opened, operation, level, work))

    def _until_settled(
        self,
        pool: ConnectionPool[BoundedConnection],
        operation: str,
        level: IsolationLevel | None,
        work: Callable[[BoundedConnection], Given],
    ) -> Result[Given, StoreError]:
        until = time.monotonic() + self._patience
        for tries in count(1):
            try:
                with pool.connection() as connection:
                    given = work(_begun(connection, level))
                return result.Success(given)
            except psycopg.Error as error:
                if not _lost_a_race(error) or tries == _TRIES or time.monotonic() > until:
                    return result.Failure(self._told(error, pool, operation))
        raise AssertionError("a count does not end")

    def _told(self, error: psycopg.Error, pool: ConnectionPool[BoundedConnection], operation: str) -> StoreError:
        place = self._connections.place
        # What a data server said as it died is an ERROR here; only the entry itself ends our connection.
        if error.sqlstate is None or error.diag.severity_nonlocalized == "FATAL":
            self._connections.drop(pool)
        elif error.sqlstate.startswith(_BEHIND):
            named = _NAMED.search(error.diag.message_primary or "")
            place = f"{named[1] if named else 'a data server'} behind {place}"
        return postgres_error(error, operation, place)


class _EntryWork(Work):
    def __init__(self, connection: BoundedConnection, /) -> None:
        self._connection = connection

    @override
    def fetch(self, statement: str, parameters: Mapping[str, object], /) -> Answer:
        return self._connection.execute(statement.encode(), parameters).fetchall()


def _begun(connection: BoundedConnection, level: IsolationLevel | None) -> BoundedConnection:
    if not connection.autocommit:
        connection.autocommit = True
    if level is not None or not connection.owns_its_session:
        connection.begin(level or IsolationLevel.READ_COMMITTED)
    return connection


def _lost_a_race(error: psycopg.Error) -> bool:
    return error.sqlstate is not None and error.sqlstate.startswith("40")
