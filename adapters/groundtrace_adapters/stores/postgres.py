"""The store on a PostgreSQL server, 15 or newer, through psycopg 3 and its pool; `groundtrace migrate` comes first."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg_pool import ConnectionPool
from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.ports import StoreError
from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.postgres_connections import BoundedConnection, PostgresConnections, PostgresLimits
from groundtrace_adapters.stores.postgres_faults import broke_the_connection, postgres_error
from groundtrace_adapters.stores.record_codec import Plain
from groundtrace_adapters.stores.sql_store import Engine, SqlStore, Work
from groundtrace_adapters.stores.sql_text import POSTGRES, Dialect

Given = TypeVar("Given")

DEFAULT_LIMITS = PostgresLimits()


class PostgresStore(SqlStore):
    """InvocationStore, EvaluationStore and KeyKeeper in one database.

    The constructor connects to nothing; each method gives the fault in its Result within the `limits`, and tries anew
    the next time.
    """

    def __init__(self, dsn: str, /, *, limits: PostgresLimits = DEFAULT_LIMITS) -> None:
        super().__init__(_PostgresEngine(PostgresConnections(dsn, limits)))


class _PostgresEngine(Engine):
    def __init__(self, connections: PostgresConnections, /) -> None:
        self._connections = connections

    @property
    @override
    def dialect(self) -> Dialect:
        return POSTGRES

    @override
    def read(self, operation: str, work: Callable[[Work], Given], /) -> Result[Given, StoreError]:
        return self._run(operation, IsolationLevel.REPEATABLE_READ, work)

    @override
    def write(self, operation: str, work: Callable[[Work], Given], /) -> Result[Given, StoreError]:
        # Read committed, whatever the database's default: after a conflict each row that was first must be seen.
        return self._run(operation, IsolationLevel.READ_COMMITTED, work)

    @override
    def close(self) -> None:
        self._connections.close()

    def _run(self, operation: str, level: IsolationLevel, work: Callable[[Work], Given]) -> Result[Given, StoreError]:
        return self._connections.pool(operation).bind(lambda pool: self._in_transaction(pool, operation, level, work))

    def _in_transaction(
        self,
        pool: ConnectionPool[BoundedConnection],
        operation: str,
        level: IsolationLevel,
        work: Callable[[Work], Given],
    ) -> Result[Given, StoreError]:
        try:
            with pool.connection() as connection:
                connection.isolation_level = level
                given = work(_PostgresWork(connection))
            # Only here is it committed: leaving the block commits, and raises if that fails.
            return result.Success(given)
        except psycopg.Error as error:
            if broke_the_connection(error):
                self._connections.drop(pool)
            return result.Failure(postgres_error(error, operation, self._connections.place))


class _PostgresWork(Work):
    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], /) -> None:
        self._connection = connection

    @override
    def fetch(self, statement: str, parameters: Mapping[str, object], /) -> Answer:
        return self._connection.execute(statement.encode(), parameters).fetchall()

    @override
    def run_many(self, statement: str, parameters: Iterable[Plain], /) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(statement.encode(), parameters)
