"""The store on a PostgreSQL server, 15 or newer, through psycopg 3 and its pool; `groundtrace migrate` comes first."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg.errors import UniqueViolation
from psycopg_pool import ConnectionPool
from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.ports import Fate, StoreError, StoreUpkeep
from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.postgres_connections import BoundedConnection, PostgresConnections, PostgresLimits
from groundtrace_adapters.stores.postgres_copy import Encoded, GivenUpError, copy_many, insert_one, keep_by_stage
from groundtrace_adapters.stores.postgres_faults import broke_the_connection, postgres_error
from groundtrace_adapters.stores.postgres_partitions import PostgresPartitions
from groundtrace_adapters.stores.record_codec import INVOCATIONS, Record, RecordCodec
from groundtrace_adapters.stores.sql_store import SqlStore
from groundtrace_adapters.stores.sql_text import POSTGRES, Dialect
from groundtrace_adapters.stores.work import Work

Given = TypeVar("Given")

DEFAULT_LIMITS = PostgresLimits()


class PostgresStore(SqlStore):
    """InvocationStore, EvaluationStore and KeyKeeper in one database.

    The constructor connects to nothing; each method gives the fault in its Result within the `limits`, and tries anew
    the next time.
    """

    def __init__(self, dsn: str, /, *, limits: PostgresLimits = DEFAULT_LIMITS) -> None:
        super().__init__(_PostgresEngine(PostgresConnections(dsn, limits)))
        self._dsn = dsn

    @override
    def upkeep(self) -> StoreUpkeep:
        from groundtrace_adapters.stores.upkeep.postgres import PostgresUpkeep

        return PostgresUpkeep(self._engine, self._dsn)


class _PostgresEngine(Engine):
    def __init__(self, connections: PostgresConnections, /) -> None:
        self._connections = connections
        self._partitions = PostgresPartitions()

    @property
    @override
    def dialect(self) -> Dialect:
        return POSTGRES

    @override
    def read(
        self, operation: str, work: Callable[[Work], Given], /, *, bounded: bool = False
    ) -> Result[Given, StoreError]:
        def within(connection: BoundedConnection) -> Given:
            in_months = self._partitions.known(connection)
            connection.begin(IsolationLevel.REPEATABLE_READ, any_plan=bounded and in_months)
            given = work(_PostgresWork(connection, in_months=in_months))
            connection.commit()
            return given

        return self._on_connection(operation, within)

    @override
    def write(self, operation: str, work: Callable[[Work], Given], /) -> Result[Given, StoreError]:
        # Read committed, whatever the database's default: after a conflict each row that was first must be seen.
        return self._run(operation, IsolationLevel.READ_COMMITTED, lambda connection: work(_PostgresWork(connection)))

    @override
    def keep(
        self, operation: str, codec: RecordCodec[Record], records: Sequence[Record], /
    ) -> Result[tuple[Fate, ...], StoreError]:
        # In the order of keys, so that two writers of the same rows never wait for each other crosswise; the sort is
        # stable, so of two rows with one key the first one given stays.
        encoded = Encoded(codec, sorted(records, key=codec.key_of), operation=operation)
        stored = (Fate.STORED,) * len(records)
        return self._on_connection(operation, lambda connection: self._keep_directly(connection, encoded)).bind(
            lambda done: result.Success(stored) if done else self._keep_by_stage(encoded, records, stored)
        )

    @override
    def close(self) -> None:
        self._connections.close()

    def _keep_directly(self, connection: BoundedConnection, encoded: Encoded[Record]) -> bool:
        if encoded.codec.table != INVOCATIONS.table:
            return _keep_directly(connection, encoded)
        ids = [record.id for record in encoded.records]
        return self._partitions.run(connection, ids, lambda: _keep_directly(connection, encoded))

    def _keep_by_stage(
        self, encoded: Encoded[Record], records: Sequence[Record], stored: tuple[Fate, ...]
    ) -> Result[tuple[Fate, ...], StoreError]:
        codec = encoded.codec
        held = self._run(encoded.operation, IsolationLevel.READ_COMMITTED, lambda one: keep_by_stage(one, encoded))
        return held.map(
            lambda digests: (
                tuple(codec.fate_of(record, digests[codec.key_of(record)]) for record in records) if digests else stored
            )
        )

    def _run(
        self, operation: str, level: IsolationLevel, work: Callable[[BoundedConnection], Given]
    ) -> Result[Given, StoreError]:
        def within(connection: BoundedConnection) -> Given:
            connection.begin(level)
            given = work(connection)
            connection.commit()
            return given

        return self._on_connection(operation, within)

    def _on_connection(self, operation: str, work: Callable[[BoundedConnection], Given]) -> Result[Given, StoreError]:
        return self._connections.pool(operation).bind(lambda pool: self._with(pool, operation, work))

    def _with(
        self, pool: ConnectionPool[BoundedConnection], operation: str, work: Callable[[BoundedConnection], Given]
    ) -> Result[Given, StoreError]:
        try:
            connection = pool.getconn()
            try:
                if not connection.autocommit:
                    connection.autocommit = True
                return result.Success(work(connection))
            except BaseException:
                # Of no use where the connection is lost; the pool sees that for itself.
                with suppress(psycopg.Error):
                    connection.rollback()
                raise
            finally:
                pool.putconn(connection)
        except GivenUpError as given_up:
            return result.Failure(given_up.refusal)
        except psycopg.Error as error:
            if broke_the_connection(error):
                self._connections.drop(pool)
            return result.Failure(postgres_error(error, operation, self._connections.place))


def _keep_directly(connection: BoundedConnection, encoded: Encoded[Record], /) -> bool:
    """Tell whether records were kept; not if a key is there. One statement of our session is its own transaction."""
    alone = connection.owns_its_session and len(encoded.pieces) == 1
    if not alone:
        connection.begin(IsolationLevel.READ_COMMITTED)
    try:
        if len(encoded.records) == 1:
            insert_one(connection, encoded.codec, encoded.records[0], operation=encoded.operation)
        else:
            copy_many(connection, encoded)
    except UniqueViolation:
        connection.rollback()
        return False
    if not alone:
        connection.commit()
    return True


class _PostgresWork(Work):
    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], /, *, in_months: bool = False) -> None:
        self._connection = connection
        self._in_months = in_months

    @property
    @override
    def in_months(self) -> bool:
        return self._in_months

    @override
    def fetch(self, statement: str, parameters: Mapping[str, object], /) -> Answer:
        return self._connection.execute(statement.encode(), parameters, binary=True).fetchall()
