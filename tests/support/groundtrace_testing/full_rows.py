"""What figures of writing stand beside: full-size rows, a raw binary COPY of prebuilt bytes, a probe of the disk."""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg

from groundtrace.invocation import Invocation
from groundtrace_adapters.stores.record_codec import INVOCATIONS
from groundtrace_adapters.stores.write_text import copy_text
from groundtrace_testing.postgres_cluster import DURABLE
from groundtrace_testing.records import NOON, a_row

ROW_BYTES = 2_600
"""About what a full-size row holds, in characters."""

CALLS_A_SESSION = 50

SERVER = {**DURABLE, "shared_buffers": "256MB", "max_wal_size": "4GB", "checkpoint_timeout": "1h"}
"""A durable server in which no checkpoint falls into one side of a comparison."""

_LOG = Path(__file__).parents[3] / "examples/incident/server.log"
_PREVIEW = 2_000
_PROBES = 100

Connection = psycopg.Connection[tuple[object, ...]]


def full_rows(count: int, /, *, run: str) -> list[Invocation]:
    """Return rows of real log text, in the order of their keys, other than those of any other run."""
    log = _LOG.read_text("utf-8")
    room = len(log) - _PREVIEW
    pattern = a_row(turn_id="0197f2c0-7d1c-7000-8000-00000000abcd", details='{"source": "server.log", "matched": 3}')
    params = (
        '{"pattern": "connection refused", "fields": {"pod": "cart-7f8d7d756d-kzp47", "level": "error"},'
        ' "start": "2026-03-08T11:55:00Z", "end": "2026-03-08T12:10:00Z", "limit": 100, "page": %d}'
    )
    return [
        replace(
            pattern,
            session_id=f"tenant/{run}-{number // CALLS_A_SESSION:06}",
            id=f"0197f2c0-7d1c-7000-8000-{number:012x}",
            seq=number % CALLS_A_SESSION,
            started_at=NOON + timedelta(milliseconds=number),
            input_params=params % number,
            input_fingerprint=f"{number:064x}",
            output_preview=log[(at := number * 997 % room) : at + _PREVIEW],
            output_bytes=_PREVIEW,
        )
        for number in range(count)
    ]


def copied_raw(connection: Connection, batches: Iterable[bytes], /) -> None:
    """Copy prebuilt bytes, one transaction a batch. The connection is in autocommit mode."""
    for batch in batches:
        with connection.cursor() as cursor, cursor.copy(copy_text(INVOCATIONS, INVOCATIONS.table).encode()) as copy:
            copy.write(batch)


def prebuilt(rows: Sequence[Invocation], batch: int, /) -> list[bytes]:
    """Return whole inputs of a binary COPY."""
    return [
        b"PGCOPY\n\xff\r\n\0" + bytes(8) + INVOCATIONS.as_binary(part, operation="append").unwrap() + b"\xff\xff"
        for part in cut(rows, batch)
    ]


def cut(rows: Sequence[Invocation], batch: int, /) -> list[Sequence[Invocation]]:
    """Return rows in batches."""
    return [rows[at : at + batch] for at in range(0, len(rows), batch)]


def in_one_transaction(connection: sqlite3.Connection, statement: str, values: Sequence[Sequence[object]], /) -> None:
    """Run one statement for each set of values, durable in the end. The connection is in autocommit mode."""
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(statement, values)
    connection.execute("COMMIT")


def sync_milliseconds() -> float:
    """Return how long fdatasync of 8 KB takes here, the median of many."""
    took = []
    with tempfile.TemporaryFile() as file:
        for _ in range(_PROBES):
            os.write(file.fileno(), bytes(8_192))
            took.append(seconds(lambda: os.fdatasync(file.fileno())))
    return statistics.median(took) * 1e3


def seconds(work: Callable[[], object], /) -> float:
    """Return how long some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
