"""What a store on several PostgreSQL servers costs beside the same store on one: writing, one row, one summary.

Run: python benchmarks/sharding.py (PYTHONPATH=core:adapters:tests/support). Three servers on this machine, with `fsync`
off: what is compared is the way through the entry, and neither disks nor a network between the servers.
"""

import statistics
import time
from collections.abc import Callable
from itertools import count

import psycopg

from groundtrace.invocation import Invocation
from groundtrace_adapters.stores.opening import Store
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.record_codec import INVOCATIONS
from groundtrace_adapters.stores.sharded.store import ShardedPostgresStore
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.records import a_row
from groundtrace_testing.shards import Shards, running_shards

ROUNDS = 9
BATCHES, BATCH = 8, 500
SESSION_ROWS = 50
LOOKS = 200
_numbers = count(1)


def main() -> None:
    """Print each figure of the sharded store as a ratio to the same of one server, taken in turn in one run."""
    binaries = find_binaries()
    if isinstance(binaries, str):
        print(f"left out: {binaries}")
        return
    with running_shards(binaries) as shards:
        local, spread = PostgresStore(shards.share(1)), ShardedPostgresStore(shards.entry)
        print(f"medians of {ROUNDS} rounds in turn; three servers on this machine, fsync off")
        _told("COPY into the table itself, rows a second", _copies(shards), more_is_better=True)
        for sessions in (1, 3):
            what = f"append of {BATCH} rows of {sessions} sessions, rows a second"
            _told(what, _appends(local, spread, sessions=sessions), more_is_better=True)
        _told("append of one row, p50", _ones(local, spread), more_is_better=False)
        _told(f"summary of one session of {SESSION_ROWS} rows, p50", _summaries(local, spread), more_is_better=False)
        _told(f"a page of {SESSION_ROWS} rows, p50", _pages(local, spread), more_is_better=False)
        local.close()
        spread.close()


def _told(what: str, seconds: list[tuple[float, float]], *, more_is_better: bool) -> None:
    local, spread = (statistics.median(times) for times in zip(*seconds, strict=True))
    ratios = [(one / other if more_is_better else other / one) for one, other in seconds]
    print(
        f"{what}: {statistics.median(ratios):.2f}x local (from {min(ratios):.2f} to {max(ratios):.2f}); "
        f"{local * 1e6:,.0f} us local, {spread * 1e6:,.0f} us through the entry"
    )


def _copies(shards: Shards) -> list[tuple[float, float]]:
    """Seconds a row, of COPY as it is, without any question of keys."""
    with psycopg.connect(shards.share(1)) as local, psycopg.connect(shards.entry) as entry:
        return [(_copied(local), _copied(entry)) for _ in range(ROUNDS)]


def _copied(connection: psycopg.Connection[tuple[object, ...]]) -> float:
    plain = [INVOCATIONS.encode(row, operation="bench").unwrap() for row in _rows(BATCHES * BATCH)]
    columns = ", ".join(plain[0])
    began = time.perf_counter()
    with connection.cursor() as cursor, cursor.copy(f"COPY tool_invocation ({columns}) FROM STDIN".encode()) as copy:
        for one in plain:
            copy.write_row(tuple(one.values()))
    connection.commit()
    return (time.perf_counter() - began) / len(plain)


def _appends(local: Store, spread: Store, *, sessions: int) -> list[tuple[float, float]]:
    """Seconds a row; of one session, as a sink's lane appends them, or of several, which are split by server."""

    def appended(store: Store) -> float:
        batches = [_rows(BATCH, sessions=sessions) for _ in range(BATCHES)]
        return _seconds(lambda: [store.append(batch).unwrap() for batch in batches]) / (BATCHES * BATCH)

    return _in_turn(local, spread, appended)


def _ones(local: Store, spread: Store) -> list[tuple[float, float]]:
    def median_of_one(store: Store) -> float:
        return statistics.median(_seconds(lambda: store.append(_rows(1)).unwrap()) for _ in range(LOOKS))

    return _in_turn(local, spread, median_of_one)


def _summaries(local: Store, spread: Store) -> list[tuple[float, float]]:
    return _looks(local, spread, lambda store, session: store.entries(session).unwrap())


def _pages(local: Store, spread: Store) -> list[tuple[float, float]]:
    return _looks(local, spread, lambda store, session: store.rows(session).unwrap())


def _looks(local: Store, spread: Store, look: Callable[[Store, str], object]) -> list[tuple[float, float]]:
    session = f"looked at/{next(_numbers)}"
    rows = [_row(session, number) for number in range(SESSION_ROWS)]
    for store in (local, spread):
        store.append(rows).unwrap()

    def median_of_look(store: Store) -> float:
        return statistics.median(_seconds(lambda: look(store, session)) for _ in range(LOOKS))

    return _in_turn(local, spread, median_of_look)


def _in_turn(local: Store, spread: Store, work: Callable[[Store], float]) -> list[tuple[float, float]]:
    for store in (local, spread):
        work(store)
    return [(work(local), work(spread)) for _ in range(ROUNDS)]


def _rows(number: int, *, sessions: int = 3) -> list[Invocation]:
    batch = next(_numbers)
    return [_row(f"bench/{batch}/{place % sessions}", place) for place in range(number)]


def _row(session: str, number: int) -> Invocation:
    return a_row(
        session_id=session,
        id=f"{next(_numbers):012}",
        seq=number,
        topic_domain=str(number % 7),
        input_fingerprint=str(number),
        output_preview="2026-03-08T12:00:00Z checkout pool exhausted, 50 of 50 in use\n" * 30,
    )


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
