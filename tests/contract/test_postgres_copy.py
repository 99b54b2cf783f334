"""Batches in PostgreSQL: the rows that single inserts write, all or none, whatever happens in the middle of a COPY."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from returns import result

from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.ports import Fate, StoreFault
from groundtrace.retrieval import Layer, Relevance
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.postgres_connections import PostgresLimits
from groundtrace_adapters.stores.record_codec import INVOCATIONS
from groundtrace_testing.lossy_proxy import Fault, LossyProxy
from groundtrace_testing.records import STORABLE, a_row
from groundtrace_testing.stores import HASTY, postgres_store

pytestmark = pytest.mark.server
SESSION = "acme/outage"
IN_A_HURRY = PostgresLimits(connect_seconds=2, pool_seconds=2.0, lock_seconds=0.5, statement_seconds=0.5)
_numbers = count(1)


@pytest.fixture(scope="module")
def shared(postgres_module_dsn: str) -> Iterator[PostgresStore]:
    opened = postgres_store(postgres_module_dsn)
    yield opened
    opened.close()


@pytest.fixture
def store(postgres_dsn: str) -> Iterator[PostgresStore]:
    opened = postgres_store(postgres_dsn)
    yield opened
    opened.close()


@pytest.fixture
def through_proxy(postgres_dsn: str, proxy: LossyProxy, store: PostgresStore) -> Iterator[PostgresStore]:
    opened = PostgresStore(proxy.through(postgres_dsn), limits=IN_A_HURRY)
    yield opened
    opened.close()


_INTEGERS = st.none() | st.integers(-(2**63), 2**63 - 1)
_ZONES = st.integers(-12, 14).map(lambda hours: timezone(timedelta(hours=hours)))
_TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=_ZONES)  # noqa: DTZ001 - bounds without one
_JSON = st.sampled_from(
    ["{}", '{"a": "\\u0000 \\ud83d"}', ' [1e400, "\\\\"]\n', '"\U0001f525"', "9" * 5_000, "[" * 300 + "]" * 300]
)
_HOSTILE = st.sampled_from(["\\N", "\\.", "NULL", "\t", "\r\n", "\ufeff", "\x01", "%s", "'", '"', "x" * 9_000])
_TEXTS = STORABLE | _HOSTILE


@st.composite
def hostile_rows(draw: st.DrawFn) -> Invocation:
    return a_row(
        session_id="set below",
        id=draw(_TEXTS.filter(lambda text: len(text) < 200)),
        turn_id=draw(st.none() | _TEXTS),
        seq=draw(st.integers(-(2**63), 2**63 - 1)),
        tool_name=draw(_TEXTS),
        topic_domain=draw(_TEXTS),
        outcome=draw(st.sampled_from(OutcomeKind)),
        support=draw(st.none() | st.sampled_from(Support)),
        reason=draw(st.none() | _TEXTS),
        partial=draw(st.booleans()),
        basis=draw(st.sampled_from(Basis)),
        input_params=draw(_JSON),
        input_fingerprint=draw(_TEXTS),
        started_at=draw(_TIMES),
        duration_ms=draw(_INTEGERS),
        success=draw(st.booleans()),
        output_preview=draw(st.none() | _TEXTS),
        output_state=draw(st.sampled_from(OutputState)),
        output_bytes=draw(_INTEGERS),
        output_sha256=draw(st.none() | _TEXTS),
        error_message=draw(st.none() | _TEXTS),
        retrieval_layer=draw(st.none() | st.sampled_from(Layer)),
        l0_count=draw(_INTEGERS),
        l1_count=draw(_INTEGERS),
        relevance_level=draw(st.none() | st.sampled_from(Relevance)),
        retrieval_details=draw(st.none() | _JSON),
        dedup_reason=draw(st.none() | _TEXTS),
        details=draw(_JSON),
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(hostile_rows(), min_size=2, max_size=4, unique_by=lambda row: row.id))
def test_a_copy_writes_what_single_inserts_write(
    shared: PostgresStore, postgres_module_dsn: str, rows: list[Invocation]
) -> None:
    copied, inserted = f"copied/{next(_numbers)}", f"inserted/{next(_numbers)}"
    assert shared.append([replace(row, session_id=copied) for row in rows]) == result.Success(
        (Fate.STORED,) * len(rows)
    )
    for row in rows:
        assert shared.append([replace(row, session_id=inserted)]) == result.Success((Fate.STORED,))
    columns = ", ".join(f"{name}::text" for name in INVOCATIONS.columns if name != "session_id")
    with psycopg.connect(postgres_module_dsn) as other:
        held = [
            other.execute(
                f"SELECT {columns} FROM tool_invocation WHERE session_id = %s ORDER BY id".encode(), (session,)
            ).fetchall()
            for session in (copied, inserted)
        ]
    assert held[0] == held[1]
    assert len(held[0]) == len(rows)
    back = {row.id: row for row in shared.rows(copied).unwrap()}
    assert back == {row.id: replace(row, session_id=copied, started_at=row.started_at.astimezone(UTC)) for row in rows}


class TestRepeatedKeys:
    @pytest.mark.parametrize("place", [0, 1_000, 1_999])
    def test_one_repeated_key_among_many_rows_costs_its_neighbours_nothing(
        self, store: PostgresStore, place: int
    ) -> None:
        batch = [a_row(id=f"{number:05}") for number in range(2_000)]
        assert store.append([batch[place]]) == result.Success((Fate.STORED,))
        assert store.append(batch) == result.Success((Fate.STORED,) * 2_000)
        other = [replace(batch[place], seq=7), a_row(id="later")]
        assert store.append(other) == result.Success((Fate.ID_CONFLICT, Fate.STORED))
        assert store.rows(SESSION, limit=5_000) == result.Success((*batch, a_row(id="later")))

    def test_nothing_is_left_of_the_stage(self, store: PostgresStore, postgres_dsn: str) -> None:
        for _ in range(3):
            store.append([a_row(), a_row()])
        with psycopg.connect(postgres_dsn) as other:
            assert other.execute("SELECT relname FROM pg_class WHERE relname LIKE '%stage%'").fetchall() == []

    def test_rows_of_the_first_release_are_known_again(self, store: PostgresStore, postgres_dsn: str) -> None:
        store.append([a_row()])
        with psycopg.connect(postgres_dsn) as other:
            other.execute("UPDATE tool_invocation SET row_digest = %s", (INVOCATIONS.first_digest(a_row()),))
        assert store.append([a_row(), a_row(seq=1)]) == result.Success((Fate.STORED, Fate.ID_CONFLICT))

    def test_a_rule_of_others_is_told_and_not_taken_for_a_kept_row(
        self, store: PostgresStore, postgres_dsn: str
    ) -> None:
        with psycopg.connect(postgres_dsn) as other:
            other.execute("CREATE UNIQUE INDEX others ON tool_invocation (tool_name)")
        told = store.append([a_row(id="1"), a_row(id="2")]).failure()
        assert (told.fault, told.retryable) == (StoreFault.REFUSED_ROW, False)
        assert store.rows(SESSION) == result.Success(())
        assert store.append([a_row(id="1")]) == result.Success((Fate.STORED,))
        assert store.append([a_row(id="2")]).failure().fault is StoreFault.REFUSED_ROW

    def test_writers_of_the_same_rows_in_other_orders_never_stop_each_other(self, store: PostgresStore) -> None:
        batch = [a_row(id=f"{number:04}") for number in range(600)]
        orders = [batch, batch[::-1], batch[300:] + batch[:300]] * 2
        with ThreadPoolExecutor(6) as pool:
            told = [one.unwrap() for one in pool.map(store.append, orders)]
        assert told == [(Fate.STORED,) * 600] * 6
        assert store.rows(SESSION) == result.Success(tuple(batch))


class TestInTheMiddleOfACopy:
    BATCH = tuple(a_row(id=f"{number:05}") for number in range(2_000))

    def test_a_row_that_cannot_be_kept_refuses_its_batch_by_name(self, store: PostgresStore) -> None:
        told = store.append([*self.BATCH, a_row(id="z", output_preview="hunter2\x00")]).failure()
        assert (told.fault, told.retryable) == (StoreFault.REFUSED_ROW, False)
        assert "tool_invocation.output_preview" in told.message
        assert "hunter2" not in repr(told)
        assert store.rows(SESSION) == result.Success(())
        assert store.append(self.BATCH) == result.Success((Fate.STORED,) * 2_000)

    def test_a_connection_that_is_cut_keeps_nothing(
        self, through_proxy: PostgresStore, store: PostgresStore, proxy: LossyProxy
    ) -> None:
        through_proxy.check()
        proxy.fault = Fault.LATE_CUT
        told = through_proxy.append(self.BATCH).failure()
        assert proxy.happened.wait(5)
        assert (told.fault, told.retryable) == (StoreFault.UNAVAILABLE, True)
        assert store.rows(SESSION) == result.Success(())
        assert through_proxy.append(self.BATCH) == result.Success((Fate.STORED,) * 2_000)

    def test_a_network_that_falls_silent_is_given_up_and_keeps_nothing(
        self, through_proxy: PostgresStore, store: PostgresStore, proxy: LossyProxy
    ) -> None:
        through_proxy.check()
        proxy.fault = Fault.LATE_SILENCE
        began = time.monotonic()
        told = through_proxy.append(self.BATCH).failure()
        assert time.monotonic() - began < 6
        assert told.fault in (StoreFault.TIMED_OUT, StoreFault.UNAVAILABLE)
        assert told.retryable
        proxy.close()
        assert store.rows(SESSION) == result.Success(())

    def test_a_copy_that_only_crawls_is_given_up(
        self, through_proxy: PostgresStore, store: PostgresStore, proxy: LossyProxy
    ) -> None:
        through_proxy.check()
        proxy.fault = Fault.CRAWL
        began = time.monotonic()
        told = through_proxy.append([replace(row, output_preview="x" * 4_000) for row in self.BATCH]).failure()
        assert time.monotonic() - began < 8
        assert told.retryable
        proxy.close()
        assert store.rows(SESSION) == result.Success(())


def test_batches_of_several_threads_are_on_their_way_at_once(store: PostgresStore, postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn, autocommit=True) as other:
        other.execute(
            "CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END'"
        )
        other.execute("CREATE TRIGGER held_up BEFORE INSERT ON tool_invocation EXECUTE FUNCTION held_up()")
        other.execute("SELECT pg_advisory_lock(7)")
        with ThreadPoolExecutor(3) as pool:
            told = pool.map(lambda n: store.append([a_row(id=f"{n}-{k}") for k in range(100)]), range(3))
            assert _until(lambda: _held_up(other) == 3)
            other.execute("SELECT pg_advisory_unlock(7)")
            assert list(told) == [result.Success((Fate.STORED,) * 100)] * 3


def _held_up(connection: psycopg.Connection[Any]) -> int:
    (found,) = connection.execute(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    ).fetchone() or (0,)
    return int(found)


def _until(happens: Any) -> bool:
    until = time.monotonic() + 0.9 * HASTY.lock_seconds
    while not happens() and time.monotonic() < until:
        time.sleep(0.01)
    return bool(happens())
