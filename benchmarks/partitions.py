"""What monthly partitions cost a reader, and save whoever drops a month: beside one table of the same rows.

Run: python benchmarks/partitions.py (PYTHONPATH=core:adapters:tests/support). The last of 13 months has 87,000 rows.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from statistics import median
from typing import Any

import psycopg
from returns.result import Result

from groundtrace.entries import SummaryScope
from groundtrace.ports import StoreError
from groundtrace_adapters.migrations import Partition, migrate
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_adapters.stores.partition_ranges import IdRange, month_range
from groundtrace_adapters.stores.postgres_partitions import drop_partition, ensure_partitions
from groundtrace_adapters.stores.sql_summary import summaries_for
from groundtrace_adapters.stores.sql_text import POSTGRES
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster

Connection = psycopg.Connection[tuple[Any, ...]]

SMALL, LARGE = 15_000, 87_000
CALLS, SESSIONS = 50, 100
SCHEMAS = ("whole", "one", "many")
ROUNDS, ROUNDS_OF_THE_STORE = 1_000, 200
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
        _store(dsn, SCHEMAS[0], months=13, partition=None) as whole,
        _store(dsn, SCHEMAS[1], months=1, partition=Partition.MONTH) as one,
        _store(dsn, SCHEMAS[2], months=13, partition=Partition.MONTH) as many,
    ):
        statement = summaries_for(POSTGRES).plain.counts.encode()
        plain, in_one, in_many = _medians(
            *(lambda turn, held=held: _counts(held, statement, turn) for held in (whole, one, many))
        )
        print(
            f"counts, levels and times of a session of {CALLS}: {plain * 1e6:.0f} us in one table, "
            f"{in_one / plain:.2f}x over 1 month, {in_many / plain:.2f}x over 13 months"
        )
        _through_the_store(dsn)
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


def _through_the_store(dsn: str) -> None:
    """Print what each question costs a caller of the store, its checks and the reading of the answer included."""
    with ExitStack() as closed:
        whole, one, many = (
            closed.enter_context(closing(open_store(_address(dsn, schema)).unwrap())) for schema in SCHEMAS
        )
        ids = {turn: [row.id for row in whole.rows(_session(turn)).unwrap()] for turn in range(SESSIONS)}
        for name, ask in _questions(ids).items():
            works = (lambda turn, held=held, ask=ask: ask(held, turn).unwrap() for held in (whole, one, many))
            plain, in_one, in_many = _medians(*works, rounds=ROUNDS_OF_THE_STORE)
            print(
                f"{name} through the store: {plain * 1e6:.0f} us in one table, {in_one / plain:.2f}x over 1 month, "
                f"{in_many / plain:.2f}x over 13 months"
            )


def _questions(ids: Mapping[int, Sequence[str]]) -> Mapping[str, Callable[[Store, int], Result[object, StoreError]]]:
    hour = datetime(2026, 1, 10, tzinfo=UTC), datetime(2026, 1, 10, 1, tzinfo=UTC)
    return {
        f"summary of a session of {CALLS}": lambda store, turn: store.entries(_session(turn)),
        "five calls by id": lambda store, turn: store.find(_session(turn), ids[turn % SESSIONS][:5]),
        f"a page of {CALLS} calls": lambda store, turn: store.rows(_session(turn)),
        "summary of two sessions": lambda store, turn: store.entries_within(
            SummaryScope(sessions=(_session(turn), _session(turn + 1)))
        ),
        "summary of an hour": lambda store, _: store.entries_within(SummaryScope(since=hour[0], until=hour[1])),
    }


def _session(turn: int) -> str:
    return f"12-{turn % SESSIONS:05}"


def _address(dsn: str, schema: str) -> str:
    return f"{dsn}?options=-csearch_path%3D{schema}"


_DELETE = b"""DELETE FROM tool_invocation WHERE (session_id, id) IN (SELECT session_id, id FROM tool_invocation
    WHERE id >= %(bound)s LIMIT %(limit)s)"""


def _counts(connection: Connection, statement: bytes, turn: int) -> object:
    return connection.execute(statement, {"session": _session(turn)}).fetchall()


@contextmanager
def _store(dsn: str, schema: str, *, months: int, partition: Partition | None) -> Iterator[Connection]:
    """A store of its own; the rows of its last month are those that are asked for."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
    own = _address(dsn, schema)
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


def _medians(*works: Callable[[int], object], rounds: int = ROUNDS) -> list[float]:
    times: list[list[float]] = [[] for _ in works]
    for turn in range(rounds):
        for work, taken in zip(works, times, strict=True):
            began = time.perf_counter()
            work(turn)
            taken.append(time.perf_counter() - began)
    return [median(taken) for taken in times]


if __name__ == "__main__":
    main()
