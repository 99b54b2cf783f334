"""What a store costs to read: one page of rows, and a summary where rows are beside the pure one of rows in hand.

Run: python benchmarks/stores.py (PYTHONPATH=core:adapters:tests/support). PostgreSQL joins in where its programs are.
"""

import tempfile
import time
from collections.abc import Callable

from groundtrace.invocation import Invocation
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster
from groundtrace_testing.records import a_failure, a_row

ROWS = 20_000
BATCH = 1_000


def main() -> None:
    """Print each store's times, and the ratio of its summary to the pure one."""
    rows = [_row(number) for number in range(ROWS)]
    with tempfile.TemporaryDirectory() as folder:
        _report("memory", MemoryStore(), rows)
        _report("sqlite", open_store(f"sqlite:{folder}/trace.db").unwrap(), rows)
    binaries = find_binaries()
    if isinstance(binaries, str):
        print(f"postgres left out: {binaries}")
        return
    cluster = PostgresCluster.create(binaries)
    try:
        cluster.start()
        migrate(cluster.dsn()).unwrap()
        _report("postgres", open_store(cluster.dsn()).unwrap(), rows)
    finally:
        cluster.remove()


def _report(name: str, store: Store, rows: list[Invocation]) -> None:
    for at in range(0, ROWS, BATCH):
        store.append(rows[at : at + BATCH]).unwrap()
    read = _seconds(lambda: store.rows("bench", limit=1_000).unwrap())
    summed = _seconds(lambda: store.entries("bench").unwrap())
    pure = _seconds(lambda: entries_of(summarize(rows)))
    print(
        f"{name}: a page of 1,000 rows {read * 1e3:.1f} ms, summary of {ROWS:,} {summed * 1e3:.0f} ms "
        f"({summed / pure:.2f}x the pure one over rows in hand)"
    )
    store.close()


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
