"""What a live PostgreSQL answers on a bad day, made by the server itself while callers record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

import psycopg
from psycopg import sql
from returns.result import Result
from typing_extensions import override

from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, StoreError
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.postgres_connections import PostgresLimits
from groundtrace_testing.durability.running import under_load
from groundtrace_testing.durability.tally import Tally, settled
from groundtrace_testing.sinks import eventually

Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]

_HASTY: Final = PostgresLimits(connect_seconds=2, pool_seconds=2.0, lock_seconds=0.3, statement_seconds=0.3)

_PREPARE: Final = b"""
CREATE TABLE bad_day (kind text NOT NULL);
CREATE TABLE other_lock (id int);
CREATE FUNCTION bad_day() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wanted text := (SELECT kind FROM bad_day);
BEGIN
    IF wanted IS NULL THEN RETURN NULL; END IF;
    IF wanted = 'slow' THEN PERFORM pg_sleep(60);
    ELSIF wanted = 'crosswise' THEN PERFORM pg_sleep(0.1); LOCK TABLE other_lock IN ACCESS EXCLUSIVE MODE;
    ELSE RAISE EXCEPTION USING ERRCODE = wanted;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER bad_day AFTER INSERT ON tool_invocation FOR EACH STATEMENT EXECUTE FUNCTION bad_day()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadDay:
    """How a day is made bad, and a word of what the store then says of it."""

    made: Callable[[Connection], AbstractContextManager[None]]
    told: str


class _Listening(PostgresStore):
    """The store as it ships, and what it said of its refusals."""

    def __init__(self, dsn: str, /) -> None:
        super().__init__(dsn, limits=_HASTY)
        self.said: list[str] = []

    @override
    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        return super().append(rows).alt(self._heard)

    def _heard(self, error: StoreError) -> StoreError:
        self.said.append(error.message)
        return error


def bad_answers(address: str, spool: Path, /, *, kind: str, seconds: float) -> tuple[Tally, float]:
    """Let the server of a migrated database answer so for some seconds, and then as always.

    The bad day lasts until at least one batch has met it.
    """
    store, day = _Listening(address), BAD_DAYS[kind]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(_PREPARE)
        with under_load(address, spool, name=f"answers-{kind}", store=store, bounds=Bounds(seconds=0.2)) as running:
            running.until("stored")
            with day.made(connection):
                time.sleep(seconds)
                assert eventually(lambda: any(day.told in line for line in store.said)), store.said
            running.until("stored")
    return settled(address, spool, running.told), running.load.slowest_put


@contextmanager
def _answering(wanted: str, connection: Connection, /) -> Iterator[None]:
    connection.execute("INSERT INTO bad_day VALUES (%s)", (wanted,))
    try:
        yield
    finally:
        connection.execute("DELETE FROM bad_day")


@contextmanager
def _crosswise(connection: Connection, /) -> Iterator[None]:
    """Hold the lock that each insert wants, and then want the one that it holds: a deadlock, again and again."""
    ended = threading.Event()
    other = threading.Thread(target=_want_both, args=(connection.info.dsn, ended))
    with _default(connection, "deadlock_timeout", "10ms"), _answering("crosswise", connection):
        other.start()
        try:
            yield
        finally:
            ended.set()
            other.join()


def _want_both(dsn: str, ended: threading.Event) -> None:
    # Whoever looks first, once both wait, is told of the deadlock and gives way; that shall be the writer.
    with psycopg.connect(dsn, autocommit=True, options="-cdeadlock_timeout=60s") as other:
        while not ended.is_set():
            with other.transaction():
                other.execute("LOCK TABLE other_lock IN ACCESS EXCLUSIVE MODE")
                other.execute("LOCK TABLE tool_invocation IN ACCESS EXCLUSIVE MODE")
            ended.wait(0.05)


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
    try:
        yield
    finally:
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


BAD_DAYS: Final[Mapping[str, BadDay]] = MappingProxyType(
    {
        "statement timeout": BadDay(made=partial(_answering, "slow"), told="QueryCanceled"),
        "serialization failure": BadDay(made=partial(_answering, "40001"), told="SerializationFailure"),
        "deadlock": BadDay(made=_crosswise, told="DeadlockDetected"),
        "disk full": BadDay(made=partial(_answering, "53100"), told="DiskFull"),
        "out of memory": BadDay(made=partial(_answering, "53200"), told="OutOfMemory"),
        "read only": BadDay(made=_read_only, told="ReadOnlySqlTransaction"),
        "sessions ended": BadDay(made=_ending_sessions, told="check that"),
    }
)
"""Each bad day by name."""
