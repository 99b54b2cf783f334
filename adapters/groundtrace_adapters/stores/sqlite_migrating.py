"""Migration and its status for an SQLite file that nobody has open yet."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from returns import result
from returns.result import Result

from groundtrace.ports import StoreError
from groundtrace_adapters.stores.schema import Migrated, SchemaStatus, Step, status_of
from groundtrace_adapters.stores.sqlite_connect import connect
from groundtrace_adapters.stores.sqlite_faults import sqlite_error
from groundtrace_adapters.stores.sqlite_schema import STEPS, migrate_sqlite, sqlite_status

Given = TypeVar("Given")


def migrate_file(path: Path, /, *, steps: Sequence[Step] = STEPS) -> Result[Migrated, StoreError]:
    """Make the file if need be, and apply what is pending."""
    return _with(path, "migrate", lambda connection: migrate_sqlite(connection, steps=steps), read_only=False)


def file_status(path: Path, /, *, steps: Sequence[Step] = STEPS) -> Result[SchemaStatus, StoreError]:
    """Tell where the file stands; a file that is not there yet lacks every step, and is not made."""
    if not path.exists():
        return status_of(steps, [])
    return _with(path, "status", lambda connection: sqlite_status(connection, steps=steps), read_only=True)


def _with(
    path: Path, operation: str, work: Callable[[sqlite3.Connection], Result[Given, StoreError]], *, read_only: bool
) -> Result[Given, StoreError]:
    try:
        with closing(connect(path, read_only=read_only)) as connection:
            return work(connection)
    except sqlite3.Error as error:
        return result.Failure(sqlite_error(error, operation, path))
