"""Connections to one PostgreSQL database on which nothing waits for ever: a deadline on every side of each step.

The server ends long statements and long waits for locks; the client gives up a server that says nothing at all, such
as a frozen one, whose machine still acknowledges every packet.

Behind a pooler such as PgBouncer in transaction mode the server's session is everybody's: there each transaction brings
the settings itself, and nothing is prepared. A session of our own is set up once.
"""

import logging
import math
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias, TypeVar

import psycopg
from psycopg import IsolationLevel, Transaction, conninfo
from psycopg.waiting import Wait
from psycopg_pool import ConnectionPool
from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.forking import call_in_child
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.postgres_faults import SilentServerError, place_of, postgres_error
from groundtrace_adapters.stores.postgres_schema import postgres_ready

Given = TypeVar("Given")
# Tuples of whatever types the columns have.
Row: TypeAlias = tuple[Any, ...]

# Without a handler of the user's, Python would print psycopg's warnings on the user's terminal; ours are values.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_NEXT = b"; "
_BETWEEN_LOOKS = 0.1
_GRACE_SECONDS = 2.0
_STOPPING_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresLimits:
    """How long each step may take, in seconds, and how many connections the pool holds at most."""

    connect_seconds: int = 5
    pool_seconds: float = 5.0
    lock_seconds: float = 10.0
    statement_seconds: float = 30.0
    max_connections: int = 8


class BoundedConnection(psycopg.Connection[Row]):
    """A connection that is given up when the server has not answered within `deadline_seconds`."""

    deadline_seconds = 30.0
    settings = b""
    """What a transaction of a session that is not ours alone has to begin with; nothing in one of our own."""

    meanwhile: Callable[[], object] | None = None
    """What is done once, while the next step waits for the server; it never raises."""

    _until = math.inf

    @property
    def owns_its_session(self) -> bool:
        """Tell whether settings and prepared statements outlive a transaction."""
        return not self.settings

    def begin(self, level: IsolationLevel, /, *, any_plan: bool = False) -> None:
        """Begin a transaction, with the settings that it needs. The connection is in autocommit mode.

        With `any_plan` prepared statements are planned once, whatever their parameters are.
        """
        self.execute(b"BEGIN ISOLATION LEVEL " + _LEVELS[level] + self.settings + (_ANY_PLAN if any_plan else b""))

    @override
    @contextmanager
    def transaction(self, savepoint_name: str | None = None, force_rollback: bool = False) -> Iterator[Transaction]:
        """Do as psycopg's own does, with the settings that the transaction needs."""
        with super().transaction(savepoint_name, force_rollback) as begun:
            if self.settings:
                self.execute(self.settings.removeprefix(_NEXT))
            yield begun

    @contextmanager
    def one_deadline(self) -> Iterator[None]:
        """Count all that is done within as one step: a COPY that only crawls is given up, too."""
        self._until = time.monotonic() + self.deadline_seconds
        try:
            yield
        finally:
            self._until = math.inf

    @override
    def wait(
        self,
        gen: Generator[Any, Any, Given],
        interval: float = _BETWEEN_LOOKS,
        timeout: float | None = None,
    ) -> Given:
        try:
            deadline = min(time.monotonic() + self.deadline_seconds, self._until)
            meanwhile, self.meanwhile = self.meanwhile, None
            return super().wait(_until(deadline, gen, meanwhile), interval)
        except SilentServerError:
            # In an unknown state, and closing it in good order would wait again.
            self.pgconn.finish()
            raise


class PostgresConnections:
    """The pool of one process, made once the database was seen to be ready. Every method may be called by any thread.

    After an error of the connection itself the pool is dropped and the next call looks anew: it then fails at once
    and precisely where the server is still away, instead of waiting for a pool that cannot say why it is empty.
    """

    def __init__(self, dsn: str, limits: PostgresLimits, /) -> None:
        self.place = place_of(dsn)
        self._dsn = dsn
        self._limits = limits
        self._lock = Lock()
        self._pool: ConnectionPool[BoundedConnection] | None = None
        self._of_parent: ConnectionPool[BoundedConnection] | None = None
        self._closed = False
        call_in_child(self._in_child)

    def pool(self, operation: str, /) -> Result[ConnectionPool[BoundedConnection], StoreError]:
        """Return the open pool of a database that is up to date."""
        if self._closed:
            return result.Failure(self._refusal(operation))
        held = self._pool
        if held is not None:
            return result.Success(held)
        return self._ready(operation).bind(lambda _: self._opened(operation))

    def drop(self, pool: ConnectionPool[BoundedConnection], /) -> None:
        """Let go of that pool; connections in use are closed when they come back."""
        with self._lock:
            if self._pool is pool:
                self._pool = None
        pool.close(timeout=_STOPPING_SECONDS)

    def close(self) -> None:
        """Let go of the pool for good."""
        with self._lock:
            self._closed, held = True, self._pool
        if held is not None:
            self.drop(held)

    def connect(self) -> BoundedConnection:
        """Return a connection outside the pool. Raises psycopg.Error."""
        connection = BoundedConnection.connect(bounded_dsn(self._dsn, self._limits))
        connection.deadline_seconds = self._limits.statement_seconds + _GRACE_SECONDS
        self._configure(connection)
        return connection

    def _in_child(self) -> None:
        """Leave the parent process its sockets: two processes that talk on one mix up their answers."""
        self._lock = Lock()
        self._of_parent, self._pool = self._pool, None

    def _ready(self, operation: str) -> Result[None, StoreError]:
        try:
            with self.connect() as connection:
                return postgres_ready(connection, operation)
        except psycopg.Error as error:
            return result.Failure(postgres_error(error, operation, self.place))

    def _refusal(self, operation: str) -> StoreError:
        what = f"the store on {self.place} is closed"
        return store_error(StoreFault.UNAVAILABLE, operation, what, mend="open it again")

    def _opened(self, operation: str) -> Result[ConnectionPool[BoundedConnection], StoreError]:
        with self._lock:
            if self._closed:
                # Since it was seen to be ready; a pool that is opened now would never be closed.
                return result.Failure(self._refusal(operation))
            if self._pool is None:
                self._pool = self._new_pool()
            return result.Success(self._pool)

    def _new_pool(self) -> ConnectionPool[BoundedConnection]:
        return ConnectionPool(
            bounded_dsn(self._dsn, self._limits),
            connection_class=BoundedConnection,
            min_size=1,
            max_size=self._limits.max_connections,
            timeout=self._limits.pool_seconds,
            reconnect_timeout=self._limits.pool_seconds,
            configure=self._configure,
            open=True,
            name="groundtrace",
        )

    def _configure(self, connection: BoundedConnection) -> None:
        connection.deadline_seconds = self._limits.statement_seconds + _GRACE_SECONDS
        connection.autocommit = True
        ours, lazy = connection.execute(_SESSION, (connection.info.backend_pid,)).fetchone() or (False, True)
        settings = (*_settings(self._limits), *(["synchronous_commit = on"] if lazy else []))
        if ours:
            connection.execute("; ".join(f"SET SESSION {setting}" for setting in (*settings, *_LINE)).encode())
        else:
            connection.settings = b"".join(_NEXT + f"SET LOCAL {setting}".encode() for setting in settings)
            connection.prepare_threshold = None
        connection.autocommit = False


# A pooler tells its clients a process number that it made up. `stored` means durable, so a database that commits lazily
# by default is told not to; a stricter setting stays.
_SESSION = "SELECT pg_backend_pid() = %s, current_setting('synchronous_commit') = 'off'"

# A server that waits for the rest of a COPY holds what it has got of it, and must see that its client is gone.
_LINE = ("tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3")
# Left to itself the server plans each statement anew that may pass over partitions: longer than it takes to run.
_ANY_PLAN = b"; SET LOCAL plan_cache_mode = force_generic_plan"
_LEVELS = {IsolationLevel.READ_COMMITTED: b"READ COMMITTED", IsolationLevel.REPEATABLE_READ: b"REPEATABLE READ"}


def _settings(limits: PostgresLimits) -> tuple[str, ...]:
    return (
        "TimeZone = 'UTC'",
        "DateStyle = 'ISO'",
        f"statement_timeout = {_ms(limits.statement_seconds)}",
        f"lock_timeout = {_ms(limits.lock_seconds)}",
        f"idle_in_transaction_session_timeout = {_ms(limits.statement_seconds)}",
        # Of statements that are transactions by themselves; what begins with a level of its own keeps that.
        "default_transaction_isolation = 'read committed'",
    )


def bounded_dsn(dsn: str, limits: PostgresLimits, /) -> str:
    """Return the address with the limits that it does not set itself. Raises psycopg.ProgrammingError."""
    given = conninfo.conninfo_to_dict(dsn)
    ours: dict[str, str | int] = {
        "connect_timeout": limits.connect_seconds,
        "application_name": "groundtrace",
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": int(limits.statement_seconds * 1_000),
    }
    merged = {**ours, **{name: value for name, value in given.items() if value is not None}}
    return conninfo.make_conninfo("", **{**merged, "client_encoding": "UTF8"})


def _ms(seconds: float) -> str:
    return f"'{int(seconds * 1_000)}ms'"


def _until(
    deadline: float, steps: Generator[Any, Any, Given], meanwhile: Callable[[], object] | None
) -> Generator[Any, Any, Given]:
    """Run psycopg's own steps, which it also takes up again ten times a second while the server is silent."""
    try:
        wanted = next(steps)
        while True:
            if meanwhile is not None and wanted != Wait.W:
                meanwhile()
                meanwhile = None
            ready = yield wanted
            if time.monotonic() > deadline:
                raise SilentServerError
            wanted = steps.send(ready)
    except StopIteration as stop:
        given: Given = stop.value
        return given
