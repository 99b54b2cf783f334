"""The door to schema migration for any store address: what `groundtrace migrate` and `groundtrace doctor` call."""

from dataclasses import replace
from typing import assert_never

from returns import result
from returns.result import Result

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.opening import Address, Technology, address_of, file_of
from groundtrace_adapters.stores.schema import Migrated, Partition, SchemaStatus
from groundtrace_adapters.stores.sqlite_migrating import file_status, migrate_file

__all__ = ["Migrated", "Partition", "SchemaStatus", "migrate", "status"]


def migrate(url: str, /, *, partition: Partition | None = None) -> Result[Migrated, StoreError]:
    """Bring the store's schema up to date, all or nothing, and tell what was applied; safe to run twice at once.

    An SQLite store also does this by itself at its first use; a server's schema changes only here. With `partition`
    an empty PostgreSQL store is cut by time too; one that holds rows is refused, and so is any other store.
    """
    if partition is None:
        return address_of(url).bind(_migrate)
    return address_of(url).bind(lambda address: _partitioned(address, partition))


def status(url: str, /) -> Result[SchemaStatus, StoreError]:
    """Tell the store's version and the steps it lacks; changes nothing, and makes no file."""
    return address_of(url).bind(_status)


def _migrate(address: Address) -> Result[Migrated, StoreError]:
    match address.technology:
        case Technology.MEMORY:
            return result.Success(Migrated(version=0, applied=()))
        case Technology.SQLITE:
            return migrate_file(file_of(address))
        case Technology.POSTGRES | Technology.SHARDED:
            from groundtrace_adapters.stores.postgres_migrating import migrate_database

            return migrate_database(address.place)
        case _:
            assert_never(address.technology)


def _partitioned(address: Address, partition: Partition) -> Result[Migrated, StoreError]:
    match address.technology:
        case Technology.MEMORY | Technology.SQLITE | Technology.SHARDED:
            what = "only a PostgreSQL store can be cut by time, and only on one server"
            mend = "leave --partition out, or name postgresql://..."
            return result.Failure(store_error(StoreFault.READ_ONLY, "migrate", what, mend=mend))
        case Technology.POSTGRES:
            from groundtrace_adapters.stores.postgres_migrating import migrate_database, partition_database

            return migrate_database(address.place).bind(
                lambda done: partition_database(address.place).map(lambda _: replace(done, partition=partition))
            )
        case _:
            assert_never(address.technology)


def _status(address: Address) -> Result[SchemaStatus, StoreError]:
    match address.technology:
        case Technology.MEMORY:
            return result.Success(SchemaStatus(version=0, known=0, pending=()))
        case Technology.SQLITE:
            return file_status(file_of(address))
        case Technology.POSTGRES | Technology.SHARDED:
            from groundtrace_adapters.stores.postgres_migrating import database_status

            return database_status(address.place)
        case _:
            assert_never(address.technology)
