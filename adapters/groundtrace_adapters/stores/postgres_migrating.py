"""Migration and its status for a PostgreSQL database, and whatever else takes a connection of its own and patience."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import psycopg
from returns import result
from returns.result import Result

from groundtrace.ports import StoreError
from groundtrace_adapters.stores.postgres_connections import PostgresConnections, PostgresLimits
from groundtrace_adapters.stores.postgres_faults import postgres_error
from groundtrace_adapters.stores.postgres_partitions import partition_by_month
from groundtrace_adapters.stores.postgres_schema import STEPS, Connection, migrate_postgres, postgres_status
from groundtrace_adapters.stores.schema import Migrated, SchemaStatus, Step

Given = TypeVar("Given")

# A later step may build an index over many rows, and waits for the migration that another program has begun.
_PATIENT = PostgresLimits(statement_seconds=600.0, lock_seconds=60.0)


def migrate_database(dsn: str, /, *, steps: Sequence[Step] = STEPS) -> Result[Migrated, StoreError]:
    """Apply what is pending."""
    return on_database(dsn, "migrate", lambda connection: migrate_postgres(connection, steps=steps))


def partition_database(dsn: str, /) -> Result[None, StoreError]:
    """Turn an empty store that is up to date into one of monthly partitions."""
    return on_database(dsn, "migrate", partition_by_month)


def database_status(dsn: str, /, *, steps: Sequence[Step] = STEPS) -> Result[SchemaStatus, StoreError]:
    """Tell where the database stands; changes nothing."""
    return on_database(dsn, "status", lambda connection: postgres_status(connection, steps=steps))


def on_database(
    dsn: str, operation: str, work: Callable[[Connection], Result[Given, StoreError]], /
) -> Result[Given, StoreError]:
    """Run `work` on a connection of its own, whose steps may take long."""
    connections = PostgresConnections(dsn, _PATIENT)
    try:
        with connections.connect() as connection:
            return work(connection)
    except psycopg.Error as error:
        return result.Failure(postgres_error(error, operation, connections.place))
