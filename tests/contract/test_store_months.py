"""The months of a PostgreSQL store as an operator sees them: told by figures and `doctor`, dropped by `drop-month`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import chdir
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from returns import result

from groundtrace.invocation import Invocation
from groundtrace.row_ids import imported_id
from groundtrace.upkeep import Certainty, Count, Month
from groundtrace_adapters.migrations import Partition
from groundtrace_adapters.stores.opening import MonthlyUpkeep
from groundtrace_adapters.stores.postgres import PostgresStore
from groundtrace_adapters.stores.upkeep import postgres as postgres_upkeep
from groundtrace_app.cli import run
from groundtrace_testing.command import Ran, variable
from groundtrace_testing.records import a_row, an_evaluation
from groundtrace_testing.stores import postgres_store

pytestmark = pytest.mark.server

DONE, BAD_INPUT, UNAVAILABLE = 0, 2, 3

Command = Callable[..., Ran]


@pytest.fixture
def store(postgres_dsn: str) -> Iterator[PostgresStore]:
    """A store of two months, one of which holds two calls and a decision that rests on one."""
    opened = postgres_store(postgres_dsn, partition=Partition.MONTH)
    opened.append([in_month(2), in_month(2, 1), in_month(3)]).unwrap()
    opened.save(an_evaluation()).unwrap()
    yield opened
    opened.close()


@pytest.fixture
def upkeep(store: PostgresStore) -> MonthlyUpkeep:
    found = store.upkeep()
    assert isinstance(found, MonthlyUpkeep)
    return found


@pytest.fixture
def command(postgres_dsn: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs the command on the database of this test."""

    def ran_here(*words: str) -> Ran:
        capfd.readouterr()
        code = run(list(words))
        out, err = capfd.readouterr()
        return Ran(code=code, out=out, err=err)

    with chdir(tmp_path), variable("GROUNDTRACE_STORE", postgres_dsn):
        yield ran_here


def in_month(month: int, number: int = 0) -> Invocation:
    at = datetime(2026, month, 15, 12, number, tzinfo=UTC)
    return a_row(id=imported_id(at, str(number)), started_at=at, seq=number)


def month(name: str, number: int) -> Month:
    return Month(name=name, rows=Count(number=number))


def test_months_are_told_in_order_with_their_calls(upkeep: MonthlyUpkeep) -> None:
    told = (month("before", 0), month("2026-02", 2), month("2026-03", 1), month("after", 0))
    assert upkeep.months() == result.Success(told)
    assert upkeep.stats().unwrap().months == told


def test_a_month_of_many_calls_is_estimated_and_counted_only_if_asked(
    store: PostgresStore, upkeep: MonthlyUpkeep, postgres_dsn: str
) -> None:
    most = postgres_upkeep.ROWS_COUNTED
    with psycopg.connect(postgres_dsn) as connection:
        connection.execute(
            "INSERT INTO tool_invocation SELECT (jsonb_populate_record(t, jsonb_build_object('id', t.id || g))).*"
            " FROM tool_invocation AS t, generate_series(1, %s) AS g WHERE t.id = %s",
            (most, in_month(3).id),
        )
    told = {one.name: one.rows for one in upkeep.months().unwrap()}
    assert (told["2026-03"].certainty, told["2026-03"].number >= most) == (Certainty.ESTIMATE, True)
    assert told["2026-02"] == Count(number=2)
    assert month("2026-03", most + 1) in upkeep.months(exact=True).unwrap()


def test_a_store_of_one_table_has_no_months_and_drops_none(postgres_dsn: str, command: Command) -> None:
    whole = postgres_store(postgres_dsn)
    whole.append([in_month(2)]).unwrap()
    upkeep = whole.upkeep()
    assert isinstance(upkeep, MonthlyUpkeep)
    assert upkeep.months() == result.Success(())
    assert upkeep.drop_month(2026, 2) == result.Success(None)
    told = command("store", "drop-month", "2026-02")
    assert (told.code, told.out, told.err.count("\n")) == (BAD_INPUT, "", 1)
    assert told.err.startswith(
        "groundtrace: store: this store is not cut by the month; `groundtrace store prune --before"
    )
    assert len(whole.rows("acme/outage").unwrap()) == 1
    whole.close()


def test_a_dropped_month_is_told_with_its_calls_and_its_neighbours_and_decisions_stay(
    store: PostgresStore, command: Command
) -> None:
    done = command("store", "drop-month", "2026-02")
    assert (done.code, done.out, done.err) == (DONE, "Dropped 2 calls of 2026-02.\n", "")
    assert store.rows("acme/outage") == result.Success((in_month(3),))
    assert len(store.evaluations("acme/outage").unwrap()) == 1
    assert command("store", "drop-month", "2026-02").out == "Dropped 0 calls of 2026-02.\n"


def test_a_dry_run_drops_nothing(store: PostgresStore, command: Command) -> None:
    assert command("store", "drop-month", "2026-03", "--dry-run").out == "Would drop 1 call of 2026-03.\n"
    told = json.loads(command("store", "drop-month", "2026-02", "--dry-run", "--json").out)
    assert told == {"month": "2026-02", "dry_run": True, "calls": {"number": 2, "certainty": "exact"}}
    assert len(store.rows("acme/outage").unwrap()) == 3


def test_a_writer_goes_on_in_a_month_that_was_dropped(store: PostgresStore, upkeep: MonthlyUpkeep) -> None:
    assert upkeep.drop_month(2026, 2) == result.Success(month("2026-02", 2))
    store.append([in_month(2, 2)]).unwrap()
    assert upkeep.drop_month(2026, 2, dry_run=True) == result.Success(month("2026-02", 1))


def test_a_month_that_was_detached_by_hand_is_dropped_too(
    store: PostgresStore, upkeep: MonthlyUpkeep, postgres_dsn: str
) -> None:
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("ALTER TABLE tool_invocation DETACH PARTITION tool_invocation_2026_02 CONCURRENTLY")
    assert [one.name for one in upkeep.months().unwrap()] == ["before", "2026-03", "after"]
    late = store.append([in_month(2, 2)]).failure()
    assert (late.retryable, "a month that was detached is attached again, or dropped" in late.message) == (True, True)
    assert upkeep.drop_month(2026, 2) == result.Success(month("2026-02", 2))
    store.append([in_month(2, 2)]).unwrap()


def test_a_month_without_a_part_of_its_own_is_refused_in_one_line(store: PostgresStore, command: Command) -> None:
    told = command("store", "drop-month", "2019-12")
    assert (told.code, told.out, told.err.count("\n")) == (UNAVAILABLE, "", 1)
    assert "only the months from 2020-01 to 2049-12 are parts of their own" in told.err


def test_figures_and_doctor_name_the_months(store: PostgresStore, command: Command) -> None:
    said = [line.split() for line in command("store", "stats").out.splitlines()]
    assert ["months", "2,", "2026-02", "to", "2026-03"] in said
    assert (["2026-02", "2"] in said, ["2026-03", "1"] in said) == (True, True)
    assert json.loads(command("store", "stats", "--json").out)["months"][1]["name"] == "2026-02"
    found = next(one for one in json.loads(command("doctor", "--json").out) if one["name"] == "store")
    assert (found["good"], found["found"].endswith(", months 2, 2026-02 to 2026-03")) == (True, True)
