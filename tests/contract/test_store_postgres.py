"""What is PostgreSQL's alone: a connection lost around a commit, a silent or frozen server, refusals, collations."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest
from returns import result

from groundtrace.entries import EvidenceLevel
from groundtrace.outcomes import OutcomeKind
from groundtrace.ports import Fate, StoreFault
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_testing.lossy_proxy import Fault, LossyProxy
from groundtrace_testing.postgres_cluster import PostgresCluster
from groundtrace_testing.records import a_failure, a_row, an_evaluation
from groundtrace_testing.stores import HASTY, postgres_store

pytestmark = pytest.mark.server
SESSION = "acme/outage"


@pytest.fixture
def store(postgres_dsn: str) -> Iterator[PostgresStore]:
    opened = postgres_store(postgres_dsn)
    yield opened
    opened.close()


@pytest.fixture
def through_proxy(postgres_dsn: str, proxy: LossyProxy, store: PostgresStore) -> Iterator[PostgresStore]:
    # With one connection, so that a fault around a commit cannot strike while another one is being made.
    limits = replace(HASTY, max_connections=1)
    opened = PostgresStore(proxy.through(postgres_dsn), limits=limits)
    yield opened
    opened.close()


class TestLostConnections:
    @pytest.mark.parametrize("size", [1, 100])
    @pytest.mark.parametrize("fault", [Fault.AFTER_COMMIT, Fault.BEFORE_COMMIT])
    def test_a_batch_whose_commit_was_cut_off_is_appended_again_and_kept_once(
        self, through_proxy: PostgresStore, store: PostgresStore, proxy: LossyProxy, fault: Fault, size: int
    ) -> None:
        """Field case B11: ack lost after commit, and lost before commit."""
        through_proxy.append([a_row(id="c-0")])
        batch = [a_row(id=f"d-{number}") for number in range(size)]
        proxy.fault = fault
        told = through_proxy.append(batch).failure()
        assert proxy.happened.wait(5)
        assert (told.fault, told.retryable) == (StoreFault.UNAVAILABLE, True)
        assert len(store.rows(SESSION).unwrap()) == 1 + size * (fault is Fault.AFTER_COMMIT)
        assert through_proxy.append(batch) == result.Success((Fate.STORED,) * size)
        assert len(store.rows(SESSION).unwrap()) == 1 + size

    def test_an_evaluation_whose_commit_was_cut_off_is_saved_again_and_kept_once(
        self, through_proxy: PostgresStore, store: PostgresStore, proxy: LossyProxy
    ) -> None:
        through_proxy.check()
        proxy.fault = Fault.AFTER_COMMIT
        assert through_proxy.save(an_evaluation()).failure().retryable
        assert through_proxy.save(an_evaluation()) == result.Success(Fate.STORED)
        assert store.evaluations(SESSION) == result.Success((an_evaluation(),))

    def test_a_session_that_the_server_ends_costs_one_call(self, store: PostgresStore, postgres_dsn: str) -> None:
        store.append([a_row()])
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert store.append([a_row(id="call-2")]).failure().fault is StoreFault.UNAVAILABLE
        assert store.append([a_row(id="call-2")]) == result.Success((Fate.STORED,))

    def test_a_restart_of_the_server_costs_one_call(
        self, store: PostgresStore, stoppable_postgres: PostgresCluster
    ) -> None:
        store.append([a_row()])
        stoppable_postgres.stop("immediate")
        stoppable_postgres.start()
        store.append([a_row(id="call-2")])
        assert store.append([a_row(id="call-2")]) == result.Success((Fate.STORED,))
        assert len(store.rows(SESSION).unwrap()) == 2


class TestNothingWaitsForEver:
    def test_a_network_that_falls_silent_is_given_up(self, through_proxy: PostgresStore, proxy: LossyProxy) -> None:
        """Field case B12, the store's part: a write that blocks."""
        through_proxy.append([a_row()])
        proxy.fault = Fault.SILENCE
        began = time.monotonic()
        told = [through_proxy.append([a_row(id="2")]).failure(), through_proxy.rows(SESSION).failure()]
        assert time.monotonic() - began < 15
        assert all(error.fault in (StoreFault.TIMED_OUT, StoreFault.UNAVAILABLE) for error in told)
        assert all(error.retryable for error in told)

    def test_a_frozen_server_is_given_up(self, store: PostgresStore, postgres_dsn: str) -> None:
        """Its machine still acknowledges every packet, so the network sees no fault."""
        store.append([a_row()])
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            found = other.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'groundtrace'").fetchall()
        backends = [int(pid) for (pid,) in found]
        for pid in backends:
            os.kill(pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            told = store.append([a_row(id="call-2")]).failure()
            assert time.monotonic() - began < 10
        finally:
            for pid in backends:
                os.kill(pid, signal.SIGCONT)
        assert (told.fault, told.retryable) == (StoreFault.TIMED_OUT, True)
        assert store.append([a_row(id="call-2")]) == result.Success((Fate.STORED,))

    def test_a_locked_table_is_given_up(self, store: PostgresStore, postgres_dsn: str) -> None:
        store.check()
        with psycopg.connect(postgres_dsn) as other:
            other.execute("LOCK TABLE tool_invocation IN ACCESS EXCLUSIVE MODE")
            told = store.append([a_row()]).failure()
        assert (told.fault, told.retryable) == (StoreFault.LOCKED, True)
        assert "55P03" in told.message

    def test_a_slow_statement_is_ended(self, store: PostgresStore, postgres_dsn: str) -> None:
        store.check()
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            other.execute(
                "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
                " 'BEGIN PERFORM pg_sleep(30); RETURN NEW; END'"
            )
            other.execute("CREATE TRIGGER slow BEFORE INSERT ON tool_invocation EXECUTE FUNCTION slow()")
        told = store.append([a_row()]).failure()
        assert (told.fault, told.retryable) == (StoreFault.TIMED_OUT, True)
        assert "57014" in told.message

    def test_a_pool_that_is_used_up_is_told_within_its_limit(self, store: PostgresStore, postgres_dsn: str) -> None:
        store.check()
        with psycopg.connect(postgres_dsn) as other, ThreadPoolExecutor(24) as pool:
            other.execute("LOCK TABLE tool_invocation IN ACCESS EXCLUSIVE MODE")
            began = time.monotonic()
            told = [one.failure() for one in pool.map(lambda n: store.append([a_row(id=str(n))]), range(24))]
            assert time.monotonic() - began < 15
        assert all(error.retryable for error in told)


class TestRefusals:
    @pytest.mark.parametrize(
        ("address", "words"),
        [
            ("postgresql://postgres:hunter2@127.0.0.1:1/trace", "nothing listens there"),
            ("postgresql://postgres:hunter2@no.such.host.invalid/trace", "host's name is unknown"),
            ("postgresql://postgres:hunter2@127.0.0.1:notaport/trace", "connection failed"),
            ("postgresql://postgres:hunter2@127.0.0.1/trace?no_such_option=hunter2", "cannot be read"),
        ],
    )
    def test_an_address_that_leads_nowhere_is_told_without_its_password(self, address: str, words: str) -> None:
        store = PostgresStore(address, limits=HASTY)
        told = store.append([a_row()]).failure()
        store.close()
        assert (told.fault, told.operation) == (StoreFault.UNAVAILABLE, "append")
        assert words in told.message
        assert "hunter2" not in repr(told)
        assert "\n" not in told.message

    def test_a_wrong_password_is_told_without_it(
        self, store: PostgresStore, postgres_dsn: str, postgres_cluster: PostgresCluster
    ) -> None:
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            (hba,) = other.execute("SHOW hba_file").fetchone() or ("",)
            other.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
            before = other.execute("SELECT pg_read_file(%s)", (hba,)).fetchone() or ("",)
            rule = "host all guarded 127.0.0.1/32 scram-sha-256\n"
            try:
                _write_hba(other, hba, rule + before[0])
                address = postgres_dsn.replace("postgres@", "guarded:hunter2@")
                told = PostgresStore(address, limits=HASTY).append([a_row()]).failure()
            finally:
                _write_hba(other, hba, before[0])
                other.execute("DROP ROLE guarded")
        assert told.fault is StoreFault.UNAVAILABLE
        assert "the password was refused" in told.message
        assert "hunter2" not in repr(told)

    def test_a_database_that_is_not_there_is_told_by_name(self, postgres_dsn: str) -> None:
        told = PostgresStore(postgres_dsn.rpartition("/")[0] + "/absent", limits=HASTY).check().failure()
        assert told.fault is StoreFault.UNAVAILABLE
        assert "no such database" in told.message
        assert "absent" in told.message

    def test_a_role_that_may_not_write_is_told(self, store: PostgresStore, postgres_dsn: str) -> None:
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            other.execute("CREATE ROLE reader LOGIN")
            other.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
            reader = PostgresStore(postgres_dsn.replace("postgres@", "reader@"), limits=HASTY)
            told = reader.append([a_row()]).failure()
            assert reader.rows(SESSION) == result.Success(())
            reader.close()
            other.execute("DROP OWNED BY reader")
            other.execute("DROP ROLE reader")
        assert (told.fault, told.retryable) == (StoreFault.READ_ONLY, False)
        assert "42501" in told.message

    def test_a_read_only_server_is_told(self, store: PostgresStore, postgres_dsn: str) -> None:
        standby = PostgresStore(postgres_dsn + "?options=-cdefault_transaction_read_only%3Don", limits=HASTY)
        told = standby.append([a_row()]).failure()
        standby.close()
        assert told.fault is StoreFault.READ_ONLY
        assert "primary" in told.message

    def test_a_row_that_the_server_refuses_refuses_its_batch_and_is_not_quoted(
        self, store: PostgresStore, postgres_dsn: str
    ) -> None:
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            other.execute("ALTER TABLE tool_invocation ADD CHECK (tool_name <> 'hunter2')")
        told = store.append([a_row(id="good"), a_row(tool_name="hunter2")]).failure()
        assert (told.fault, told.retryable) == (StoreFault.REFUSED_ROW, False)
        assert "hunter2" not in repr(told)
        assert store.rows(SESSION) == result.Success(())
        assert store.append([a_row(id="good")]) == result.Success((Fate.STORED,))

    def test_a_lost_connection_prints_nothing_where_nobody_set_up_logging(
        self, store: PostgresStore, postgres_dsn: str
    ) -> None:
        """In a process of its own: the test runner sets up logging."""
        store.check()
        done = subprocess.run(
            [sys.executable, "-c", _LOSE_A_CONNECTION, postgres_dsn],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "unavailable\nstored\nunavailable\n", "")

    def test_the_log_of_the_pool_holds_no_password(
        self,
        store: PostgresStore,
        postgres_dsn: str,
        stoppable_postgres: PostgresCluster,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        guarded = PostgresStore(postgres_dsn.replace("postgres@", "postgres:hunter2@"), limits=HASTY)
        with caplog.at_level(logging.DEBUG):
            guarded.check()
            stoppable_postgres.stop()
            guarded.append([a_row()])
            guarded.append([a_row()])
            guarded.close()
        assert "hunter2" not in caplog.text


class TestSessionSettings:
    def test_order_is_by_code_point_whatever_the_collation_of_the_database(self, postgres_dsn: str) -> None:
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            # A server may be built without ICU; its own collations then serve as far as they go.
            icu = other.execute("SELECT FROM pg_collation WHERE collname = 'und-x-icu'").fetchone() is not None
            words = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'" if icu else "LOCALE 'C'"
            other.execute(f"CREATE DATABASE worded {words} TEMPLATE template0".encode())
        store = postgres_store(postgres_dsn.rpartition("/")[0] + "/worded")
        ids = ["B", "a", "b", "\u00e9", "\uffee", "\U0001f525"]
        rows = [a_failure(id=id, tool_name=id, topic_domain=id, error_message=id) for id in ids]
        rows += [a_failure(id=f"x{id}", topic_domain="one", error_message=id) for id in ids]
        store.append(rows[::-1])
        assert store.rows(SESSION) == result.Success(tuple(sorted(rows, key=lambda row: row.id)))
        assert store.entries(SESSION) == result.Success(entries_of(summarize(rows)))
        store.close()
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            other.execute("DROP DATABASE worded WITH (FORCE)")

    @pytest.mark.parametrize(
        "options",
        [
            "-ctimezone%3DAsia/Kathmandu",
            "-cdefault_transaction_isolation%3Dserializable",
            "-cclient_encoding%3DLATIN1",
            "-csynchronous_commit%3Doff",
            "-cDateStyle%3DSQL",
            "-cstandard_conforming_strings%3Doff",
        ],
    )
    def test_settings_of_the_database_change_nothing(
        self, store: PostgresStore, postgres_dsn: str, options: str
    ) -> None:
        odd = PostgresStore(f"{postgres_dsn}?options={options}", limits=HASTY)
        row = a_row(output_preview="\U0001f525 \\ '")
        assert odd.append([row]) == result.Success((Fate.STORED,))
        assert odd.append([row, a_row(seq=9)]) == result.Success((Fate.STORED, Fate.ID_CONFLICT))
        assert odd.rows(SESSION) == result.Success((row,))
        odd.close()

    def test_a_commit_is_on_the_disk_even_where_the_database_is_lazy(self, postgres_dsn: str) -> None:
        from groundtrace_adapters.stores.postgres_connections import PostgresConnections

        for given, wanted in (("off", "on"), ("remote_apply", "remote_apply"), ("local", "local")):
            with PostgresConnections(f"{postgres_dsn}?options=-csynchronous_commit%3D{given}", HASTY).connect() as one:
                assert one.execute("SHOW synchronous_commit").fetchone() == (wanted,)


class TestRowsOfOtherPrograms:
    def test_a_row_with_the_base_columns_alone_is_classified(self, store: PostgresStore, postgres_dsn: str) -> None:
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            other.execute(
                "INSERT INTO tool_invocation (session_id, id, tool_name, started_at, success, output_preview) VALUES"
                " ('acme/outage', '1', 't', now(), true, 'x'), ('acme/outage', '2', 't', now(), false, NULL),"
                " ('acme/outage', '3', 't', now(), true, E' \\n')"
            )
        outcomes = {row.id: row.outcome for row in store.rows(SESSION).unwrap()}
        assert outcomes == {"1": OutcomeKind.SUCCESS, "2": OutcomeKind.FAILURE, "3": OutcomeKind.NO_EVIDENCE}
        (entry,) = store.entries(SESSION).unwrap()
        assert (entry.successes, entry.failures, entry.no_evidence, entry.repeated) == (1, 1, 1, 0)
        assert (entry.level, entry.errors) == (EvidenceLevel.INDIRECT, ("no message was recorded",))

    @pytest.mark.parametrize(
        "assignment",
        ["outcome = 'maybe'", "support = 'STRONG'", "started_at = 'infinity'", "started_at = '4000-01-01 BC'"],
    )
    def test_a_value_of_unknown_meaning_is_told_and_never_left_out(
        self, store: PostgresStore, postgres_dsn: str, assignment: str
    ) -> None:
        store.append([a_row(id="good"), a_row(id="odd")])
        with psycopg.connect(postgres_dsn, autocommit=True) as other:
            other.execute(f"UPDATE tool_invocation SET {assignment} WHERE id = 'odd'".encode())
        assert store.rows(SESSION).failure().fault is StoreFault.CORRUPT
        assert store.entries(SESSION).failure().fault is StoreFault.CORRUPT
        assert store.find(SESSION, ["good"]) == result.Success((a_row(id="good"),))


_LOSE_A_CONNECTION = """
import sys
import psycopg
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_testing.records import a_row

store = PostgresStore(sys.argv[1])
store.append([a_row()])
with psycopg.connect(sys.argv[1], autocommit=True) as other:
    other.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'groundtrace' AND datname = current_database() AND pid <> pg_backend_pid()"
    )
print(store.append([a_row()]).failure().fault)
print(store.append([a_row()]).unwrap()[0])
store.close()
print(PostgresStore("postgresql://nobody@127.0.0.1:1/nothing").append([a_row()]).failure().fault)
"""


def _write_hba(connection: psycopg.Connection[tuple[object, ...]], hba: str, text: str) -> None:
    """Put the rules in place as the server itself, whose file it is."""
    (made,) = connection.execute("SELECT lo_from_bytea(0, convert_to(%s, 'UTF8'))", (text,)).fetchone() or (None,)
    connection.execute("SELECT lo_export(%s, %s)", (made, hba))
    connection.execute("SELECT pg_reload_conf()")
    time.sleep(0.3)


def test_a_store_that_is_closed_while_it_is_being_opened_leaves_no_connection_behind(
    store: PostgresStore, postgres_dsn: str
) -> None:
    late = PostgresStore(postgres_dsn, limits=HASTY)
    others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(postgres_dsn) as other, ThreadPoolExecutor(1) as pool:
        # Connections of earlier tests may still be on their way out: none may come.
        before = set(other.execute(others).fetchall())
        other.execute("LOCK TABLE groundtrace_schema IN ACCESS EXCLUSIVE MODE")
        told = pool.submit(late.check)
        while not other.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall():
            time.sleep(0.01)
        late.close()
        other.rollback()
        refused = told.result().failure()
        assert (refused.fault, refused.message[-21:]) == (StoreFault.UNAVAILABLE, "closed; open it again")
        time.sleep(0.1)
        assert set(other.execute(others).fetchall()) <= before
