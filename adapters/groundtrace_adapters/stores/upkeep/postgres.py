"""Upkeep of a PostgreSQL store, which may be cut by the month: its months are told, and dropped as a whole."""

from dataclasses import replace

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.ports import StoreError, StoreFault
from groundtrace.upkeep import Certainty, Count, Month, StoreStats
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.partition_ranges import END_YEAR, FIRST_YEAR, IdRange, id_ranges, month_range
from groundtrace_adapters.stores.plain_values import INTEGERS, as_integer
from groundtrace_adapters.stores.postgres_migrating import on_database
from groundtrace_adapters.stores.postgres_partitions import Connection, drop_partition, is_partitioned
from groundtrace_adapters.stores.upkeep.sql import SqlUpkeep
from groundtrace_adapters.stores.work import Work

ROWS_COUNTED = 10_000
"""A month with more calls than these is estimated, unless the true count is asked for."""

ROWS_COUNTED_TO_DROP = 1_000_000
"""A month with more calls than these is estimated before it is dropped."""

_ESTIMATE = "GREATEST(c.reltuples, pg_stat_get_live_tuples(c.oid))::bigint"
_MONTHS = f"""SELECT c.relname::text, {_ESTIMATE} FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
WHERE i.inhparent = to_regclass('tool_invocation') AND NOT i.inhdetachpending
    AND pg_get_partkeydef(i.inhparent) = 'RANGE (id)'"""  # noqa: S608 - of constants alone
# By its bounds and not by its name: a month that is dropped meanwhile holds nothing, and is no error.
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM tool_invocation WHERE {bounds} LIMIT %(most)s) AS looked"
# Of a table that may be detached already, by an attempt that was interrupted.
_COUNT_TABLE = "SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT {most}) AS looked"
_ESTIMATE_TABLE = f"SELECT {_ESTIMATE} FROM pg_class AS c WHERE c.oid = to_regclass(%s)"  # noqa: S608 - constants


class PostgresUpkeep(SqlUpkeep):
    """MonthlyUpkeep over a database on one server."""

    def __init__(self, engine: Engine, dsn: str, /) -> None:
        """Read through `engine`; what waits for readers has a connection of its own to `dsn`."""
        super().__init__(engine)
        self._dsn = dsn

    @override
    def stats(self, *, exact: bool = False) -> Result[StoreStats, StoreError]:
        told = super().stats(exact=exact)
        return told.bind(lambda one: self.months(exact=exact).map(lambda months: replace(one, months=months)))

    def months(self, *, exact: bool = False) -> Result[tuple[Month, ...], StoreError]:
        """Return the parts of a store that is cut by the month, in order, and none of one that is not."""
        return self._engine.read("months", lambda work: _months(work, exact=exact))

    def drop_month(self, year: int, month: int, /, *, dry_run: bool = False) -> Result[Month | None, StoreError]:
        """Drop a month with all its calls and return what was in it; None if the store is not cut by the month.

        Readers are waited for, at most a minute. What an interrupted attempt left half done is finished. With
        `dry_run` nothing is dropped.
        """
        one = month_range(year, month)
        if one is None:
            what = f"only the months from {FIRST_YEAR}-01 to {END_YEAR - 1}-12 are parts of their own"
            return result.Failure(store_error(StoreFault.READ_ONLY, "drop_month", what, mend="name one of these"))
        return on_database(self._dsn, "drop_month", lambda connection: _dropped(connection, one, dry_run=dry_run))


def _months(work: Work, *, exact: bool) -> tuple[Month, ...]:
    estimates = {str(table): as_integer(number) for table, number in work.fetch(_MONTHS, {})}
    parts = [one for one in id_ranges() if one.table in estimates]
    return tuple(Month(name=one.month, rows=_rows(work, one, estimates[one.table], exact=exact)) for one in parts)


def _rows(work: Work, one: IdRange, estimate: int, *, exact: bool) -> Count:
    if estimate > ROWS_COUNTED and not exact:
        return Count(number=estimate, certainty=Certainty.ESTIMATE)
    # The server knows of nothing, or of little, which may be news of long ago.
    most = INTEGERS[-1] if exact else ROWS_COUNTED
    bounds = (("id >= %(first)s", one.first), ("id < %(end)s", one.end))
    words = " AND ".join(words for words, bound in bounds if bound is not None)
    ends = {name: bound for name, bound in (("first", one.first), ("end", one.end)) if bound is not None}
    ((number,),) = work.fetch(_COUNT.format(bounds=words), {**ends, "most": most})
    return _count(as_integer(number), most, estimate)


def _dropped(connection: Connection, one: IdRange, *, dry_run: bool) -> Result[Month | None, StoreError]:
    connection.autocommit = True
    if not is_partitioned(connection):
        return result.Success(None)
    rows = _rows_in_table(connection, one.table)
    if not dry_run:
        drop_partition(connection, one)
    return result.Success(Month(name=one.month, rows=rows))


def _rows_in_table(connection: Connection, table: str) -> Count:
    told = connection.execute(_ESTIMATE_TABLE, (table,)).fetchone()
    if told is None:
        return Count(number=0)
    counting = _COUNT_TABLE.format(table=table, most=ROWS_COUNTED_TO_DROP)
    ((number,),) = connection.execute(counting.encode()).fetchall()
    return _count(as_integer(number), ROWS_COUNTED_TO_DROP, as_integer(told[0]))


def _count(number: int, most: int, estimate: int) -> Count:
    if number < most:
        return Count(number=number)
    return Count(number=max(number, estimate), certainty=Certainty.ESTIMATE)
