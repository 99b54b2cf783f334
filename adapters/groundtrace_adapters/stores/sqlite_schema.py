"""The schema of an SQLite store: where it stands, and the steps that bring it up to date, all in one transaction."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import StoreError
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

STEPS = steps_in("sqlite_migrations")


def migrate_sqlite(connection: sqlite3.Connection, /, *, steps: Sequence[Step] = STEPS) -> Result[Migrated, StoreError]:
    """Apply what is pending, all or nothing; safe to run twice at once. Raises sqlite3.Error for the caller.

    A store that is up to date is only read.
    """
    now = pending(steps, _applied(connection), operation="migrate")
    if not is_successful(now) or not now.unwrap():
        return now.map(lambda _: Migrated(version=steps[-1].version, applied=()))
    connection.execute("BEGIN EXCLUSIVE")
    try:
        connection.execute(CREATE_VERSIONS)
        # Read again under the lock: another process may have been quicker.
        done = pending(steps, _applied(connection), operation="migrate").map(lambda rest: _apply(connection, rest))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return done.map(lambda names: Migrated(version=steps[-1].version, applied=names))


def sqlite_status(
    connection: sqlite3.Connection, /, *, steps: Sequence[Step] = STEPS
) -> Result[SchemaStatus, StoreError]:
    """Return where the store stands. Raises sqlite3.Error for the caller."""
    return status_of(steps, _applied(connection))


def _applied(connection: sqlite3.Connection) -> Applied:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'groundtrace_schema'")
    return connection.execute(READ_VERSIONS).fetchall() if found.fetchone() else []


def _apply(connection: sqlite3.Connection, steps: Sequence[Step]) -> tuple[str, ...]:
    for step in steps:
        for statement in statements_of(step.sql):
            connection.execute(statement)
        connection.execute(
            "INSERT INTO groundtrace_schema (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)",
            (step.version, step.name, step.sha256, datetime.now(UTC).isoformat()),
        )
    return tuple(step.name for step in steps)


def statements_of(script: str, /) -> Iterator[str]:
    """Yield a script's statements one by one: `executescript` would end the transaction that they belong to."""
    lines: list[str] = []
    for line in script.splitlines():
        lines.append(line)
        if sqlite3.complete_statement("\n".join(lines)):
            yield "\n".join(lines)
            lines = []
