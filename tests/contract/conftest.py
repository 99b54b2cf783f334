"""A real PostgreSQL for the tests marked `server`: one cluster a run, a database of its own for each test or module.

Without server programs such a test skips and prints why. A test or fixture asks for `postgres_dsn`, in a parametrised
fixture by `request.getfixturevalue("postgres_dsn")`, so that the other parameters run without any server.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import psycopg
import pytest
from psycopg import sql

from groundtrace_testing.lossy_proxy import LossyProxy, lossy_proxy
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster

_numbers = count(1)


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[PostgresCluster]:
    """The run's one cluster, started. A test that stops it asks for `stoppable_postgres` instead."""
    binaries = find_binaries()
    if isinstance(binaries, str):
        pytest.skip(binaries)
    cluster = PostgresCluster.create(binaries)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.remove()


@pytest.fixture
def postgres_dsn(request: pytest.FixtureRequest, postgres_cluster: PostgresCluster) -> Iterator[str]:
    """The address of a new, empty database; gone after the test."""
    assert request.node.get_closest_marker("server"), "a test that uses PostgreSQL carries the mark `server`"
    with _database(postgres_cluster) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def postgres_module_dsn(postgres_cluster: PostgresCluster) -> Iterator[str]:
    """The address of a database that the tests of one module share, as a Hypothesis property does with its examples."""
    with _database(postgres_cluster) as dsn:
        yield dsn


@pytest.fixture
def stoppable_postgres(postgres_cluster: PostgresCluster) -> Iterator[PostgresCluster]:
    """The cluster, which runs again after the test whatever the test did to it. Connections of others may be lost."""
    postgres_cluster.start()
    yield postgres_cluster
    postgres_cluster.start()


@pytest.fixture
def proxy(postgres_cluster: PostgresCluster) -> Iterator[LossyProxy]:
    """A way to the cluster on which a connection can be lost at the worst moment; `proxy.through(dsn)` leads there."""
    with lossy_proxy(postgres_cluster.port) as running:
        yield running


@contextmanager
def _database(cluster: PostgresCluster) -> Iterator[str]:
    name = f"groundtrace_{next(_numbers)}"
    _run(cluster, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield cluster.dsn(name)
    cluster.start()
    _run(cluster, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _run(cluster: PostgresCluster, statement: sql.Composed) -> None:
    with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
        connection.execute(statement)
