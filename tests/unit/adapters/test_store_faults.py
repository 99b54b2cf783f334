"""Which fault each error of a driver is, and that no message of theirs gets through."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import psycopg
import pytest
from psycopg import errors
from psycopg_pool import PoolTimeout

from groundtrace.ports import StoreFault
from groundtrace_adapters.stores.faults import PASSING, store_error
from groundtrace_adapters.stores.postgres_faults import broke_the_connection, place_of, postgres_error
from groundtrace_adapters.stores.sqlite_faults import sqlite_error

SECRET = "hunter2"


@pytest.mark.parametrize("fault", StoreFault)
def test_every_fault_is_one_line_that_says_how_to_mend_it(fault: StoreFault) -> None:
    told = store_error(fault, "append", "the\nstore\tis odd")
    assert told.message.startswith("the store is odd; ")
    assert "\n" not in told.message
    assert told.retryable is (fault in PASSING)


def test_the_faults_that_may_pass_are_the_first_four() -> None:
    assert frozenset(list(StoreFault)[:4]) == PASSING


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        ("08006", StoreFault.UNAVAILABLE),
        ("22P02", StoreFault.REFUSED_ROW),
        ("23514", StoreFault.REFUSED_ROW),
        ("25006", StoreFault.READ_ONLY),
        ("28P01", StoreFault.UNAVAILABLE),
        ("3D000", StoreFault.UNAVAILABLE),
        ("40001", StoreFault.LOCKED),
        ("40P01", StoreFault.LOCKED),
        ("42501", StoreFault.READ_ONLY),
        ("42P01", StoreFault.NOT_MIGRATED),
        ("53100", StoreFault.FULL),
        ("53300", StoreFault.UNAVAILABLE),
        ("54000", StoreFault.REFUSED_ROW),
        ("55P03", StoreFault.LOCKED),
        ("57014", StoreFault.TIMED_OUT),
        ("57P01", StoreFault.UNAVAILABLE),
        ("57P03", StoreFault.UNAVAILABLE),
        ("P0001", StoreFault.REFUSED_ROW),
        ("XX001", StoreFault.CORRUPT),
    ],
)
def test_a_state_of_postgresql_is_told_by_its_code_and_name_and_not_its_text(state: str, fault: StoreFault) -> None:
    kind = errors.lookup(state)
    told = postgres_error(kind(f"invalid input: {SECRET}"), "append", "PostgreSQL at db:5432, database trace")
    assert (told.fault, told.operation) == (fault, "append")
    assert f"{kind.__name__} ({state})" in told.message
    assert "PostgreSQL at db:5432" in told.message
    assert SECRET not in told.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('connection to server at "h", port 1 failed: Connection refused', "nothing listens there"),
        ('FATAL:  password authentication failed for user "me"', "the password was refused"),
        ("fe_sendauth: no password supplied", "a password is needed"),
        ('FATAL:  role "me" does not exist', "no such role"),
        ('FATAL:  role "me" is not permitted to log in', "the connection failed"),
        ('FATAL:  database "d" does not exist', "no such database"),
        ("FATAL:  sorry, too many clients already", "takes no more connections"),
        ("FATAL:  the database system is starting up", "is starting"),
        ('no pg_hba.conf entry for host "h", user "me", no SSL encryption', "takes no such connection"),
        (f"something new about {SECRET}", "the connection failed"),
    ],
)
def test_a_connection_that_fails_is_told_in_words_of_ours(text: str, words: str) -> None:
    told = postgres_error(psycopg.OperationalError(text), "rows", "PostgreSQL")
    assert (told.fault, told.retryable) == (StoreFault.UNAVAILABLE, True)
    assert words in told.message
    assert SECRET not in told.message


def test_a_pool_that_is_used_up_has_timed_out() -> None:
    assert postgres_error(PoolTimeout("after 5 sec"), "rows", "PostgreSQL").fault is StoreFault.TIMED_OUT


@pytest.mark.parametrize(
    ("error", "broken"),
    [
        (psycopg.OperationalError("the connection is lost"), True),
        (errors.AdminShutdown(), True),
        (errors.ConnectionFailure(), True),
        (PoolTimeout(), True),
        (errors.QueryCanceled(), False),
        (errors.DeadlockDetected(), False),
        (errors.DiskFull(), False),
    ],
)
def test_only_an_error_of_the_connection_drops_the_pool(error: psycopg.Error, *, broken: bool) -> None:
    assert broke_the_connection(error) is broken


@pytest.mark.parametrize(
    ("dsn", "place"),
    [
        (f"postgresql://me:{SECRET}@db:5433/trace?application_name=x", "PostgreSQL at db:5433, database trace"),
        (f"host=db dbname=trace password={SECRET}", "PostgreSQL at db:5432, database trace"),
        ("postgresql:///trace?host=/run/pg", "PostgreSQL at /run/pg:5432, database trace"),
        ("postgresql://", "PostgreSQL at the local socket:5432, database of the default name"),
        (f"postgresql://me:{SECRET}@[broken", "the PostgreSQL store"),
        (f"postgresql://me:pass@{SECRET}@db:5433/trace", "the PostgreSQL store"),
        (f"postgresql://me:pass/{SECRET}@db:5433/trace", "the PostgreSQL store"),
    ],
)
def test_a_place_is_told_without_what_is_secret_in_its_address(dsn: str, place: str) -> None:
    assert place_of(dsn) == place


def test_an_unknown_error_of_sqlite_is_told_without_its_text() -> None:
    told = sqlite_error(sqlite3.ProgrammingError(f"near {SECRET}"), "rows", Path("trace.db"))
    assert (told.fault, told.operation) == (StoreFault.UNAVAILABLE, "rows")
    assert SECRET not in told.message
