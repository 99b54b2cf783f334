"""Upkeep of stores that are too large to be counted: estimates that say so, and figures that stay bounded."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from groundtrace.upkeep import Certainty, Count, StoreStats
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.records import NOON, a_row, an_evaluation
from groundtrace_testing.stores import postgres_store

ROWS = 120_000

_SQLITE = f"""INSERT INTO tool_invocation (session_id, id, tool_name, started_at, success, output_preview)
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS - 1})
SELECT printf('s%05d', i / 10), printf('%06d', i), 'query_logs', strftime('%Y-%m-%dT%H:%M:%S', 1772971200 + i,
    'unixepoch') || '.000000Z', i % 4 > 0, 'found' FROM n"""
_POSTGRES = f"""INSERT INTO tool_invocation (session_id, id, tool_name, started_at, success, output_preview)
SELECT 's' || lpad((i / 10)::text, 5, '0'), lpad(i::text, 6, '0'), 'query_logs', to_timestamp(1772971200 + i),
    i % 4 > 0, 'found' FROM generate_series(0, {ROWS - 1}) AS i"""


def _is_about(count: Count, number: int) -> bool:
    return count.certainty is Certainty.ESTIMATE and abs(count.number - number) <= number / 10


def _check(estimated: StoreStats, exact: StoreStats) -> None:
    assert _is_about(estimated.rows, ROWS)
    assert _is_about(estimated.sessions, ROWS // 10)
    assert _is_about(estimated.outcomes["failure"], ROWS // 4)
    assert exact.rows == Count(number=ROWS)
    assert exact.sessions == Count(number=ROWS // 10)
    assert exact.outcomes == {"failure": Count(number=ROWS // 4), "success": Count(number=ROWS * 3 // 4)}
    assert exact.first_at == estimated.first_at == NOON
    assert exact.last_at is not None
    assert estimated.last_at is not None
    assert estimated.last_at <= exact.last_at


def test_a_large_sqlite_store_is_estimated_unless_asked(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "trace.db")
    store.check().unwrap()
    with closing(sqlite3.connect(tmp_path / "trace.db")) as connection, connection:
        connection.execute(_SQLITE)
    _check(store.upkeep().stats().unwrap(), store.upkeep().stats(exact=True).unwrap())
    store.close()


@pytest.mark.server
def test_a_large_postgres_store_is_estimated_unless_asked(postgres_dsn: str) -> None:
    store = postgres_store(postgres_dsn)
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(_POSTGRES)
        # Else the server may count these rows a second time, on top of what ANALYZE has found.
        connection.execute("SELECT pg_stat_force_next_flush()")
        connection.execute("ANALYZE tool_invocation")
    _check(store.upkeep().stats().unwrap(), store.upkeep().stats(exact=True).unwrap())
    store.close()


def test_room_that_stays_in_the_file_is_told(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "trace.db")
    store.append([a_row(id=f"{number}", output_preview="x" * 2_000) for number in range(1_000)]).unwrap()
    store.save(an_evaluation(created_at=NOON)).unwrap()
    store.upkeep().prune(NOON.replace(year=2027)).unwrap()
    assert (store.upkeep().stats().unwrap().free_bytes or 0) > 1_000_000
    store.close()
