"""The stores under one contract: each opened on a place of its own, with a way to take it down and bring it back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from groundtrace_adapters.conformance.cases import StoreCase
from groundtrace_adapters.migrations import Partition, migrate
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_adapters.stores.opening import Store
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.postgres_connections import PostgresLimits
from groundtrace_adapters.stores.sharded.store import ShardedPostgresStore
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_adapters.stores.sqlite_connect import SqliteLimits
from groundtrace_testing.postgres_cluster import PostgresCluster
from groundtrace_testing.shards import shards_of_run

STORES = [
    "memory",
    "sqlite",
    pytest.param("postgres", marks=pytest.mark.server),
    pytest.param("sharded", marks=pytest.mark.server),
]
"""The parameters of a contract suite's fixture; `stores_of` opens them."""

LASTING_STORES = STORES[1:]
"""Those that outlive a process."""

PARTITIONED = pytest.param("partitioned", marks=pytest.mark.server)
"""One more way to keep rows, for the suites that are about rows."""

__all__ = ["LASTING_STORES", "PARTITIONED", "STORES", "StoreCase", "locked", "postgres_store", "stores_of"]

_numbers = count(1)

HASTY = PostgresLimits(connect_seconds=2, pool_seconds=2.0, lock_seconds=1.0, statement_seconds=2.0)
"""Limits for tests in which a server is away."""


def stores_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
    """Open the store that `request.param` names; everything opened is closed in the end."""
    case = _OPENERS[request.param](request, tmp_path)
    opened = [case.store]

    def reopen() -> Store:
        opened.append(case.reopen())
        return opened[-1]

    yield StoreCase(store=case.store, reopen=reopen, take_down=case.take_down, bring_back=case.bring_back)
    for store in opened:
        store.close()


def postgres_store(dsn: str, *, partition: Partition | None = None) -> PostgresStore:
    """A store on a database that is migrated first."""
    migrate(dsn, partition=partition).unwrap()
    return PostgresStore(dsn, limits=HASTY)


def _memory(request: pytest.FixtureRequest, tmp_path: Path) -> StoreCase:
    store = MemoryStore()
    return StoreCase(store=store, reopen=lambda: store, take_down=store.close, bring_back=None)


def _sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> StoreCase:
    path = tmp_path / "trace.db"

    def opened() -> SqliteStore:
        return SqliteStore(path, limits=SqliteLimits(busy_seconds=0.5))

    away = tmp_path.with_name(tmp_path.name + "-away")
    return StoreCase(
        store=opened(),
        reopen=opened,
        take_down=lambda: _move(tmp_path, away),
        bring_back=lambda: _move(away, tmp_path),
    )


def _move(source: Path, target: Path) -> None:
    source.rename(target)


def _postgres(request: pytest.FixtureRequest, tmp_path: Path, *, partition: Partition | None = None) -> StoreCase:
    dsn = _in_a_new_schema(request.getfixturevalue("postgres_module_dsn"))
    cluster: PostgresCluster = request.getfixturevalue("stoppable_postgres")
    return StoreCase(
        store=postgres_store(dsn, partition=partition),
        reopen=lambda: PostgresStore(dsn, limits=HASTY),
        take_down=cluster.stop,
        bring_back=cluster.start,
    )


def _sharded(request: pytest.FixtureRequest, tmp_path: Path) -> StoreCase:
    shards = shards_of_run(request)
    entry = shards.clusters[0]
    return StoreCase(
        store=ShardedPostgresStore(shards.entry, limits=HASTY),
        reopen=lambda: ShardedPostgresStore(shards.entry, limits=HASTY),
        take_down=entry.stop,
        bring_back=entry.start,
    )


def _in_a_new_schema(dsn: str) -> str:
    """A schema of its own in the module's database is as empty as a new database, and made ten times faster."""
    schema = f"schema_{next(_numbers)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    return f"{dsn}?options=-csearch_path%3D{schema}"


_OPENERS: dict[str, Callable[[pytest.FixtureRequest, Path], StoreCase]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "postgres": _postgres,
    "partitioned": partial(_postgres, partition=Partition.MONTH),
    "sharded": _sharded,
}


def locked(path: Path) -> sqlite3.Connection:
    """A connection that holds the one write lock of an SQLite file until it is closed."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection
