"""The cluster that the other contract tests stand on."""

from __future__ import annotations

import psycopg
import pytest

from groundtrace_testing.postgres_cluster import PostgresCluster

pytestmark = pytest.mark.server


def test_each_test_has_a_database_of_its_own(postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        connection.execute("CREATE TABLE only_here (n integer)")
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert found == (1,)


def test_a_second_test_finds_its_database_empty(postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert found == (0,)


def test_a_stopped_server_refuses_and_comes_back_with_its_data(
    postgres_dsn: str, stoppable_postgres: PostgresCluster
) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        connection.execute("CREATE TABLE kept (n integer)")
    stoppable_postgres.stop()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(postgres_dsn)
    stoppable_postgres.start()
    with psycopg.connect(postgres_dsn) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_a_crashed_server_starts_again(stoppable_postgres: PostgresCluster) -> None:
    stoppable_postgres.stop("immediate")
    assert not stoppable_postgres.running
    stoppable_postgres.start()
    with psycopg.connect(stoppable_postgres.dsn()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
