"""What monthly partitions cost a reader, and save whoever drops a month: beside one table of the same rows.

Run: python benchmarks/partitions.py (PYTHONPATH=core:adapters:tests/support). The last of 13 months has 87,000 rows.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from statistics import median
from typing import Any

import psycopg

from groundtrace_adapters.migrations import Partition, migrate
from groundtrace_adapters.stores.opening import open_store
from groundtrace_adapters.stores.partition_ranges import IdRange, month_range
from groundtrace_adapters.stores.postgres_partitions import drop_partition, ensure_partitions
from groundtrace_adapters.stores.sql_summary import summaries_for
from groundtrace_adapters.stores.sql_text import POSTGRES
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster

Connection = psycopg.Connection[tuple[Any, ...]]

SMALL, LARGE = 15_000, 87_000
CALLS = 50
ROUNDS = 1_000
BATCH = 1_000
"""So many rows are deleted in one transaction where there is no month to drop."""

_FILL = r"""INSERT INTO tool_invocation (session_id, id, seq, tool_name, topic_domain, outcome, support, input_params,
    input_fingerprint, started_at, duration_ms, success, output_preview, output_state, row_digest)
SELECT %(month)s || '-' || to_char(g / 50, 'FM00000'),
    regexp_replace(lpad(to_hex(%(ms)s::bigint + g * 20000::bigint), 12, '0'), '^(.{8})', '\1-')
        || '-7000-8000-' || lpad(g::text, 12, '0'),
    g, (ARRAY['query_logs', 'query_metrics', 'lookup_knowledge'])[1 + g %% 3], 'service-' || g %% 2,
    'success', 'DIRECT', '{}', md5(g::text) || md5((g + 1)::text),
    to_timestamp(%(ms)s / 1000.0) + g * interval '20 seconds', 12, true, repeat(md5(g::text), 40), 'full', md5(g::text)
FROM generate_series(0, %(last)s) AS g"""


def main() -> None:
    """Print a summary over 1 and over 13 months beside one table, and a month dropped beside one deleted."""
    binaries = find_binaries()
    if isinstance(binaries, str):
        print(f"left out: {binaries}")
        return
    cluster = PostgresCluster.create(binaries, settings={"shared_buffers": "512MB"})
    try:
        cluster.start()
        _report(cluster.dsn())
    finally:
        cluster.remove()


def _report(dsn: str) -> None:
    with (
        _store(dsn, "whole", months=13, partition=None) as whole,
        _store(dsn, "one", months=1, partition=Partition.MONTH) as one,
        _store(dsn, "many", months=13, partition=Partition.MONTH) as many,
    ):
        statement = summaries_for(POSTGRES).plain.counts.encode()
        plain, in_one, in_many = _medians(
            *(lambda turn, held=held: _counts(held, statement, turn) for held in (whole, one, many))
        )
        print(
            f"counts, levels and times of a session of {CALLS}: {plain * 1e6:.0f} us in one table, "
            f"{in_one / plain:.2f}x over 1 month, {in_many / plain:.2f}x over 13 months"
        )
        began = time.perf_counter()
        drop_partition(many, _last_month())
        dropped = time.perf_counter() - began
        began = time.perf_counter()
        while whole.execute(_DELETE, {"bound": _last_month().first, "limit": BATCH}).rowcount:
            pass
        deleted = time.perf_counter() - began
        print(
            f"a month of {LARGE:,} rows: {dropped * 1e3:.0f} ms to detach and drop, "
            f"{deleted * 1e3:.0f} ms to delete in batches of {BATCH:,}, {deleted / dropped:.0f}x"
        )


_DELETE = b"""DELETE FROM tool_invocation WHERE (session_id, id) IN (SELECT session_id, id FROM tool_invocation
    WHERE id >= %(bound)s LIMIT %(limit)s)"""


def _counts(connection: Connection, statement: bytes, turn: int) -> object:
    return connection.execute(statement, {"session": f"12-{turn % 100:05}"}).fetchall()


@contextmanager
def _store(dsn: str, schema: str, *, months: int, partition: Partition | None) -> Iterator[Connection]:
    """A store of its own; the rows of its last month are those that are asked for."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
    own = f"{dsn}?options=-csearch_path%3D{schema}"
    migrate(own, partition=partition).unwrap()
    open_store(own).unwrap().close()
    with psycopg.connect(own, autocommit=True) as connection:
        for month in range(13 - months, 13):
            first = datetime(2025 + month // 12, month % 12 + 1, 1, tzinfo=UTC)
            if partition is not None:
                ensure_partitions(connection, [_month(first)])
            rows = LARGE if month == 12 else SMALL
            page = {"month": f"{month:02}", "ms": int(first.timestamp() * 1_000), "last": rows - 1}
            connection.execute(_FILL.encode(), page)
        connection.execute(b"VACUUM ANALYZE tool_invocation")
        yield connection


def _last_month() -> IdRange:
    return _month(datetime(2026, 1, 1, tzinfo=UTC))


def _month(first: datetime) -> IdRange:
    found = month_range(first.year, first.month)
    assert found is not None
    return found


def _medians(*works: Callable[[int], object]) -> list[float]:
    times: list[list[float]] = [[] for _ in works]
    for turn in range(ROUNDS):
        for work, taken in zip(works, times, strict=True):
            began = time.perf_counter()
            work(turn)
            taken.append(time.perf_counter() - began)
    return [median(taken) for taken in times]


if __name__ == "__main__":
    main()
