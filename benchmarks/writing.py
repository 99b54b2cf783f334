"""What it costs to write rows: `append` beside a raw binary COPY, a prepared INSERT and a bare `executemany`.

All sides of a figure write full-size rows of their own in rounds that alternate, into tables of the same schema, and
each commit is on the disk. Figures are medians over the rounds, and ratios of rates: 1 is as quick as what it stands
beside. PostgreSQL joins in where its programs are.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

import psycopg

from groundtrace.invocation import Invocation
from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_adapters.stores.record_codec import AS_THEY_ARE, INVOCATIONS
from groundtrace_adapters.stores.sqlite import BINDINGS
from groundtrace_adapters.stores.sqlite_connect import connect
from groundtrace_adapters.stores.write_text import bare_insert_text, insert_text
from groundtrace_testing.full_rows import (
    SERVER,
    Connection,
    copied_raw,
    cut,
    full_rows,
    in_one_transaction,
    prebuilt,
    seconds,
    sync_milliseconds,
)
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster

ROWS = 10_000
ROUNDS = 7
SINGLES = 300
SQLITE_BATCH = 512

_runs = count(1)


def main() -> None:
    """Print each figure, with the probes that it is read beside."""
    print(f"fdatasync of 8 KB: {sync_milliseconds():.2f} ms")
    with tempfile.TemporaryDirectory() as folder:
        _sqlite(Path(folder))
    binaries = find_binaries()
    if isinstance(binaries, str):
        print(f"postgres left out: {binaries}")
        return
    cluster = PostgresCluster.create(binaries, settings=SERVER)
    try:
        cluster.start()
        migrate(cluster.dsn()).unwrap()
        store = open_store(cluster.dsn()).unwrap()
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            for batch in (500, 2_000):
                _bulk(store, connection, batch)
            _one(store, connection)
        store.close()
    finally:
        cluster.remove()
    print(f"fdatasync of 8 KB: {sync_milliseconds():.2f} ms")


def _bulk(store: Store, connection: Connection, batch: int) -> None:
    def raw() -> float:
        batches = prebuilt(_rows(), batch)
        _empty(connection)
        return seconds(lambda: copied_raw(connection, batches))

    worked = list[float]()

    def append() -> float:
        batches = cut(_rows(), batch)
        _empty(connection)
        began = time.process_time()
        took = seconds(lambda: [store.append(part).unwrap() for part in batches])
        worked.append((time.process_time() - began) / ROWS * 1e6)
        return took

    def staged() -> float:
        batches = cut(_rows(), batch)
        _empty(connection)
        # One row of each batch is there already, as after a commit that nobody heard of.
        store.append([part[-1] for part in batches]).unwrap()
        return seconds(lambda: [store.append(part).unwrap() for part in batches])

    took = _in_turn({"raw": raw, "append": append, "staged": staged})
    print(
        f"postgres, batches of {batch:,}: raw COPY {took['raw'] / ROWS * 1e6:.1f} us a row; "
        f"append {took['raw'] / took['append']:.2f}x of its rate, {statistics.median(worked):.1f} us of our processor "
        f"time a row; through the stage {took['append'] / took['staged']:.2f}x of append's"
    )


def _one(store: Store, connection: Connection) -> None:
    statement = insert_text(INVOCATIONS, "%s").encode()
    rows, bare = _rows(SINGLES), INVOCATIONS.as_values(_rows(SINGLES), AS_THEY_ARE, operation="append").unwrap()
    _empty(connection)
    took: dict[str, list[float]] = {"insert": [], "append": []}
    for row, values in zip(rows, bare, strict=True):
        given = [str(value) if isinstance(value, str) else value for value in values]
        took["insert"].append(seconds(lambda given=given: connection.execute(statement, given, prepare=True)))  # type: ignore[misc]
        took["append"].append(seconds(lambda row=row: store.append([row]).unwrap()))  # type: ignore[misc]
    insert, append = (statistics.median(took[name]) for name in ("insert", "append"))
    print(f"postgres, one row: prepared INSERT {insert * 1e6:.0f} us; append {insert / append:.2f}x of its rate")


def _sqlite(folder: Path) -> None:
    statement = bare_insert_text(INVOCATIONS, "?")

    def bare() -> float:
        path = _new_file(folder)
        values = INVOCATIONS.as_bare_values(_rows(), BINDINGS, operation="append").unwrap()
        with closing(connect(path)) as connection:
            return seconds(lambda: in_one_transaction(connection, statement, values))

    def append() -> float:
        batches = cut(_rows(), SQLITE_BATCH)
        store = open_store(f"sqlite:{_new_file(folder)}").unwrap()
        store.check().unwrap()
        took = seconds(lambda: [store.append(part).unwrap() for part in batches])
        store.close()
        return took

    took = _in_turn({"bare": bare, "append": append})
    print(
        f"sqlite, batches of {SQLITE_BATCH}: executemany of {ROWS:,} rows in one transaction "
        f"{took['bare'] / ROWS * 1e6:.1f} us a row; append {took['bare'] / took['append']:.2f}x of its rate"
    )


def _in_turn(sides: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """Return the median of each side over rounds in which each has its turn."""
    took: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, side in sides.items():
            took[name].append(side())
    return {name: statistics.median(times) for name, times in took.items()}


def _rows(many: int = ROWS) -> list[Invocation]:
    return full_rows(many, run=str(next(_runs)))


def _empty(connection: Connection) -> None:
    connection.execute(b"TRUNCATE tool_invocation")
    connection.execute(b"CHECKPOINT")


def _new_file(folder: Path) -> Path:
    path = folder / f"{next(_runs)}.db"
    migrate(f"sqlite:{path}").unwrap()
    return path


if __name__ == "__main__":
    main()
