"""Which data servers of a store on several PostgreSQL servers answer: each is asked by itself, within a deadline."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Protocol

from returns import result
from returns.result import Result

from groundtrace.invocation import Invocation
from groundtrace.ports import StoreError
from groundtrace.upkeep import DataServer
from groundtrace_adapters.stores.postgres_connections import PostgresLimits
from groundtrace_adapters.stores.sharded.placement import HERE, Placement

SECONDS = 5
AT_ONCE = 16
"""So many servers are asked side by side."""


class Asked(Protocol):
    """A way to one data server, over connections of its own."""

    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        """Return rows of a session."""

    def close(self) -> None:
        """Let go of the connections."""


def asking(limits: PostgresLimits, /) -> PostgresLimits:
    """Return limits under which a server that hangs is given up soon."""
    return replace(
        limits,
        connect_seconds=min(SECONDS, limits.connect_seconds),
        pool_seconds=min(SECONDS, limits.pool_seconds),
        lock_seconds=min(SECONDS, limits.lock_seconds),
        statement_seconds=min(SECONDS, limits.statement_seconds),
        max_connections=1,
    )


def ask_servers(placement: Placement, way: Callable[[], Asked], /) -> tuple[DataServer, ...]:
    """Ask each server for a row of a session that it would keep; what is the entry's own is not asked."""
    named = [server for server in placement.servers if server != HERE]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return tuple(pool.map(partial(_ask, placement, way), named))


def _ask(placement: Placement, way: Callable[[], Asked], server: str) -> DataServer:
    session = placement.session_on(server)
    if session is None:
        return DataServer(name=server)
    asked = way()
    try:
        told = asked.rows(session, limit=1)
    finally:
        asked.close()
    there: Result[DataServer, StoreError] = told.map(lambda _: DataServer(name=server))
    return there.lash(lambda why: result.Success(DataServer(name=server, away=why.message))).unwrap()
