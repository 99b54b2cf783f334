"""What is the alone of a store on several PostgreSQL servers: where sessions lie, and what a server that is away costs.

That it is a store like any other, the contract says: it is one of the parameters there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import astuple, fields, replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from returns import result
from returns.pipeline import is_successful

from groundtrace import outcomes
from groundtrace.invocation import Invocation
from groundtrace.outcomes import NoEvidenceReason
from groundtrace.ports import Fate, Flushed, StoreFault
from groundtrace.upkeep import DataServer
from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.sharded_sink import ShardedSink, sharded_queue
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.sharded.entry_facts import READ_FACTS
from groundtrace_adapters.stores.sharded.entry_text import SESSIONS, digests_of, keys_of, remove, younger
from groundtrace_adapters.stores.sharded.partition_hash import partition_hash
from groundtrace_adapters.stores.sharded.store import ShardedPostgresStore
from groundtrace_adapters.stores.sql_summary import summaries_for
from groundtrace_adapters.stores.sql_text import POSTGRES, statements_for
from groundtrace_app.cli import run
from groundtrace_app.cli.checks import checks_of
from groundtrace_app.settings import Settings
from groundtrace_app.trace import open_reader, open_trace
from groundtrace_testing.records import STORABLE, a_row, an_evaluation
from groundtrace_testing.shards import CLUSTERS, Shards, frozen, kill, shards_of_run, share_out
from groundtrace_testing.sinks import eventually
from groundtrace_testing.stores import HASTY

pytestmark = pytest.mark.server

SERVERS = [f"groundtrace_{place}" for place in range(CLUSTERS)]
AWAY = 1
"""The place of the server that the tests take away: not the entry's."""


@pytest.fixture
def shards(request: pytest.FixtureRequest) -> Iterator[Shards]:
    running = shards_of_run(request)
    yield running
    running.start()


@pytest.fixture
def store(shards: Shards) -> Iterator[ShardedPostgresStore]:
    opened = ShardedPostgresStore(shards.entry, limits=HASTY)
    opened.check().unwrap()
    yield opened
    opened.close()


@pytest.fixture
def homes(store: ShardedPostgresStore) -> list[str]:
    """A session for each server, in the order of their places."""
    return [session_on(store, server) for server in SERVERS]


@pytest.fixture
def sink(store: ShardedPostgresStore, tmp_path: Path) -> Iterator[ShardedSink]:
    opened = sharded_queue(store, tmp_path / "spool", lane_of=store.shard_of, bounds=Bounds(seconds=0.3))
    yield opened
    opened.close(deadline=5)


def session_on(store: ShardedPostgresStore, server: str) -> str:
    return next(name for name in map("acme/outage-{}".format, count()) if store.shard_of(name) == server)


def one_each(sessions: list[str], *, id: str = "call-1") -> list[Invocation]:
    return [a_row(session_id=session, id=id) for session in sessions]


class TestTheCommandsWay:
    def test_its_address_opens_a_lane_for_each_server(self, shards: Shards, tmp_path: Path) -> None:
        address = shards.entry.replace("postgresql://", "postgresql+sharded://", 1)
        trace = open_trace(Settings(store=address, spool=str(tmp_path / "spool"))).unwrap()
        call = trace.recorder.open("query_logs", {}, session_id="acme/outage")
        receipt = trace.recorder.record(call, outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH))
        assert receipt is not None
        assert receipt.wait(deadline=20) is not None
        assert isinstance(trace.sink, ShardedSink)
        trace.close()
        reader = open_reader(Settings(store=address)).unwrap()
        assert reader.find("acme/outage", [call.id]).unwrap() == (receipt.row,)
        reader.close()


class TestWhereASessionLies:
    @settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(texts=st.lists(STORABLE | st.text("ab", max_size=200), min_size=1, max_size=20))
    def test_every_text_is_placed_as_the_server_places_it(self, shards: Shards, texts: list[str]) -> None:
        with psycopg.connect(shards.entry) as connection:
            for text in texts:
                for modulus in (2, 3, 1_021):
                    asked = (modulus, partition_hash(text) % modulus, text)
                    words = "SELECT satisfies_hash_partition('tool_invocation'::regclass, %s, %s, %s::text)"
                    assert connection.execute(words, asked).fetchone() == (True,)

    def test_a_session_lies_on_one_server_which_is_a_store_by_itself(
        self, shards: Shards, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        rows = one_each(homes)
        assert store.append(rows) == result.Success((Fate.STORED,) * CLUSTERS)
        store.save(an_evaluation(session_id=homes[AWAY]))
        for place in range(CLUSTERS):
            alone = PostgresStore(shards.share(place), limits=HASTY)
            assert [line.session_id for line in alone.sessions().unwrap()] == [homes[place]]
            assert alone.rows(homes[place]) == result.Success((rows[place],))
            assert len(alone.evaluations(homes[place]).unwrap()) == (place == AWAY)
            alone.close()

    def test_it_is_not_known_before_the_entry_has_been_reached(self, shards: Shards) -> None:
        opened = ShardedPostgresStore(shards.entry, limits=HASTY)
        assert opened.shard_of("acme/outage") is None
        opened.redaction_key()
        assert opened.shard_of("acme/outage") in SERVERS
        opened.close()

    def test_a_database_without_partitions_is_one_server(self, shards: Shards) -> None:
        opened = ShardedPostgresStore(shards.share(AWAY), limits=HASTY)
        assert opened.append([a_row(), a_row(seq=1)]) == result.Success((Fate.STORED, Fate.ID_CONFLICT))
        assert opened.rows("acme/outage") == result.Success((a_row(),))
        assert opened.shard_of("acme/outage") == ""
        opened.close()

    def test_the_list_of_sessions_brings_one_line_a_session_over(self, shards: Shards) -> None:
        with psycopg.connect(shards.entry) as connection:
            plan = connection.execute(f"EXPLAIN VERBOSE {SESSIONS}".encode(), {"limit": 10}).fetchall()
        asked = [str(line) for (line,) in plan if "Remote SQL" in str(line)]
        assert len(asked) == 2 * CLUSTERS
        assert all("GROUP BY" in line for line in asked)

    def test_a_row_of_another_program_on_a_data_server_is_classified(
        self, shards: Shards, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        session = homes[AWAY]
        store.append(one_each(homes))
        with psycopg.connect(shards.share(AWAY), autocommit=True) as other:
            columns = "session_id, id, tool_name, started_at, success"
            other.execute(
                f"INSERT INTO tool_invocation ({columns}) VALUES (%s, 'x', 't', now(), false)".encode(), (session,)
            )
        (theirs, ours) = sorted(store.entries(session).unwrap(), key=lambda entry: len(entry.tool_name))
        assert (theirs.failures, theirs.errors) == (1, ("no message was recorded",))
        assert (ours.successes, ours.supporting_ids) == (1, ("call-1",))


class TestAQueryOfASessionAsksOneServer:
    """Whether the session is a constant or a parameter of a plan that was made before it was known."""

    @pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
    def test_each_of_our_statements(self, shards: Shards, mode: str) -> None:
        usual = statements_for(POSTGRES)
        every = {field.name: str(getattr(usual, field.name)) for field in fields(usual)}
        every |= {"facts": READ_FACTS, "apart": summaries_for(POSTGRES).apart}
        every |= {f"summary {number}": text for number, text in enumerate(astuple(summaries_for(POSTGRES).session))}
        of_a_session = {name: text for name, text in every.items() if "%(session)s" in text}
        assert {"rows", "rows_after", "rows_by_id", "latest_evaluations", "facts"} <= set(of_a_session)
        with psycopg.connect(shards.entry, autocommit=True) as connection:
            connection.execute(f"SET plan_cache_mode = {mode}".encode())
            asked = {name: scanned(connection, *numbered(text)) for name, text in of_a_session.items()}
        assert {name: servers for name, servers in asked.items() if len(servers) != 1} == {}

    @pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
    def test_the_query_for_digests(self, shards: Shards, mode: str) -> None:
        statement = digests_of("tool_invocation", 2).decode()
        with psycopg.connect(shards.entry, autocommit=True) as connection:
            connection.execute(f"SET plan_cache_mode = {mode}".encode())
            assert len(scanned(connection, statement, ["'s'", "'s'", "'{a,b}'"])) == 1

    @pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
    def test_what_retention_removes(self, shards: Shards, mode: str) -> None:
        table, day = "tool_invocation", "'2026-03-08'"
        with psycopg.connect(shards.entry, autocommit=True) as connection:
            connection.execute(f"SET plan_cache_mode = {mode}".encode())
            for statement, last in (
                (younger(table, "started_at", 2), day),
                (keys_of(table, 2), "10"),
                (remove(table, 2), "'{a,b}'"),
            ):
                text, literals = numbered(statement)
                assert len(scanned(connection, text, [*literals[:-1], last])) == 1


class TestRetention:
    def test_old_sessions_go_from_each_server_and_one_that_went_on_stays(
        self, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        rows = one_each(homes)
        late = replace(rows[0], id="late", started_at=rows[0].started_at + timedelta(days=9))
        store.append([*rows, *(replace(row, id="call-2", seq=1) for row in rows), late])
        store.save(an_evaluation(session_id=homes[1]))
        gone = store.upkeep().prune(rows[0].started_at + timedelta(days=1)).unwrap()
        assert (gone.sessions, gone.rows, gone.evaluations, gone.kept_rows) == (2, 4, 1, 2)
        assert [len(store.rows(session).unwrap()) for session in homes] == [3, 0, 0]
        assert store.evaluations(homes[1]) == result.Success(())

    def test_a_session_that_went_on_since_it_was_looked_at_stays(
        self, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        """Between the look and the removal each is looked at once more, on its own server."""
        rows = one_each(homes)
        store.append(rows)
        before = rows[0].started_at + timedelta(days=1)
        store.save(an_evaluation(session_id=homes[2], created_at=before))
        assert store.upkeep().prune(before).unwrap().sessions == 2
        assert len(store.rows(homes[2]).unwrap()) == 1


def numbered(statement: str) -> tuple[str, list[str]]:
    """A statement with numbered parameters, and a literal for each."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", statement)))
    for place, name in enumerate(names, 1):
        statement = statement.replace(f"%({name})s", f"${place}")
    literals = {"limit": "10", "seq": "1", "at": "'2026-03-08'", "ids": """'["a"]'"""}
    return statement, [literals.get(name, "'s'") for name in names]


def scanned(connection: psycopg.Connection[tuple[object, ...]], statement: str, literals: list[str]) -> set[str]:
    """The places of the partitions that a statement reads, once it is prepared and its parameters are known."""
    connection.execute(f"PREPARE asked AS {statement}".encode())
    plan = connection.execute(f"EXPLAIN EXECUTE asked ({', '.join(literals)})".encode()).fetchall()
    connection.execute("DEALLOCATE asked")
    return set(
        re.findall(
            r"(?:^|-> +)(?:Async )?Foreign (?:Scan|Delete) on (?:tool_invocation|verifier_evaluation)_(\d+)",
            "\n".join(str(*line) for line in plan),
            re.MULTILINE,
        )
    )


class TestWhichServersAnswer:
    def test_each_is_asked_and_figures_and_doctor_name_it(
        self, shards: Shards, store: ShardedPostgresStore, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert store.servers() == result.Success(tuple(DataServer(name=name) for name in SERVERS))
        assert store.upkeep().stats().unwrap().servers == store.servers().unwrap()
        address = shards.entry.replace("postgresql://", "postgresql+sharded://", 1)
        with chdir(tmp_path):
            assert run(["store", "stats", "--store", address]) == 0
            assert ["servers", "3,", "and", "all", "of", "them", "answer"] in _words(capfd)
            run(["doctor", "--store", address])
            found = _words(capfd)
            assert [["ok", f"{name}:", "answers"] in found for name in SERVERS] == [True] * CLUSTERS

    def test_one_that_died_is_named_and_why_and_figures_need_it(
        self, shards: Shards, store: ShardedPostgresStore, tmp_path: Path
    ) -> None:
        kill(shards.clusters[AWAY])
        told = store.servers().unwrap()
        assert [server.away is None for server in told] == [place != AWAY for place in range(CLUSTERS)]
        assert SERVERS[AWAY] in str(told[AWAY].away)
        figures = store.upkeep().stats().failure()
        assert (figures.fault, figures.retryable) == (StoreFault.UNAVAILABLE, True)
        assert figures.message.startswith(f"figures need every data server, and {SERVERS[AWAY]} of 3 did not answer; ")
        address = shards.entry.replace("postgresql://", "postgresql+sharded://", 1)
        checks = {one.name: one for one in checks_of(result.Success(Settings(store=address, spool=str(tmp_path))))}
        assert [checks[name].good for name in ("store", *SERVERS)] == [True, True, False, True]
        assert checks[SERVERS[AWAY]].mend

    def test_one_that_hangs_is_given_up_in_time(self, shards: Shards) -> None:
        store = ShardedPostgresStore(shards.entry, limits=replace(HASTY, statement_seconds=0.2))
        store.check().unwrap()
        with frozen(shards.clusters[AWAY]):
            began = time.monotonic()
            told = store.servers().unwrap()
            assert time.monotonic() - began < 4 * HASTY.statement_seconds
        store.close()
        assert [server.away is None for server in told] == [place != AWAY for place in range(CLUSTERS)]


def _words(capfd: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split() for line in capfd.readouterr().out.splitlines()]


class TestAServerThatDied:
    def test_the_sessions_of_the_others_go_on(
        self, shards: Shards, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        store.append(one_each(homes))
        kill(shards.clusters[AWAY])
        for place, session in enumerate(homes):
            row = a_row(session_id=session, id="call-2")
            told = [store.append([row]), store.rows(session), store.entries(session), store.evaluations(session)]
            assert {is_successful(one) for one in told} == {place != AWAY}
            assert len(store.rows(session).value_or(())) == (0 if place == AWAY else 2)

    def test_it_is_told_by_name_and_may_be_tried_again(
        self, shards: Shards, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        store.append(one_each(homes))
        kill(shards.clusters[AWAY])
        store.append(one_each(homes))
        told = store.append(one_each(homes)).failure()
        assert (told.fault, told.retryable) == (StoreFault.UNAVAILABLE, True)
        assert SERVERS[AWAY] in told.message

    def test_a_batch_over_all_servers_keeps_the_rows_of_the_others_and_appending_it_again_keeps_each_once(
        self, shards: Shards, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        kill(shards.clusters[AWAY])
        batch = [row for number in range(20) for row in one_each(homes, id=str(number))]
        assert store.append(batch).failure().retryable
        assert [len(store.rows(session).value_or(())) for session in homes] == [20, 0, 20]
        shards.start()
        assert store.append(batch) == result.Success((Fate.STORED,) * len(batch))
        assert [len(store.rows(session).unwrap()) for session in homes] == [20, 20, 20]

    def test_a_list_of_all_sessions_is_not_given_without_its_sessions(
        self, shards: Shards, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        store.append(one_each(homes))
        kill(shards.clusters[AWAY])
        assert store.sessions().failure().fault is StoreFault.UNAVAILABLE
        shards.start()
        assert {line.session_id for line in store.sessions().unwrap()} == set(homes)

    def test_its_rows_wait_in_the_spool_and_no_others(
        self, shards: Shards, store: ShardedPostgresStore, sink: ShardedSink, homes: list[str]
    ) -> None:
        kill(shards.clusters[AWAY])
        for number in range(30):
            for row in one_each(homes, id=str(number)):
                sink.put(row)
        told = [sink.flush(session, deadline=10) for session in homes]
        away = Flushed(spooled=frozenset(map(str, range(30))))
        assert told == [Flushed(), away, Flushed()]
        assert [len(store.rows(session).value_or(())) for session in homes] == [30, 0, 30]
        shards.start()
        assert eventually(lambda: sink.flush(homes[AWAY], deadline=1) == Flushed())
        assert len(store.rows(homes[AWAY]).unwrap()) == 30


class TestAServerThatHangs:
    def test_it_is_given_up_in_time_and_holds_up_nobody_else(
        self, shards: Shards, store: ShardedPostgresStore, homes: list[str]
    ) -> None:
        store.append(one_each(homes))
        with frozen(shards.clusters[AWAY]):
            began = time.monotonic()
            told = store.append([a_row(session_id=homes[AWAY], id="call-2")]).failure()
            waited = time.monotonic() - began
            assert (told.fault, told.retryable) == (StoreFault.TIMED_OUT, True)
            assert HASTY.statement_seconds <= waited < 4 * HASTY.statement_seconds
            others = one_each([homes[0], homes[2]], id="call-2")
            began = time.monotonic()
            assert store.append(others) == result.Success((Fate.STORED,) * 2)
            assert time.monotonic() - began < HASTY.statement_seconds
        assert eventually(lambda: is_successful(store.append(one_each(homes, id="call-2"))))
        assert [len(store.rows(session).unwrap()) for session in homes] == [2, 2, 2]

    def test_a_sink_stores_the_rows_of_the_others_meanwhile(
        self, shards: Shards, store: ShardedPostgresStore, sink: ShardedSink, homes: list[str]
    ) -> None:
        store.append(one_each(homes))
        with frozen(shards.clusters[AWAY]):
            for row in one_each(homes, id="call-2"):
                sink.put(row)
            began = time.monotonic()
            assert [sink.flush(homes[place], deadline=5) for place in (0, 2)] == [Flushed()] * 2
            assert time.monotonic() - began < HASTY.statement_seconds
            assert sink.flush(homes[AWAY], deadline=5) == Flushed(spooled=frozenset({"call-2"}))
        assert eventually(lambda: sink.flush(homes[AWAY], deadline=1) == Flushed())


class TestTheSchemaFile:
    def test_it_refuses_an_entry_that_holds_rows_and_leaves_it_as_it_was(self, shards: Shards) -> None:
        name = "filled"
        with psycopg.connect(shards.clusters[0].dsn(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        filled = shards.clusters[0].dsn(name)
        migrate(filled).unwrap()
        plain = PostgresStore(filled, limits=HASTY)
        plain.append([a_row()])
        with pytest.raises(psycopg.errors.RaiseException, match="holds rows"):
            share_out(filled, [shards.share(place) for place in range(CLUSTERS)])
        assert plain.append([a_row(id="call-2")]) == result.Success((Fate.STORED,))
        plain.close()
        with psycopg.connect(shards.clusters[0].dsn(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
