"""The PostgreSQL store through PgBouncer in transaction mode, where no two transactions need share a server's session.

Where the program is not found these are no tests at all; `.ci/run` installs it where it may.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest
from returns import result

from groundtrace.ports import Fate, StoreFault
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.migrations import Partition, migrate
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_testing.pgbouncer import find_pgbouncer, running_pgbouncer
from groundtrace_testing.postgres_cluster import PostgresCluster
from groundtrace_testing.records import a_failure, a_knowledge_row, a_row, an_evaluation
from groundtrace_testing.stores import HASTY

pytestmark = pytest.mark.server

PROGRAM = find_pgbouncer()
SESSION = "acme/outage"
SETTINGS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "TimeZone", "DateStyle")


@pytest.fixture(scope="module")
def pooler(postgres_cluster: PostgresCluster) -> Iterator[int]:
    assert PROGRAM is not None
    with running_pgbouncer(PROGRAM, postgres_cluster.port) as port:
        yield port


@pytest.fixture
def dsn(postgres_dsn: str, pooler: int) -> str:
    """The test's own database, migrated through the pooler too."""
    database = postgres_dsn.rpartition("/")[2]
    address = f"postgresql://postgres@127.0.0.1:{pooler}/{database}"
    migrate(address).unwrap()
    return address


@pytest.fixture
def store(dsn: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(dsn, limits=HASTY)
    yield opened
    opened.close()


class TestThroughPgBouncer:
    __test__ = PROGRAM is not None

    def test_rows_come_back_equal_and_are_kept_once(self, store: PostgresStore) -> None:
        rows = (a_row(id="1"), a_failure(id="2", seq=1), a_knowledge_row(id="3", seq=2))
        for _ in range(2):
            assert store.append(rows) == result.Success((Fate.STORED,) * 3)
        assert store.rows(SESSION) == result.Success(rows)
        assert store.rows(SESSION, after=rows[0], limit=1) == result.Success(rows[1:2])
        assert store.find(SESSION, ["3", "1"]) == result.Success((rows[0], rows[2]))

    def test_other_content_under_a_key_is_refused_and_its_neighbours_are_kept(self, store: PostgresStore) -> None:
        store.append([a_row()])
        batch = [a_row(id="before"), a_row(seq=9), a_row(id="later")]
        assert store.append(batch) == result.Success((Fate.STORED, Fate.ID_CONFLICT, Fate.STORED))
        assert store.append([a_row(seq=9)]) == result.Success((Fate.ID_CONFLICT,))

    def test_the_summary_equals_the_pure_one(self, store: PostgresStore) -> None:
        rows = [
            (a_failure if number % 3 else a_row)(id=str(number), seq=number, topic_domain=str(number % 4))
            for number in range(300)
        ]
        store.append(rows)
        assert store.entries(SESSION) == result.Success(entries_of(summarize(rows)))

    def test_evaluations_sessions_and_the_key_are_kept(self, store: PostgresStore) -> None:
        assert store.save(an_evaluation()) == store.save(an_evaluation()) == result.Success(Fate.STORED)
        assert store.evaluations(SESSION) == result.Success((an_evaluation(),))
        assert [line.session_id for line in store.sessions().unwrap()] == [SESSION]
        assert store.redaction_key() == store.redaction_key()
        assert store.check() == result.Success(None)

    def test_a_statement_that_is_asked_often_is_not_looked_for_in_another_session(self, dsn: str) -> None:
        """A driver that prepares what it asks often finds it prepared twice, or not at all, in the next session."""
        stores = [PostgresStore(dsn, limits=HASTY) for _ in range(3)]
        with ThreadPoolExecutor(6) as pool:
            told = pool.map(
                lambda number: (
                    stores[number % 3].append([a_row(id=f"{number:03}", seq=number)]),
                    stores[number % 3].rows("elsewhere"),
                    stores[number % 3].entries("elsewhere"),
                ),
                range(150),
            )
            answers = set(map(str, told))
        assert answers == {str((result.Success((Fate.STORED,)), result.Success(()), result.Success(())))}
        assert len(stores[0].rows(SESSION).unwrap()) == 150
        for one in stores:
            one.close()

    def test_threads_that_write_the_same_rows_keep_each_once(self, dsn: str) -> None:
        rows = [a_row(id=f"{number:03}", seq=number) for number in range(60)]
        stores = [PostgresStore(dsn, limits=HASTY) for _ in range(2)]
        with ThreadPoolExecutor(8) as pool:
            told = pool.map(lambda writer: stores[writer % 2].append(rows if writer % 3 else rows[::-1]), range(8))
            assert set(map(str, told)) == {str(result.Success((Fate.STORED,) * 60))}
        assert stores[0].rows(SESSION) == result.Success(tuple(rows))
        for one in stores:
            one.close()

    def test_a_sink_stores_what_it_is_given(self, store: PostgresStore) -> None:
        sink = QueueSink(store, spool=None)
        for number in range(200):
            sink.put(a_row(id=f"{number:03}", seq=number))
        told = sink.flush(SESSION, deadline=10)
        sink.close(deadline=5)
        assert (told.spooled, dict(told.lost)) == (frozenset(), {})
        assert len(store.rows(SESSION).unwrap()) == 200

    def test_a_session_goes_back_to_others_as_it_was(self, store: PostgresStore, dsn: str, postgres_dsn: str) -> None:
        with psycopg.connect(postgres_dsn) as fresh:
            before = [fresh.execute(f"SHOW {name}".encode()).fetchone() for name in SETTINGS]
        for number in range(20):
            store.append([a_row(id=str(number))])
            store.entries(SESSION)
        with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as other:
            for _ in range(10):
                assert [other.execute(f"SHOW {name}".encode()).fetchone() for name in SETTINGS] == before
            assert other.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)

    def test_a_locked_table_is_given_up_all_the_same(self, store: PostgresStore, postgres_dsn: str) -> None:
        """The limit comes with each transaction, and not with the session."""
        store.check()
        with psycopg.connect(postgres_dsn) as other:
            other.execute("LOCK TABLE tool_invocation IN ACCESS EXCLUSIVE MODE")
            told = store.append([a_row()]).failure()
        assert (told.fault, told.retryable) == (StoreFault.LOCKED, True)
        assert store.append([a_row()]) == result.Success((Fate.STORED,))

    def test_a_new_month_waits_no_longer_than_anything_else(self, dsn: str, postgres_dsn: str) -> None:
        migrate(dsn, partition=Partition.MONTH).unwrap()
        store = PostgresStore(dsn, limits=HASTY)
        assert store.entries(SESSION) == result.Success(())
        march = replace(a_row(), id="0195742c-0000-7000-8000-000000000001")
        with psycopg.connect(postgres_dsn) as other:
            other.execute("LOCK TABLE tool_invocation IN SHARE UPDATE EXCLUSIVE MODE")
            told = store.append([march]).failure()
        assert (told.fault, told.retryable) == (StoreFault.LOCKED, True)
        assert store.append([march]) == result.Success((Fate.STORED,))
        assert [one.calls for one in store.entries(SESSION).unwrap()] == [1]
        store.close()
