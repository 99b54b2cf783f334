"""The schema of a PostgreSQL store: where it stands, and the steps that bring it up to date in one transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

import psycopg
from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.schema import (
    CREATE_VERSIONS,
    READ_VERSIONS,
    Applied,
    Migrated,
    SchemaStatus,
    Step,
    pending,
    status_of,
    steps_in,
)

STEPS = steps_in("postgres_migrations")

# Two programs that migrate one database at once go one after the other; any fixed number of ours serves.
_LOCK = 0x67726F756E64

# Tuples of whatever types the columns have.
Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]


def migrate_postgres(connection: Connection, /, *, steps: Sequence[Step] = STEPS) -> Result[Migrated, StoreError]:
    """Apply what is pending, all or nothing; safe to run twice at once. Raises psycopg.Error for the caller.

    Changes nothing in a database whose encoding is not UTF-8: it could not hold every text.
    """
    with connection.transaction():
        encoding = connection.execute("SHOW server_encoding").fetchone()
        if encoding != ("UTF8",):
            what = "the database's encoding is not UTF8"
            mend = "create one WITH ENCODING 'UTF8' TEMPLATE template0"
            return result.Failure(store_error(StoreFault.NOT_MIGRATED, "migrate", what, mend=mend))
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        return pending(steps, _applied(connection), operation="migrate").map(lambda rest: _apply(connection, rest))


def postgres_status(connection: Connection, /, *, steps: Sequence[Step] = STEPS) -> Result[SchemaStatus, StoreError]:
    """Return where the store stands. Raises psycopg.Error for the caller."""
    with connection.transaction():
        return status_of(steps, _applied(connection))


def postgres_ready(connection: Connection, operation: str, /) -> Result[None, StoreError]:
    """Refuse a store that is not up to date: only `groundtrace migrate` changes a server's schema."""
    status = postgres_status(connection)
    if is_successful(status) and status.unwrap().pending:
        what = f"the database lacks {len(status.unwrap().pending)} schema steps of groundtrace"
        return result.Failure(store_error(StoreFault.NOT_MIGRATED, operation, what))
    return status.map(lambda _: None)


def _applied(connection: Connection) -> Applied:
    if connection.execute("SELECT to_regclass('groundtrace_schema')").fetchone() == (None,):
        return []
    return connection.execute(READ_VERSIONS).fetchall()


def _apply(connection: Connection, steps: Sequence[Step]) -> Migrated:
    if steps:
        connection.execute(CREATE_VERSIONS)
    for step in steps:
        connection.execute(step.sql.encode())
        connection.execute(
            "INSERT INTO groundtrace_schema (version, name, sha256, applied_at) VALUES (%s, %s, %s, %s)",
            (step.version, step.name, step.sha256, datetime.now(UTC).isoformat()),
        )
    return Migrated(version=_applied(connection)[-1][0], applied=tuple(step.name for step in steps))
