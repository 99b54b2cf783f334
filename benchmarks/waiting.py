"""What callers get that each wait until their own row is durable, beside a raw COPY, one INSERT and `executemany`.

The callers are tasks of one event loop: each puts a row, awaits its receipt and begins again. Each side writes
full-size rows of its own in rounds that alternate. Figures are medians over the rounds, and ratios of rates: 1 is as
quick as what it stands beside. PostgreSQL joins in where its programs are.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg

from groundtrace.invocation import Invocation
from groundtrace.ports import InvocationStore, Place
from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.opening import open_store
from groundtrace_adapters.stores.record_codec import AS_THEY_ARE, INVOCATIONS
from groundtrace_adapters.stores.sqlite import BINDINGS
from groundtrace_adapters.stores.sqlite_connect import connect
from groundtrace_adapters.stores.write_text import bare_insert_text, insert_text
from groundtrace_testing.full_rows import (
    SERVER,
    Connection,
    copied_raw,
    full_rows,
    in_one_transaction,
    prebuilt,
    seconds,
    sync_milliseconds,
)
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster

CALLERS = {512: 10_000, 64: 5_000}
"""So many callers, and how many rows they write together."""

ROUNDS = 5
SINGLES = 300
RAW_BATCH = 500
IN_FLIGHT = 3
"""So many batches are on their way to PostgreSQL at once, as the command sets it; SQLite takes one at a time."""

_runs = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """Seconds for all rows, seconds of processor time in all threads, and how many each row was waited for."""

    wall: float
    processor: float
    each: Sequence[float]


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
        with (
            closing(open_store(cluster.dsn()).unwrap()) as store,
            psycopg.connect(cluster.dsn(), autocommit=True) as connection,
        ):
            for callers, rows in CALLERS.items():
                _beside_copy(store, connection, callers, rows)
            _beside_insert(store, connection)
    finally:
        cluster.remove()
    print(f"fdatasync of 8 KB: {sync_milliseconds():.2f} ms")


def waited(store: InvocationStore, rows: Sequence[Invocation], /, *, callers: int, in_flight: int) -> Waited:
    """Let so many callers write rows, each the next one once its own is durable."""
    sink = QueueSink(store, spool=None, overlap=in_flight)
    try:
        return asyncio.run(_all_callers(sink, rows, callers))
    finally:
        sink.close()


async def _all_callers(sink: QueueSink, rows: Sequence[Invocation], callers: int) -> Waited:
    waiting, each = iter(rows), list[float]()
    began, worked = time.perf_counter(), time.process_time()
    await asyncio.gather(*(_caller(sink, waiting, each) for _ in range(callers)))
    return Waited(wall=time.perf_counter() - began, processor=time.process_time() - worked, each=each)


async def _caller(sink: QueueSink, rows: Iterator[Invocation], each: list[float]) -> None:
    for row in rows:
        began = time.perf_counter()
        placed = await sink.put(row).placed()
        assert placed.place is Place.STORED
        each.append(time.perf_counter() - began)


def _beside_copy(store: InvocationStore, connection: Connection, callers: int, rows: int) -> None:
    raw, ours = list[float](), list[Waited]()
    for _ in range(ROUNDS):
        batches = prebuilt(_rows(rows), RAW_BATCH)
        _empty(connection)
        raw.append(seconds(lambda batches=batches: copied_raw(connection, batches)))  # type: ignore[misc]
        given = _rows(rows)
        _empty(connection)
        ours.append(waited(store, given, callers=callers, in_flight=IN_FLIGHT))
    bare, wall = statistics.median(raw), statistics.median(one.wall for one in ours)
    print(
        f"postgres, {callers} waiting callers: raw COPY {bare / rows * 1e6:.1f} us a row; {bare / wall:.2f}x of its "
        f"rate; {_waits(ours)}; {_processor(ours):.1f} us of processor time a row"
    )


def _beside_insert(store: InvocationStore, connection: Connection) -> None:
    statement = insert_text(INVOCATIONS, "%s").encode()
    values = INVOCATIONS.as_values(_rows(SINGLES), AS_THEY_ARE, operation="append").unwrap()
    _empty(connection)
    sink = QueueSink(store, spool=None, overlap=IN_FLIGHT)
    insert, put = list[float](), list[float]()
    for row, bare in zip(_rows(SINGLES), values, strict=True):
        given = [str(value) if isinstance(value, str) else value for value in bare]
        insert.append(seconds(lambda given=given: connection.execute(statement, given, prepare=True)))  # type: ignore[misc]
        put.append(seconds(lambda row=row: sink.put(row).wait(deadline=10)))  # type: ignore[misc]
    sink.close()
    bare_one, one = statistics.median(insert), statistics.median(put)
    print(f"postgres, 1 waiting caller: prepared INSERT {bare_one * 1e6:.0f} us; {bare_one / one:.2f}x of its rate")


def _sqlite(folder: Path) -> None:
    callers, rows = 512, CALLERS[512]
    bare, ours = list[float](), list[Waited]()
    statement = bare_insert_text(INVOCATIONS, "?")
    for _ in range(ROUNDS):
        values = INVOCATIONS.as_bare_values(_rows(rows), BINDINGS, operation="append").unwrap()
        with closing(connect(_new_file(folder))) as connection:
            bare.append(seconds(lambda c=connection, v=values: in_one_transaction(c, statement, v)))  # type: ignore[misc]
        given = _rows(rows)
        with closing(open_store(f"sqlite:{_new_file(folder)}").unwrap()) as store:
            ours.append(waited(store, given, callers=callers, in_flight=1))
    alone, wall = statistics.median(bare), statistics.median(one.wall for one in ours)
    print(
        f"sqlite, {callers} waiting callers: executemany of {rows:,} rows in one transaction "
        f"{alone / rows * 1e6:.1f} us a row; {alone / wall:.2f}x of its rate; {_waits(ours)}; "
        f"{_processor(ours):.1f} us of processor time a row"
    )


def _waits(rounds: Sequence[Waited]) -> str:
    each = sorted(took for one in rounds for took in one.each)
    return f"p50 {each[len(each) // 2] * 1e3:.1f} ms, p99 {each[len(each) * 99 // 100] * 1e3:.1f} ms"


def _processor(rounds: Sequence[Waited]) -> float:
    return statistics.median(one.processor / len(one.each) for one in rounds) * 1e6


def _rows(many: int) -> list[Invocation]:
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
