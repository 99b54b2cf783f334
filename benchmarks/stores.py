"""What a store costs beside bare statements: append in batches of 100, one page of rows, and a summary where rows are.

Run: python benchmarks/stores.py (PYTHONPATH=core:adapters:tests/support). PostgreSQL joins in where its programs are.
"""

import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from groundtrace.invocation import Invocation
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_adapters.stores.record_codec import INVOCATIONS
from groundtrace_adapters.stores.sql_text import SQLITE, statements_for
from groundtrace_adapters.stores.sqlite import time_text
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster
from groundtrace_testing.records import a_failure, a_row

ROWS = 20_000
BATCH = 100


def main() -> None:
    """Print each store's time a row, and its ratio to bare SQLite statements of the same rows in the same run."""
    rows = [_row(number) for number in range(ROWS)]
    with tempfile.TemporaryDirectory() as folder:
        bare = _bare(Path(folder) / "bare.db", rows)
        print(f"bare SQLite, one transaction a batch of {BATCH}: {bare / ROWS * 1e6:.1f} us a row")
        _report("memory", MemoryStore(), rows, bare)
        _report("sqlite", open_store(f"sqlite:{folder}/trace.db").unwrap(), rows, bare)
    binaries = find_binaries()
    if isinstance(binaries, str):
        print(f"postgres left out: {binaries}")
        return
    cluster = PostgresCluster.create(binaries)
    try:
        cluster.start()
        migrate(cluster.dsn()).unwrap()
        _report("postgres", open_store(cluster.dsn()).unwrap(), rows, bare)
    finally:
        cluster.remove()


def _report(name: str, store: Store, rows: list[Invocation], bare: float) -> None:
    appended = _seconds(lambda: [store.append(rows[at : at + BATCH]).unwrap() for at in range(0, ROWS, BATCH)])
    read = _seconds(lambda: store.rows("bench", limit=1_000).unwrap())
    summed = _seconds(lambda: store.entries("bench").unwrap())
    pure = _seconds(lambda: entries_of(summarize(rows)))
    print(
        f"{name}: append {appended / ROWS * 1e6:.1f} us a row ({appended / bare:.2f}x bare), "
        f"a page of 1,000 rows {read * 1e3:.1f} ms, summary of {ROWS:,} {summed * 1e3:.0f} ms "
        f"({summed / pure:.2f}x the pure one over rows in hand)"
    )
    store.close()


def _bare(path: Path, rows: list[Invocation]) -> float:
    migrate(f"sqlite:{path}").unwrap()
    plain = [INVOCATIONS.encode(row, operation="append").unwrap() for row in rows]
    values = [{**one, "started_at": time_text(row.started_at)} for one, row in zip(plain, rows, strict=True)]
    insert = statements_for(SQLITE).insert_row
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")

        def write() -> None:
            for at in range(0, ROWS, BATCH):
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(insert, values[at : at + BATCH])
                connection.execute("COMMIT")

        return _seconds(write)


def _row(number: int) -> Invocation:
    changes = {"session_id": "bench", "id": f"{number:08}", "seq": number, "topic_domain": str(number % 20)}
    if number % 5 == 0:
        return a_failure(**changes, error_message=f"error {number % 7}", input_fingerprint=str(number % 900))
    return a_row(**changes, input_fingerprint=str(number), output_preview="x" * 1_500)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
