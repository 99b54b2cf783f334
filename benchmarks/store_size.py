"""What reading costs as a PostgreSQL store grows: a session's summary and the list of sessions beside `SELECT 1`.

Run: python benchmarks/store_size.py [--rows 10000000] (PYTHONPATH=core:adapters:tests/support). The sessions that are
summed up have 50 rows of full size each; the others are short, so that ten million take some 8 GB and some minutes.
"""

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

import psycopg

from groundtrace.entries import SummaryScope
from groundtrace.invocation import Invocation
from groundtrace.ports import SessionLine
from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_adapters.stores.sql_summary import summaries_for
from groundtrace_adapters.stores.sql_text import POSTGRES
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster
from groundtrace_testing.records import a_failure, a_row

Connection = psycopg.Connection[tuple[Any, ...]]

ROWS = 1_000_000
CALLS = 50
SUMMED = [f"summed-{number:03}" for number in range(40)]
ROUNDS = 1_500
CONCURRENT = 1_000
"""So many sessions of the store go on at once, each with 50 calls."""

_FILL = """INSERT INTO tool_invocation (session_id, id, seq, tool_name, topic_domain, outcome, support, input_params,
    input_fingerprint, started_at, duration_ms, success, output_preview, output_state, row_digest)
SELECT to_char(g / 50000, 'FM00000') || '-' || md5((g %% 1000)::text || g / 50000),
    lpad(to_hex(g), 12, '0') || '-7000-8000-' || substr(md5(g::text), 1, 12), g / 1000 %% 50,
    (ARRAY['query_logs', 'query_metrics', 'lookup_knowledge'])[1 + g %% 3], 'service-' || g %% 40,
    'success', 'DIRECT', '{}', md5(g::text) || md5((g + 1)::text),
    timestamptz '2026-01-01' + g * interval '1 second', 12, true, md5(g::text), 'full', md5(g::text) || md5(g::text)
FROM generate_series(%(first)s, %(last)s) AS g"""


def main() -> None:
    """Fill a store to a million rows and then to `--rows`, and print at each size what reading costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="the largest store, in rows")
    rows: int = parser.parse_args().rows
    binaries = find_binaries()
    if isinstance(binaries, str):
        print(f"left out: {binaries}")
        return
    cluster = PostgresCluster.create(binaries, settings={"shared_buffers": "1GB", "max_wal_size": "2GB"})
    try:
        cluster.start()
        _report(cluster.dsn(), sorted({min(rows, ROWS), rows}))
    finally:
        cluster.remove()


def _report(dsn: str, sizes: Sequence[int]) -> None:
    migrate(dsn).unwrap()
    store = open_store(dsn).unwrap()
    for number, session in enumerate(SUMMED):
        store.append([_row(session, number * CALLS + call) for call in range(CALLS)]).unwrap()
    with psycopg.connect(dsn, autocommit=True) as connection:
        held, before = 0, 0.0
        for size in sizes:
            began = time.perf_counter()
            _fill(connection, held, size)
            held = size
            print(f"{_words(size)} in {_gigabytes(connection):.1f} GB, written in {time.perf_counter() - began:.0f} s")
            before = _measure(connection, store, size, before)
    store.close()


def _measure(connection: Connection, store: Store, size: int, before: float) -> float:
    """Print the figures at one size and return a summary's counts as a multiple of `SELECT 1`."""
    plain = summaries_for(POSTGRES).plain
    pages = [{"session": session} for session in SUMMED]

    def ask(statement: str) -> Callable[[int], object]:
        text = statement.encode()
        # As the store asks it.
        return lambda turn: connection.execute(text, pages[turn % len(pages)], binary=True).fetchall()

    one, counts, ids, errors, whole = _medians(
        ROUNDS,
        lambda _: connection.execute(b"SELECT 1").fetchall(),
        ask(plain.counts),
        ask(plain.supporting),
        ask(plain.errors),
        lambda turn: store.entries(SUMMED[turn % len(SUMMED)]).unwrap(),
    )
    compared = f", {counts / one / before:.2f}x the same in the smaller store" if before else ""
    print(
        f"counts, levels and times of a session of {CALLS} among {_words(size)}: p50 {counts * 1e6:.0f} us, "
        f"{counts / one:.2f}x SELECT 1 ({one * 1e6:.0f} us) on the same connection{compared}"
    )
    print(
        f"its supporting ids {ids / one:.2f}x, its error texts {errors / one:.2f}x; "
        f"all of it through the store, in one transaction, {whole / one:.2f}x"
    )
    last = store.sessions(limit=10_000).unwrap()[-1]
    latest, behind, many, span = _medians(
        20,
        lambda _: store.sessions(limit=20).unwrap(),
        lambda _: store.sessions(before=last, limit=20).unwrap(),
        lambda _: store.entries_within(SummaryScope(sessions=tuple(SUMMED))).unwrap(),
        lambda _: store.entries_within(_an_hour_before(last)).unwrap(),
    )
    print(
        f"20 sessions of {size // CALLS:,}: the latest {latest * 1e3:.1f} ms, 20 behind 10,000 {behind * 1e3:.1f} ms; "
        f"summary of {len(SUMMED)} sessions ({len(SUMMED) * CALLS:,} rows) {many * 1e3:.1f} ms, "
        f"of an hour (3,600 rows) {span * 1e3:.1f} ms"
    )
    return counts / one


def _an_hour_before(line: SessionLine) -> SummaryScope:
    return SummaryScope(since=datetime.fromtimestamp(line.last_at.timestamp() - 3_600, UTC), until=line.last_at)


def _fill(connection: Connection, held: int, size: int) -> None:
    for first in range(held, size, 100_000):
        connection.execute(_FILL.encode(), {"first": first, "last": min(first + 100_000, size) - 1})
    # What a server does by itself in its own time.
    connection.execute(b"VACUUM ANALYZE tool_invocation")


def _medians(rounds: int, *works: Callable[[int], object]) -> list[float]:
    """Return the median time of each work, in seconds; one after the other in each round."""
    times: list[list[float]] = [[] for _ in works]
    for turn in range(rounds):
        for work, taken in zip(works, times, strict=True):
            began = time.perf_counter()
            work(turn)
            taken.append(time.perf_counter() - began)
    return [median(taken) for taken in times]


def _row(session: str, number: int) -> Invocation:
    changes: Mapping[str, object] = {
        "session_id": session,
        "id": f"{number:012x}-7000-8000-000000000000",
        "seq": number,
        "topic_domain": f"service-{number % 3}",
        "input_params": f'{{"selector": "{"checkout " * 40}"}}',
        "input_fingerprint": f"{number:064x}",
        "details": f'{{"classifier": "{"prometheus " * 15}"}}',
    }
    if number % 5 == 0:
        return a_failure(**changes, error_message=f"TimeoutError: {number % 7} s" + " and more" * 20)
    return a_row(**changes, output_preview=f"line {number} of a log, as it stood there\n" * 40)


def _gigabytes(connection: Connection) -> float:
    ((size,),) = connection.execute(b"SELECT pg_total_relation_size('tool_invocation')").fetchall()
    return float(size) / 1e9


def _words(size: int) -> str:
    return f"{size:,} rows"


if __name__ == "__main__":
    main()
