"""Migration of a store's schema: numbered steps, checksums, all or nothing, and safe to run twice at once."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from returns import result
from returns.result import Result

from groundtrace.ports import StoreError, StoreFault
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.migrations import Migrated, SchemaStatus, migrate, status
from groundtrace_adapters.stores import postgres_schema, sqlite_schema
from groundtrace_adapters.stores.opening import Store, open_store
from groundtrace_adapters.stores.postgres_migrating import database_status, migrate_database
from groundtrace_adapters.stores.schema import Step
from groundtrace_adapters.stores.sqlite_migrating import file_status, migrate_file
from groundtrace_testing.elsewhere import migrate_elsewhere, write_elsewhere
from groundtrace_testing.records import a_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An empty place for a store, and its technology's migration with steps that a test chooses."""

    url: str
    steps: tuple[Step, ...]
    migrate: Callable[[tuple[Step, ...]], Result[Migrated, StoreError]]
    status: Callable[[tuple[Step, ...]], Result[SchemaStatus, StoreError]]
    run: Callable[[str], None]

    def store(self) -> Store:
        """Open the store over what was migrated."""
        return open_store(self.url).unwrap()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.server)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite":
        yield _sqlite(tmp_path / "trace.db")
    else:
        yield _postgres(request.getfixturevalue("postgres_dsn"))


def _sqlite(path: Path) -> Place:
    def run(statement: str) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(statement)

    return Place(
        url=f"sqlite:{path}",
        steps=sqlite_schema.STEPS,
        migrate=lambda steps: migrate_file(path, steps=steps),
        status=lambda steps: file_status(path, steps=steps),
        run=run,
    )


def _postgres(dsn: str) -> Place:
    def run(statement: str) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(statement.encode())

    return Place(
        url=dsn,
        steps=postgres_schema.STEPS,
        migrate=lambda steps: migrate_database(dsn, steps=steps),
        status=lambda steps: database_status(dsn, steps=steps),
        run=run,
    )


LATER = Step(version=9_999, name="9999_later.sql", sql="CREATE TABLE later (n INTEGER);\nINSERT INTO later VALUES (1);")


def test_an_empty_place_lacks_every_step_and_is_not_touched_by_asking(place: Place) -> None:
    names = tuple(step.name for step in place.steps)
    empty = result.Success(SchemaStatus(version=0, known=place.steps[-1].version, pending=names))
    assert status(place.url) == empty
    assert status(place.url) == empty


def test_migration_applies_each_step_once(place: Place) -> None:
    names = tuple(step.name for step in place.steps)
    version = place.steps[-1].version
    assert migrate(place.url) == result.Success(Migrated(version=version, applied=names))
    assert migrate(place.url) == result.Success(Migrated(version=version, applied=()))
    assert status(place.url) == result.Success(SchemaStatus(version=version, known=version, pending=()))


def test_a_later_step_keeps_old_rows_valid(place: Place) -> None:
    place.migrate(place.steps)
    store = place.store()
    store.append([a_row()])
    store.close()
    done = place.migrate((*place.steps, LATER))
    assert done == result.Success(Migrated(version=9_999, applied=("9999_later.sql",)))
    place.run("DELETE FROM groundtrace_schema WHERE version = 9999")
    store = place.store()
    assert store.rows("acme/outage") == result.Success((a_row(),))
    store.close()


def test_rows_of_the_first_schema_are_read_after_every_later_step(place: Place) -> None:
    """Of any width, and written by any program: an index of a later step refuses none of them."""
    place.migrate(place.steps[:1])
    wide = "\U0001f525" * 5_000
    for number, name in enumerate(["t", wide]):
        place.run(
            "INSERT INTO tool_invocation (session_id, id, tool_name, topic_domain, started_at, success, outcome,"
            f" input_fingerprint) VALUES ('s', '{number}', '{name}', '{name}', '2026-03-08T12:00:00.000000Z', true,"
            f" 'no_evidence', '{name}')"
        )
    place.run(
        "INSERT INTO tool_invocation (session_id, id, tool_name, started_at, success, output_preview)"
        " VALUES ('s', '2', 't', '2026-03-08T12:00:00.000000Z', true, 'x')"
    )
    assert place.migrate(place.steps).unwrap().applied == tuple(step.name for step in place.steps[1:])
    store = place.store()
    rows = store.rows("s").unwrap()
    assert [row.id for row in rows] == ["0", "1", "2"]
    assert store.entries("s") == result.Success(entries_of(summarize(rows)))
    assert [line.rows for line in store.sessions().unwrap()] == [3]
    store.close()


def test_a_step_that_was_edited_after_it_was_applied_is_refused(place: Place) -> None:
    place.migrate(place.steps)
    first, *rest = place.steps
    edited = Step(version=first.version, name=first.name, sql=first.sql + "-- a small correction\n")
    for told in (place.migrate((edited, *rest)).failure(), place.status((edited, *rest)).failure()):
        assert told.fault is StoreFault.CORRUPT
        assert "schema step 0001" in told.message


def test_a_step_that_fails_leaves_nothing_behind(place: Place) -> None:
    place.migrate(place.steps)
    broken = Step(version=9_999, name="9999_broken.sql", sql=f"{LATER.sql}\nINSERT INTO nowhere VALUES (1);")
    assert place.migrate((*place.steps, broken)).failure().operation == "migrate"
    assert place.status(place.steps).unwrap().version == place.steps[-1].version
    done = place.migrate((*place.steps, LATER))
    assert done.unwrap().applied == ("9999_later.sql",)


def test_a_newer_store_is_refused_by_every_method_and_by_migration(place: Place) -> None:
    place.migrate((*place.steps, LATER))
    store = place.store()
    told = [
        store.append([a_row()]).failure(),
        store.rows("acme/outage").failure(),
        store.check().failure(),
        migrate(place.url).failure(),
        status(place.url).failure(),
    ]
    store.close()
    assert {(error.fault, error.retryable) for error in told} == {(StoreFault.NEWER_SCHEMA, False)}
    assert all("9999" in error.message and "upgrade groundtrace" in error.message for error in told)


def test_threads_that_migrate_at_once_apply_each_step_once(place: Place) -> None:
    with ThreadPoolExecutor(8) as pool:
        done = [one.unwrap() for one in pool.map(lambda _: migrate(place.url), range(8))]
    assert sorted(len(one.applied) for one in done) == [0] * 7 + [len(place.steps)]
    assert {one.version for one in done} == {place.steps[-1].version}


@pytest.mark.server
def test_processes_that_migrate_at_once_apply_each_step_once(place: Place) -> None:
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        done = [one.result() for one in [pool.submit(migrate_elsewhere, place.url) for _ in range(4)]]
    assert sorted(done) == [0, 0, 0, len(place.steps)]


@pytest.mark.server
def test_processes_that_write_the_same_rows_at_once_keep_each_once(place: Place) -> None:
    place.migrate(place.steps)
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        wrote = [one.result() for one in [pool.submit(write_elsewhere, place.url) for _ in range(4)]]
    store = place.store()
    assert wrote == [100] * 4
    assert len(store.rows("acme/outage").unwrap()) == 100
    store.close()


def test_a_child_process_writes_beside_its_parent_through_the_store_it_inherited(place: Place) -> None:
    """In a process of its own, since the test runner's threads are not to be forked."""
    place.migrate(place.steps)
    done = subprocess.run(
        [sys.executable, "-c", _FORK, place.url],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "['child', 'parent 1', 'parent 2'] True\n", "")


_FORK = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from groundtrace_adapters.stores.opening import open_store
from groundtrace_testing.elsewhere import migrate_elsewhere, write_elsewhere
from groundtrace_testing.records import a_row

store = open_store(sys.argv[1]).unwrap()
store.append([a_row(id="parent 1")]).unwrap()
key = store.redaction_key().unwrap()
child = os.fork()
if child == 0:
    store.append([a_row(id="child")]).unwrap()
    same = store.redaction_key().unwrap() == key
    store.close()
    os._exit(0 if same else 1)
_, status = os.waitpid(child, 0)
store.append([a_row(id="parent 2")]).unwrap()
print([row.id for row in store.rows("acme/outage").unwrap()], status == 0)
store.close()
"""


def test_memory_needs_no_migration() -> None:
    assert migrate("memory:") == result.Success(Migrated(version=0, applied=()))
    assert status("memory:") == result.Success(SchemaStatus(version=0, known=0, pending=()))


@pytest.mark.parametrize("ask", [migrate, status])
@pytest.mark.parametrize("url", ["", "sqlite:", "mysql://somewhere/trace"])
def test_an_address_that_means_nothing_is_refused(url: str, ask: Callable[[str], Result[object, StoreError]]) -> None:
    assert ask(url).failure().fault is StoreFault.UNAVAILABLE


def test_both_technologies_have_the_same_steps() -> None:
    assert [step.name for step in sqlite_schema.STEPS] == [step.name for step in postgres_schema.STEPS]
    assert [step.version for step in sqlite_schema.STEPS] == list(range(1, len(sqlite_schema.STEPS) + 1))


@pytest.mark.server
def test_wide_columns_are_compressed_by_lz4_where_the_server_has_it(postgres_dsn: str) -> None:
    migrate(postgres_dsn).unwrap()
    with psycopg.connect(postgres_dsn) as connection:
        has = connection.execute(
            "SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        ).fetchone()
        set_so = connection.execute(
            "SELECT DISTINCT attcompression FROM pg_attribute WHERE attnum > 0 AND attstorage = 'x'"
            " AND attrelid IN ('tool_invocation'::regclass, 'verifier_evaluation'::regclass)"
        ).fetchall()
    assert set_so == [("l" if has == (True,) else "",)]


@pytest.mark.server
def test_a_server_that_is_not_migrated_says_what_to_run(postgres_dsn: str) -> None:
    store = open_store(postgres_dsn).unwrap()
    told = store.append([a_row()]).failure()
    store.close()
    assert (told.fault, told.retryable) == (StoreFault.NOT_MIGRATED, False)
    assert "`groundtrace migrate`" in told.message
    assert status(postgres_dsn).unwrap().version == 0


@pytest.mark.server
def test_a_database_of_another_encoding_is_refused(postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    told = migrate(postgres_dsn.rpartition("/")[0] + "/latin").failure()
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("DROP DATABASE latin WITH (FORCE)")
    assert told.fault is StoreFault.NOT_MIGRATED
    assert "UTF8" in told.message
