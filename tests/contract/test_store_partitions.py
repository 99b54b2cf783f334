"""A PostgreSQL store in monthly partitions: how it is made, what it lets be dropped, and what its readers wait for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, replace
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg import sql
from returns import result

from groundtrace.entries import SummaryScope
from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, StoreFault
from groundtrace.row_ids import imported_id
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.migrations import Migrated, Partition, migrate
from groundtrace_adapters.stores import postgres_schema
from groundtrace_adapters.stores.partition_ranges import IdRange, month_range
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.postgres_partitions import drop_partition, partitions
from groundtrace_adapters.stores.postgres_schema import Connection
from groundtrace_adapters.stores.sql_summary import monthly_summaries_for
from groundtrace_adapters.stores.sql_text import POSTGRES, statements_for
from groundtrace_testing.records import a_failure, a_row
from groundtrace_testing.stores import HASTY, postgres_store

pytestmark = pytest.mark.server

ENDS = ("tool_invocation_before", "tool_invocation_after")
SESSION = "acme/outage"


@pytest.fixture
def store(postgres_dsn: str) -> Iterator[PostgresStore]:
    opened = postgres_store(postgres_dsn, partition=Partition.MONTH)
    yield opened
    opened.close()


@pytest.fixture
def other(postgres_dsn: str, store: PostgresStore) -> Iterator[Connection]:
    """Another program's connection."""
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        yield connection


def in_month(year: int, month: int, number: int = 0) -> Invocation:
    at = datetime(year, month, 15, 12, number % 60, tzinfo=UTC)
    return a_row(id=imported_id(at, str(number)), started_at=at, seq=number)


def range_in(year: int, month: int) -> IdRange:
    found = month_range(year, month)
    assert found is not None
    return found


def test_a_new_store_has_the_two_ends_and_each_month_that_rows_came_for(
    store: PostgresStore, other: Connection
) -> None:
    assert partitions(other) == ENDS
    rows = [in_month(2026, 3), in_month(2024, 2), in_month(2026, 3, 1), a_row(), a_row(id="!")]
    assert store.append(rows) == result.Success((Fate.STORED,) * 5)
    months = ("tool_invocation_2024_02", "tool_invocation_2026_03")
    assert partitions(other) == (ENDS[0], *months, ENDS[1])
    held = [other.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() for table in partitions(other)]
    assert held == [(1,), (1,), (2,), (1,)]
    assert len(store.rows(SESSION).unwrap()) == 5


def test_asked_again_it_stays_as_it_is(store: PostgresStore, other: Connection, postgres_dsn: str) -> None:
    store.append([in_month(2026, 3)])
    version = postgres_schema.STEPS[-1].version
    again = result.Success(Migrated(version=version, applied=(), partition=Partition.MONTH))
    assert migrate(postgres_dsn, partition=Partition.MONTH) == again
    assert len(partitions(other)) == 3


def test_a_partitioned_store_has_every_index_that_a_whole_one_has(store: PostgresStore, other: Connection) -> None:
    names = "SELECT indexname FROM pg_indexes WHERE tablename = 'tool_invocation' ORDER BY 1"
    partitioned = other.execute(names).fetchall()
    other.execute("CREATE SCHEMA whole")
    dsn = f"{other.info.dsn} options='-csearch_path=whole'"
    with psycopg.connect(dsn, autocommit=True) as connection:
        postgres_schema.migrate_postgres(connection).unwrap()
        assert (
            connection.execute(f"{names[:-11]} AND schemaname = 'whole' ORDER BY 1".encode()).fetchall() == partitioned
        )


def test_a_store_that_holds_rows_is_refused_and_stays_as_it_was(postgres_dsn: str) -> None:
    whole = postgres_store(postgres_dsn)
    whole.append([a_row()])
    told = migrate(postgres_dsn, partition=Partition.MONTH).failure()
    assert told.fault is StoreFault.READ_ONLY
    assert "holds rows already" in told.message
    assert whole.rows(SESSION) == result.Success((a_row(),))
    whole.close()


@pytest.mark.parametrize("url", ["memory:", "sqlite:trace.db"])
def test_no_other_store_is_partitioned(url: str) -> None:
    told = migrate(url, partition=Partition.MONTH).failure()
    assert told.message.startswith("only a PostgreSQL store can be cut by time")


def test_a_writer_that_was_there_before_writes_on(postgres_dsn: str) -> None:
    early = postgres_store(postgres_dsn)
    assert early.rows(SESSION) == result.Success(())
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM tool_invocation")
    migrate(postgres_dsn, partition=Partition.MONTH).unwrap()
    assert early.append([in_month(2026, 3)]) == result.Success((Fate.STORED,))
    early.close()


def test_writers_that_need_the_same_months_at_once_make_each_once(
    store: PostgresStore, other: Connection, postgres_dsn: str
) -> None:
    stores = [PostgresStore(postgres_dsn, limits=HASTY) for _ in range(4)]

    def write(number: int) -> bool:
        return stores[number % 4].append([in_month(2026, month, number) for month in range(1, 7)]) == result.Success(
            (Fate.STORED,) * 6
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write, range(8)))
    assert len(partitions(other)) == 8
    assert len(store.rows(SESSION).unwrap()) == 48
    for one in stores:
        one.close()


def test_a_dropped_month_is_gone_and_its_neighbours_stay(store: PostgresStore, other: Connection) -> None:
    rows = [in_month(2026, 1), in_month(2026, 2), in_month(2026, 3)]
    store.append(rows)
    assert drop_partition(other, range_in(2026, 2))
    assert not drop_partition(other, range_in(2026, 2))
    assert store.rows(SESSION) == result.Success((rows[0], rows[2]))
    assert [line.rows for line in store.sessions().unwrap()] == [2]


def test_a_row_of_a_month_that_was_dropped_meanwhile_is_kept(store: PostgresStore, other: Connection) -> None:
    store.append([in_month(2026, 2)])
    drop_partition(other, range_in(2026, 2))
    late = [in_month(2026, 2, number) for number in range(1, 4)]
    assert store.append(late) == result.Success((Fate.STORED,) * 3)
    assert store.rows(SESSION) == result.Success(tuple(late))


def test_what_was_begun_and_not_ended_is_finished(store: PostgresStore, other: Connection, postgres_dsn: str) -> None:
    store.append([in_month(2026, 2)])
    with psycopg.connect(postgres_dsn) as reader:
        reader.execute("SELECT count(*) FROM tool_invocation")
        other.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            drop_partition(other, range_in(2026, 2))
    assert drop_partition(other, range_in(2026, 2))
    assert partitions(other) == ENDS


def test_a_new_month_does_not_wait_for_an_open_reader(store: PostgresStore, postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn) as reader:
        reader.execute("SELECT count(*) FROM tool_invocation")
        assert store.append([in_month(2026, 5)]) == result.Success((Fate.STORED,))


YEAR = [(2026, month) for month in range(1, 13)]
STRAY = a_failure(id="018f-no-uuid", started_at=datetime(2026, 4, 15, tzinfo=UTC))
"""A row whose id says nothing of its time: it lies among those of 2024."""


def months_in(connection: Connection, statement: str, page: Mapping[str, object]) -> list[str]:
    """The partitions that a plan for these parameters touches."""
    plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN {statement}".encode(), page))
    return [table for table in partitions(connection) if f" on {table} " in plan]


@pytest.mark.parametrize("name", ["supporting", "errors", "session", "of_sessions", "of_time"])
def test_a_summary_looks_on_in_the_months_of_its_rows_alone(store: PostgresStore, other: Connection, name: str) -> None:
    rows = [in_month(*month) for month in YEAR]
    store.append(rows)
    page = {
        "session": SESSION,
        "sessions": json.dumps([SESSION]),
        "since": rows[3].started_at,
        "until": rows[5].started_at,
        "least": rows[3].id,
        "most": rows[4].id,
    }
    part = getattr(monthly_summaries_for(POSTGRES), name)
    for statement in (part,) if isinstance(part, str) else astuple(part):
        assert months_in(other, statement, page) == ["tool_invocation_2026_04", "tool_invocation_2026_05"]


@pytest.mark.parametrize(
    "strays", [[], [STRAY], [replace(STRAY, id="!"), replace(STRAY, id="zz")]], ids=["none", "one", "both ends"]
)
def test_no_summary_loses_a_row_whose_id_lies_elsewhere(store: PostgresStore, strays: list[Invocation]) -> None:
    rows = [in_month(2026, 3), in_month(2026, 4), *strays]
    store.append([*rows, replace(in_month(2025, 7), session_id="acme/other")])
    whole = entries_of(summarize(rows))
    assert store.entries(SESSION) == result.Success(whole)
    assert store.entries_within(SummaryScope(sessions=(SESSION,))) == result.Success(whole)
    april = SummaryScope(since=datetime(2026, 4, 1, tzinfo=UTC), until=datetime(2026, 5, 1, tzinfo=UTC))
    assert store.entries_within(april) == result.Success(entries_of(summarize(rows[1:])))


def test_rows_of_other_programs_are_classified_in_every_month(store: PostgresStore, other: Connection) -> None:
    store.append([in_month(2026, 3)])
    other.execute(
        "INSERT INTO tool_invocation (session_id, id, tool_name, started_at, success)"
        " VALUES (%s, '!', 'query_logs', '2026-03-01Z', false)",
        (SESSION,),
    )
    entries = store.entries(SESSION).unwrap()
    assert [(one.calls, one.failures) for one in entries] == [(1, 0), (1, 1)]


def test_a_store_that_is_cut_after_a_reader_opened_it_is_read_on(postgres_dsn: str) -> None:
    early = postgres_store(postgres_dsn)
    assert early.entries(SESSION) == result.Success(())
    migrate(postgres_dsn, partition=Partition.MONTH).unwrap()
    writer = PostgresStore(postgres_dsn, limits=HASTY)
    writer.append([in_month(2026, 3), in_month(2026, 5)])
    assert early.entries(SESSION) == writer.entries(SESSION)
    assert [one.calls for one in early.entries(SESSION).unwrap()] == [2]
    early.close()
    writer.close()


def test_a_plan_for_any_bounds_touches_few_months_too(store: PostgresStore, other: Connection) -> None:
    rows = [in_month(*month) for month in YEAR]
    store.append(rows)
    other.execute("SET plan_cache_mode = force_generic_plan")
    text = statements_for(POSTGRES).rows_by_id
    marks = {f"%({name})s": f"${place}" for place, name in enumerate(("session", "ids", "least", "most"), 1)}
    for mark, numbered in marks.items():
        text = text.replace(mark, numbered)
    other.execute(f"PREPARE found (text, text, text, text) AS {text}".encode())
    asked = sql.SQL("EXPLAIN EXECUTE found ({})").format(
        sql.SQL(", ").join(map(sql.Literal, (SESSION, json.dumps([rows[3].id]), rows[3].id, rows[3].id)))
    )
    plan = "\n".join(line for (line,) in other.execute(asked))
    assert "Subplans Removed: 13" in plan


def test_rows_that_are_named_are_looked_for_in_their_own_months(store: PostgresStore, other: Connection) -> None:
    rows = [in_month(2026, month) for month in range(1, 13)]
    store.append(rows)
    assert store.find(SESSION, [rows[3].id, rows[4].id]) == result.Success(tuple(rows[3:5]))
    bounds = {"least": rows[3].id, "most": rows[4].id}
    asked = "EXPLAIN SELECT 1 FROM tool_invocation WHERE session_id = 's' AND id >= %(least)s AND id <= %(most)s"
    plan = "\n".join(line for (line,) in other.execute(asked, bounds))
    assert "2026_04" in plan
    assert "2026_05" in plan
    assert "2026_06" not in plan
