"""From an address to a store: which technology it names. The store itself is touched at its first use."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, assert_never, runtime_checkable

from returns import result
from returns.result import Result

from groundtrace.ports import EvaluationStore, InvocationStore, KeyKeeper, StoreError, StoreFault, StoreUpkeep
from groundtrace.upkeep import DataServer, Month
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_adapters.stores.sqlite import SqliteStore

_FORMS = "write `memory:`, a file's path, `sqlite:PATH` or `postgresql://USER@HOST/DATABASE`"


class Technology(StrEnum):
    """What keeps the rows."""

    MEMORY = "memory"
    SQLITE = "sqlite"
    POSTGRES = "postgresql"
    SHARDED = "postgresql+sharded"


_ENTRY = f"{Technology.SHARDED}://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A store's address, read: `place` is a path or a DSN, which may hold a password; empty for memory."""

    technology: Technology
    place: str


class Store(InvocationStore, EvaluationStore, KeyKeeper, Protocol):
    """Rows, evaluations and the redaction key in one place."""

    def check(self) -> Result[None, StoreError]:
        """Tell whether the store can be reached and has the schema that this release knows."""

    def upkeep(self) -> StoreUpkeep:
        """Return what looks after the whole store: pages over all of it, retention, figures."""

    def close(self) -> None:
        """Let go of everything held; a later call is refused as `unavailable`."""


@runtime_checkable
class ShardedStore(Store, Protocol):
    """A store whose sessions lie on several servers, each of which may be away alone."""

    def shard_of(self, session_id: str, /) -> str | None:
        """Return the server that keeps a session, None while that is not known. Asks nobody."""

    def servers(self) -> Result[tuple[DataServer, ...], StoreError]:
        """Ask each server and tell which of them answer; one that does not is given up after some seconds."""


@runtime_checkable
class MonthlyUpkeep(StoreUpkeep, Protocol):
    """The upkeep of a store that may be cut by the month."""

    def months(self, *, exact: bool = False) -> Result[tuple[Month, ...], StoreError]:
        """Return the parts of a store that is cut by the month, in order, and none of one that is not.

        A large month's number is an estimate, and says so, unless `exact`.
        """

    def drop_month(self, year: int, month: int, /, *, dry_run: bool = False) -> Result[Month | None, StoreError]:
        """Drop a month with all its calls and return what was in it; None if the store is not cut by the month.

        Evaluations stay, and so do calls of other months in the same sessions. With `dry_run` nothing is dropped.
        """


def open_store(url: str, /) -> Result[Store, StoreError]:
    """Return the store that `url` names: `memory:`, a path, `sqlite:PATH`, `postgresql://...` or, for the entry of a
    store on several servers (docs/sharding.md), `postgresql+sharded://...`.

    Fails only for what waiting cannot mend: an address that means nothing, an extra that is not installed. Whether the
    store is there and usable is what `check` and each method tell, so that recording can begin while a server is away.
    """
    return address_of(url).bind(_opened)


def address_of(url: str, /) -> Result[Address, StoreError]:
    """Return what an address means, or why it means nothing; a PostgreSQL address needs its extra installed."""
    if url == "memory:":
        return result.Success(Address(technology=Technology.MEMORY, place=""))
    if url.startswith(("postgresql://", "postgres://")):
        return _server(Technology.POSTGRES, url)
    if url.startswith(_ENTRY):
        return _server(Technology.SHARDED, "postgresql" + url.removeprefix(Technology.SHARDED))
    path = url.removeprefix("sqlite:")
    if not path.strip() or "\x00" in path or path == ":memory:":
        return result.Failure(_refused("the store's address names no file"))
    if "://" in url:
        return result.Failure(_refused("the store's address begins with a scheme that is not known"))
    return result.Success(Address(technology=Technology.SQLITE, place=path))


def file_of(address: Address, /) -> Path:
    """Return the file of an SQLite address; `~` is the user's home."""
    try:
        return Path(address.place).expanduser()
    except RuntimeError:
        # `~nobody-of-that-name` is a file's name like any other.
        return Path(address.place)


def _server(technology: Technology, dsn: str) -> Result[Address, StoreError]:
    try:
        # Not only looked up: psycopg without its C library is found and cannot be imported.
        import psycopg_pool  # noqa: F401
    except ImportError:
        what = "a PostgreSQL store needs an extra that is not installed"
        mend = "run `pip install 'groundtrace[postgres]'`"
        return result.Failure(store_error(StoreFault.UNAVAILABLE, "open", what, mend=mend))
    return result.Success(Address(technology=technology, place=dsn))


def _opened(address: Address) -> Result[Store, StoreError]:
    match address.technology:
        case Technology.MEMORY:
            return result.Success(MemoryStore())
        case Technology.SQLITE:
            return result.Success(SqliteStore(file_of(address)))
        case Technology.POSTGRES:
            from groundtrace_adapters.stores.postgres import PostgresStore

            return result.Success(PostgresStore(address.place))
        case Technology.SHARDED:
            from groundtrace_adapters.stores.sharded.store import ShardedPostgresStore

            return result.Success(ShardedPostgresStore(address.place))
        case _:
            assert_never(address.technology)


def _refused(what: str) -> StoreError:
    return store_error(StoreFault.UNAVAILABLE, "open", what, mend=_FORMS)
