"""A PostgreSQL store in monthly partitions: made empty, one table at a time as rows come, and dropped by the month.

A partition is made as a table of its own and attached, and is detached concurrently: neither waits for open readers.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

import psycopg
from psycopg import sql
from psycopg.errors import CheckViolation
from returns import result
from returns.result import Result

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.partition_ranges import IdRange, id_ranges, range_of

Given = TypeVar("Given")
# Tuples of whatever types the columns have.
Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

# Two programs that make partitions at once go one after the other; any fixed number of ours serves.
_LOCK = 0x6D6F6E746873


class PostgresPartitions:
    """What one process knows of a store's partitions. Every method may be called by any thread."""

    def __init__(self) -> None:
        # None until asked, then the tables that are there; a store of one table has none.
        self._known: frozenset[str] | None = None

    def known(self, connection: Connection, /) -> bool:
        """Tell whether the store is in partitions, as far as this process knows; asks once. Raises psycopg.Error.

        One that is partitioned later is known by the first row that is written; until then its readers are slower.
        """
        return bool(self._asked(connection) if self._known is None else self._known)

    def run(self, connection: Connection, ids: Sequence[str], work: Callable[[], Given], /) -> Given:
        """Run `work`, which writes rows with these ids, once there is a partition for each; raises psycopg.Error.

        The connection is in no transaction. Where a partition was dropped meanwhile, `work` is run a second time.
        """
        self._ensure(connection, ids)
        try:
            return work()
        except CheckViolation:
            connection.rollback()
            self._known = None
            self._ensure(connection, ids)
            return work()

    def _ensure(self, connection: Connection, ids: Sequence[str]) -> None:
        known = self._asked(connection) if self._known is None else self._known
        missing = {one for one in map(range_of, ids) if one.table not in known} if known else set()
        ensure_partitions(connection, missing)
        self._known = known | {one.table for one in missing}

    def _asked(self, connection: Connection) -> frozenset[str]:
        with connection.transaction():
            self._known = found = frozenset(partitions(connection))
        return found


def is_partitioned(connection: Connection, /) -> bool:
    """Tell whether the store is in monthly partitions, and not in one table or on several servers."""
    told = connection.execute(
        "SELECT relkind = 'p' AND pg_get_partkeydef(oid) = 'RANGE (id)' FROM pg_class"
        " WHERE oid = to_regclass('tool_invocation')"
    )
    return told.fetchone() == (True,)


def partitions(connection: Connection, /) -> tuple[str, ...]:
    """Return the tables of the monthly partitions that are attached, in the order of their ids; else none.

    A partitioned store always has the two without an end.
    """
    told = connection.execute(
        "SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = to_regclass('tool_invocation') AND NOT i.inhdetachpending"
    )
    attached = {row[0] for row in told}
    return tuple(one.table for one in id_ranges() if one.table in attached)


def ensure_partitions(connection: Connection, ranges: Iterable[IdRange], /) -> None:
    """Make and attach these partitions, in a transaction each. Raises psycopg.Error."""
    for one in sorted(ranges, key=lambda wanted: wanted.table):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            if one.table not in partitions(connection):
                _make(connection, one)


def partition_by_month(connection: Connection, /) -> Result[None, StoreError]:
    """Turn an empty store into one of monthly partitions; one that is partitioned already stays as it is.

    All or nothing. A store that holds rows is refused: they would have to be copied. Raises psycopg.Error.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        if is_partitioned(connection):
            return result.Success(None)
        connection.execute("LOCK TABLE tool_invocation IN ACCESS EXCLUSIVE MODE")
        if connection.execute("SELECT 1 FROM tool_invocation LIMIT 1").fetchone() is not None:
            what = "the store holds rows already, and only an empty one can be partitioned"
            mend = "export it, run this on an empty database, and load it there"
            return result.Failure(store_error(StoreFault.READ_ONLY, "migrate", what, mend=mend))
        _convert(connection)
    return result.Success(None)


def drop_partition(connection: Connection, one: IdRange, /) -> bool:
    """Drop a partition with all its rows; False if there is none. The connection is in autocommit mode.

    Readers are not waited for longer than they have the partition open. What an earlier attempt left half done, or a
    detached table, is finished first. Raises psycopg.Error.
    """
    table = sql.Identifier(one.table)
    pending = connection.execute(
        "SELECT i.inhdetachpending FROM pg_inherits AS i"
        " WHERE i.inhrelid = to_regclass(%s) AND i.inhparent = to_regclass('tool_invocation')",
        (one.table,),
    ).fetchone()
    if pending is not None:
        how = sql.SQL("FINALIZE" if pending[0] else "CONCURRENTLY")
        connection.execute(sql.SQL("ALTER TABLE tool_invocation DETACH PARTITION {} {}").format(table, how))
    there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (one.table,)).fetchone() == (True,)
    connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(table))
    return there


def _convert(connection: Connection) -> None:
    indexes = connection.execute(
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indrelid = 'tool_invocation'::regclass AND NOT indisprimary ORDER BY indexrelid"
    ).fetchall()
    connection.execute("ALTER TABLE tool_invocation RENAME TO tool_invocation_whole")
    connection.execute(
        "CREATE TABLE tool_invocation (LIKE tool_invocation_whole INCLUDING DEFAULTS INCLUDING STORAGE"
        " INCLUDING COMPRESSION) PARTITION BY RANGE (id)"
    )
    connection.execute("DROP TABLE tool_invocation_whole")
    connection.execute("ALTER TABLE tool_invocation ADD PRIMARY KEY (session_id, id)")
    # Word for word as they were: the table has the name that the old one had.
    for (statement,) in indexes:
        connection.execute(str(statement).encode())
    for one in (id_ranges()[0], id_ranges()[-1]):
        _make(connection, one)


def _make(connection: Connection, one: IdRange) -> None:
    table, check = sql.Identifier(one.table), sql.Identifier(f"{one.table}_range")
    bounds = sql.SQL(" AND ").join(
        sql.SQL("id {} {}").format(sql.SQL(sign), sql.Literal(bound))
        for sign, bound in ((">=", one.first), ("<", one.end))
        if bound is not None
    )
    low, high = (
        sql.SQL(word) if bound is None else sql.Literal(bound)
        for word, bound in (("MINVALUE", one.first), ("MAXVALUE", one.end))
    )
    for words in (
        """CREATE TABLE {table} (LIKE tool_invocation INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION,
            CONSTRAINT {check} CHECK ({bounds}))""",
        "ALTER TABLE {table} SET (autovacuum_vacuum_insert_scale_factor = 0.02)",
        "ALTER TABLE tool_invocation ATTACH PARTITION {table} FOR VALUES FROM ({low}) TO ({high})",
        # The partition's own bounds say the same now.
        "ALTER TABLE {table} DROP CONSTRAINT {check}",
    ):
        connection.execute(sql.SQL(words).format(table=table, check=check, bounds=bounds, low=low, high=high))
