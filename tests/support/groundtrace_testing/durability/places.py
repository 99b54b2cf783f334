"""Stores and sinks as a process of its own opens them: from an address, with limits for servers that come and go."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.opening import Store
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.postgres_connections import PostgresLimits
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.moody_store import MoodyStore

LIMITS: Final = PostgresLimits(connect_seconds=2, pool_seconds=2.0, lock_seconds=2.0, statement_seconds=5.0)


def is_server(address: str, /) -> bool:
    """Whether an address names a PostgreSQL server; else it is a path."""
    return address.startswith("postgresql://")


def store_at(address: str, /) -> Store:
    """The store of an address; SQLite as it ships."""
    return PostgresStore(address, limits=LIMITS) if is_server(address) else SqliteStore(address)


def sink_over(store: Store | MoodyStore, spool: Path, /, *, address: str, bounds: Bounds | None = None) -> QueueSink:
    """The sink as it ships: three batches side by side for PostgreSQL, one for SQLite."""
    return QueueSink(store, spool=Spool(spool), bounds=bounds, overlap=3 if is_server(address) else 1)
