"""What a live PostgreSQL answers on a bad day, made by the server itself while callers record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

import psycopg
from psycopg import sql

from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.postgres_connections import PostgresLimits
from groundtrace_testing.durability.running import under_load
from groundtrace_testing.durability.tally import Tally, settled

Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]

_HASTY: Final = PostgresLimits(connect_seconds=2, pool_seconds=2.0, lock_seconds=0.3, statement_seconds=0.3)

# A sequence keeps its number when the transaction is undone: it tells how many batches the bad day has met.
_PREPARE: Final = b"""
CREATE TABLE bad_day (kind text NOT NULL);
CREATE TABLE other_lock (id int);
CREATE SEQUENCE bad_days;
CREATE FUNCTION bad_day() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wanted text := (SELECT kind FROM bad_day);
BEGIN
    IF wanted IS NULL THEN RETURN NULL; END IF;
    PERFORM nextval('bad_days');
    IF wanted = 'slow' THEN PERFORM pg_sleep(60);
    ELSIF wanted = 'crosswise' THEN LOCK TABLE other_lock IN ACCESS EXCLUSIVE MODE;
    ELSE RAISE EXCEPTION USING ERRCODE = wanted;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER bad_day AFTER INSERT ON tool_invocation FOR EACH STATEMENT EXECUTE FUNCTION bad_day()
"""


def bad_answers(address: str, spool: Path, /, *, kind: str, seconds: float) -> tuple[Tally, float]:
    """Let the server of a migrated database answer so for some seconds, and then as always.

    Fails unless at least one batch met the bad day.
    """
    store = PostgresStore(address, limits=_HASTY)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(_PREPARE)
        with under_load(address, spool, name=f"answers-{kind}", store=store, bounds=Bounds(seconds=0.2)) as running:
            running.until("stored")
            with BAD_DAYS[kind](connection):
                time.sleep(seconds)
            running.until("stored")
        if kind not in _UNCOUNTED:
            assert connection.execute("SELECT is_called FROM bad_days").fetchone() == (True,), f"no batch met {kind}"
    return settled(address, spool, running.told), running.load.slowest_put


@contextmanager
def _answering(wanted: str, connection: Connection, /) -> Iterator[None]:
    connection.execute("INSERT INTO bad_day VALUES (%s)", (wanted,))
    yield
    connection.execute("DELETE FROM bad_day")


@contextmanager
def _crosswise(connection: Connection, /) -> Iterator[None]:
    """Hold the lock that each insert wants, and then want the one that it holds: a deadlock, again and again."""
    ended = threading.Event()
    other = threading.Thread(target=_want_both, args=(connection.info.dsn, ended))
    with _deadlocks_told_at_once(connection), _answering("crosswise", connection):
        other.start()
        yield
        ended.set()
        other.join()
    assert _deadlocks(connection), "there was no deadlock"


def _want_both(dsn: str, ended: threading.Event) -> None:
    # Whoever looks first is told of the deadlock, and gives way; that shall be the writer.
    with psycopg.connect(dsn, autocommit=True, options="-cdeadlock_timeout=60s") as other:
        while not ended.is_set():
            with other.transaction():
                other.execute("LOCK TABLE other_lock IN ACCESS EXCLUSIVE MODE")
                ended.wait(0.05)
                other.execute("LOCK TABLE tool_invocation IN ACCESS EXCLUSIVE MODE")


@contextmanager
def _deadlocks_told_at_once(connection: Connection) -> Iterator[None]:
    with _default(connection, "deadlock_timeout", "10ms"):
        yield


def _deadlocks(connection: Connection) -> bool:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        told = connection.execute("SELECT deadlocks > 0 FROM pg_stat_database WHERE datname = current_database()")
        if told.fetchone() == (True,):
            return True
        time.sleep(0.05)
    return False


@contextmanager
def _read_only(connection: Connection, /) -> Iterator[None]:
    with _default(connection, "default_transaction_read_only", "on"):
        yield


@contextmanager
def _default(connection: Connection, name: str, value: str) -> Iterator[None]:
    """Change a setting of the database for all sessions from now on, and end those that there are."""
    database, setting = sql.Identifier(connection.info.dbname), sql.Identifier(name)
    connection.execute(sql.SQL("ALTER DATABASE {} SET {} = {}").format(database, setting, sql.Literal(value)))
    _end_sessions(connection)
    yield
    connection.execute(sql.SQL("ALTER DATABASE {} RESET {}").format(database, setting))
    _end_sessions(connection)


@contextmanager
def _ending_sessions(connection: Connection, /) -> Iterator[None]:
    for _ in range(5):
        _end_sessions(connection)
        time.sleep(0.05)
    yield


def _end_sessions(connection: Connection) -> None:
    connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = 'groundtrace'"
    )


BAD_DAYS: Final[Mapping[str, Callable[[Connection], AbstractContextManager[None]]]] = MappingProxyType(
    {
        "statement timeout": partial(_answering, "slow"),
        "serialization failure": partial(_answering, "40001"),
        "deadlock": _crosswise,
        "disk full": partial(_answering, "53100"),
        "out of memory": partial(_answering, "53200"),
        "read only": _read_only,
        "sessions ended": _ending_sessions,
    }
)
"""Each bad day by name."""

_UNCOUNTED = frozenset({"read only", "sessions ended"})
