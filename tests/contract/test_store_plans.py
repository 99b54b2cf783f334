"""No question of a store grows with the store: what its statements touch is counted by SQLite and by PostgreSQL.

Sessions of 50 calls follow each other, so that a list of the latest ones has something to pass over.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.stores.sql_summary import Summing, summaries_for
from groundtrace_adapters.stores.sql_text import POSTGRES, SQLITE, Dialect, statements_for
from groundtrace_adapters.stores.sqlite import time_text
from groundtrace_testing.records import NOON

CALLS = 50
"""In each session."""
ROWS = 20_000


def statements_of(dialect: Dialect) -> dict[str, str]:
    """Every statement that reads, by name."""
    sql, summaries = statements_for(dialect), summaries_for(dialect)
    found = {one.name: getattr(sql, one.name) for one in fields(sql) if not one.name.startswith("insert_")}
    for one in fields(summaries):
        part = getattr(summaries, one.name)
        if isinstance(part, Summing):
            found |= {f"{one.name}.{inner.name}": getattr(part, inner.name) for inner in fields(part)}
        else:
            found[one.name] = part
    return found


PARAMETERS: Mapping[str, object] = {
    "session": "s-000007",
    "sessions": json.dumps(["s-000007", "s-000030"]),
    "ids": json.dumps(["00000357", "00000358"]),
    "least": "00000357",
    "most": "00000358",
    "limit": 20,
    "look": 150,
    "at": NOON,
    "seq": 0,
    "id": "00000007",
    "before_at": NOON + timedelta(seconds=1_700),
    "before_id": "s-000033",
    "since": NOON + timedelta(seconds=300),
    "until": NOON + timedelta(seconds=1_700),
}
READING = sorted(statements_of(SQLITE))


ROW = """SELECT 's-' || {pad}, {wide}, g, 'query_logs', 'success', 'f' || g, {time}, true"""
EVALUATION = """SELECT 's-' || {pad}, {wide}, 't', {time}, 'q', 'PASS', 'verified', false, false, '[]', 'm', 'v',
    'p', 1, 1, '[]', '[]', '{{}}', 'x', false"""
INTO = {
    "tool_invocation": "session_id, id, seq, tool_name, outcome, input_fingerprint, started_at, success",
    "verifier_evaluation": "session_id, id, turn_id, created_at, question, decision, cause, fallback, raw_cut, "
    "reasons, model, prompt_version, prompt_sha256, duration_ms, attempts, cited, unknown, evidence, shown, withheld",
}


@pytest.fixture(scope="module")
def postgres(postgres_module_dsn: str) -> Iterator[tuple[psycopg.Connection[tuple[Any]], ...]]:
    """One store, and one of four times its rows."""
    with (
        postgres_store(postgres_module_dsn, "small", ROWS // 4) as small,
        postgres_store(postgres_module_dsn, "large", ROWS) as large,
    ):
        yield small, large


def postgres_store(dsn: str, schema: str, rows: int) -> psycopg.Connection[tuple[Any]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
    own = f"{dsn}?options=-csearch_path%3D{schema}"
    migrate(own).unwrap()
    connection = psycopg.connect(own, autocommit=True)
    for table, row, number, each in (
        ("tool_invocation", ROW, rows, CALLS),
        ("verifier_evaluation", EVALUATION, rows // CALLS * 2, 2),
    ):
        read = row.format(
            pad=f"lpad((g / {each})::text, 6, '0')",
            wide="lpad(g::text, 8, '0')",
            time=f"timestamptz '{NOON}' + g * {CALLS // each} * interval '1 second'",
        )
        insert = f"INSERT INTO {table} ({INTO[table]}) {read} FROM generate_series(0, {number - 1}) AS g"
        connection.execute(insert.encode())
        connection.execute(f"VACUUM ANALYZE {table}".encode())
    return connection


def sqlite_store(path: Path, rows: int) -> sqlite3.Connection:
    migrate(f"sqlite:{path}").unwrap()
    connection = sqlite3.connect(path)
    for table, row, number, each in (
        ("tool_invocation", ROW, rows, CALLS),
        ("verifier_evaluation", EVALUATION, rows // CALLS * 2, 2),
    ):
        moment = f"'{NOON:%Y-%m-%dT%H:%M:%S}', '+' || (g * {CALLS // each}) || ' seconds'"
        read = row.format(
            pad=f"printf('%06d', g / {each})",
            wide="printf('%08d', g)",
            time=f"strftime('%Y-%m-%dT%H:%M:%S.000000Z', {moment})",
        )
        numbers = f"WITH RECURSIVE n(g) AS (SELECT 0 UNION ALL SELECT g + 1 FROM n WHERE g < {number - 1})"
        connection.execute(f"{numbers} INSERT INTO {table} ({INTO[table]}) {read} FROM n")
    connection.execute("ANALYZE")
    return connection


def touched(plan: Mapping[str, Any]) -> float:
    """How many rows a plan's scans took up, or took up and left, as counted while it ran."""
    own = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
    inner = sum(touched(part) for part in plan.get("Plans", ()))
    return inner + (own * plan["Actual Loops"] if "Scan" in plan["Node Type"] else 0)


@pytest.mark.server
@pytest.mark.parametrize("name", READING)
def test_what_postgresql_touches_does_not_grow_with_the_store(
    postgres: tuple[psycopg.Connection[tuple[Any]], ...], name: str
) -> None:
    asked = f"EXPLAIN (ANALYZE, FORMAT JSON) {statements_of(POSTGRES)[name]}".encode()
    plans = [row[0][0]["Plan"] for connection in postgres for row in connection.execute(asked, PARAMETERS)]
    small, large = map(touched, plans)
    assert large <= 1.1 * small + 10, json.dumps(plans, indent=1)


@pytest.mark.server
def test_the_counts_of_a_session_are_answered_by_the_index_alone(
    postgres: tuple[psycopg.Connection[tuple[Any]], ...],
) -> None:
    asked = f"EXPLAIN {statements_of(POSTGRES)['plain.counts']}".encode()
    plan = "\n".join(line for (line,) in postgres[1].execute(asked, PARAMETERS))
    assert "Index Only Scan using tool_invocation_summed" in plan
    assert plan.count("Scan") == 1


@pytest.fixture(scope="module")
def sqlites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[sqlite3.Connection, ...]]:
    """One store, and one of four times its rows."""
    folder = tmp_path_factory.mktemp("plans")
    with (
        closing(sqlite_store(folder / "small", ROWS // 4)) as small,
        closing(sqlite_store(folder / "large", ROWS)) as large,
    ):
        yield small, large


def steps(connection: sqlite3.Connection, statement: str) -> int:
    """How many instructions of SQLite's own machine a statement takes, in tens."""
    given = {key: time_text(value) if isinstance(value, datetime) else value for key, value in PARAMETERS.items()}
    tens = 0

    def count() -> int:
        nonlocal tens
        tens += 1
        return 0

    connection.set_progress_handler(count, 10)
    connection.execute(statement, given).fetchall()
    connection.set_progress_handler(None, 0)
    return tens


@pytest.mark.parametrize("name", READING)
def test_what_sqlite_does_does_not_grow_with_the_store(sqlites: tuple[sqlite3.Connection, ...], name: str) -> None:
    small, large = (steps(connection, statements_of(SQLITE)[name]) for connection in sqlites)
    assert large <= 1.1 * small + 10


def test_the_counts_of_a_session_are_answered_by_the_index_alone_on_sqlite(
    sqlites: tuple[sqlite3.Connection, ...],
) -> None:
    statement = f"EXPLAIN QUERY PLAN {statements_of(SQLITE)['plain.counts']}"
    plan = [row[3] for row in sqlites[1].execute(statement, {"session": "s-000007"})]
    assert plan[0] == "SEARCH tool_invocation USING COVERING INDEX tool_invocation_in_order (session_id=?)"
