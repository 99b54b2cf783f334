"""An SQLite file that is locked, read-only or of a newer release, and a store of either kind that is newer."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import psycopg

from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_adapters.stores.sqlite_connect import SqliteLimits
from groundtrace_testing.durability.places import is_server
from groundtrace_testing.durability.running import under_load
from groundtrace_testing.durability.tally import Tally, settled
from groundtrace_testing.stores import locked

_HASTY = Bounds(seconds=0.2)
_NEWER = "INSERT INTO groundtrace_schema (version, name, sha256, applied_at) VALUES (9999, 'newer', 'x', '2026-03-08')"


def locked_file(path: Path, spool: Path, /, *, seconds: float) -> tuple[Tally, float]:
    """Let another program hold the file's write lock for some seconds, longer than a writer waits for it."""
    migrate(str(path)).unwrap()
    store = SqliteStore(path, limits=SqliteLimits(busy_seconds=0.1))
    with under_load(str(path), spool, name="locked", store=store, bounds=_HASTY) as running:
        running.until("stored")
        with closing(locked(path)):
            running.until("spooled")
            time.sleep(seconds)
        running.until("stored")
    return settled(str(path), spool, running.told), running.load.slowest_put


def read_only_file(path: Path, spool: Path, /) -> tuple[Tally, float]:
    """Record into a file that may only be read, which may be written when the next process starts."""
    migrate(str(path)).unwrap()
    store = SqliteStore(path, read_only=True)
    with under_load(str(path), spool, name="read-only", store=store, bounds=_HASTY) as running:
        running.until("spooled", rows=50)
    return settled(str(path), spool, running.told), running.load.slowest_put


def newer_schema(address: str, spool: Path, /) -> tuple[Tally, float]:
    """Record into a store that a newer release has migrated, and replay as that release would."""
    migrate(address).unwrap()
    _run(address, _NEWER)
    with under_load(address, spool, name="newer", bounds=_HASTY) as running:
        running.until("spooled", rows=50)
    _run(address, "DELETE FROM groundtrace_schema WHERE version = 9999")
    return settled(address, spool, running.told), running.load.slowest_put


def _run(address: str, statement: str) -> None:
    if is_server(address):
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement.encode())
        return
    with closing(sqlite3.connect(address, isolation_level=None)) as file:
        file.execute(statement)
