"""The command over a real PostgreSQL: migrate, record, ask, read; and a server that goes away and comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundtrace_testing.command import Ran, line_of, lines_of, ran, script, small_incident, verdict
from groundtrace_testing.postgres_cluster import PostgresCluster

pytestmark = pytest.mark.server

DONE, SOME_REFUSED, UNAVAILABLE, LOW_CONFID, REJECT = 0, 1, 3, 5, 6


class Command:
    """The command on one database, in one folder; the address is given as deployments give it, by the environment."""

    def __init__(self, dsn: str, folder: Path) -> None:
        self._env = {"GROUNDTRACE_STORE": dsn}
        self._folder = folder

    def __call__(self, *words: str, stdin: bytes = b"") -> Ran:
        return ran(*words, folder=self._folder, stdin=stdin, env=self._env)


@pytest.fixture
def command(postgres_dsn: str, tmp_path: Path) -> Command:
    """The command on a new, empty database, with a log in its folder."""
    small_incident(tmp_path)
    return Command(postgres_dsn, tmp_path)


def test_a_database_without_a_schema_is_told_and_migrated_once(command: Command) -> None:
    missing = command("sessions")
    assert (missing.code, missing.out) == (UNAVAILABLE, "")
    assert "groundtrace migrate" in missing.err
    assert missing.err.count("\n") == 1
    lacks = next(one for one in json.loads(command("doctor", "--json").out) if one["name"] == "store")
    assert (lacks["good"], "migrate" in lacks["mend"]) == (False, True)
    assert command("migrate").out.startswith("Applied ")
    assert command("migrate").out.startswith("Nothing to do")
    assert (command("sessions", "--json").out, command("sessions").code) == ("[]\n", DONE)


def test_an_empty_database_is_cut_by_the_month(command: Command) -> None:
    done = command("migrate", "--partition", "month")
    assert done.out.splitlines()[1:] == ["It is cut by the month."]
    assert json.loads(command("migrate", "--partition", "month", "--json").out)["partition"] == "month"
    assert command("record", stdin=lines_of(line_of())).code == DONE
    assert "1 call" in command("summary", "inc-7").out


def test_a_database_with_rows_is_not_cut(command: Command) -> None:
    command("migrate")
    command("record", stdin=lines_of(line_of()))
    told = command("migrate", "--partition", "month")
    assert (told.code, told.out) == (UNAVAILABLE, "")
    assert "holds rows already" in told.err
    assert "load it there" in told.err
    assert command("migrate", "--partition", "week").code == 2


def test_a_session_is_asked_shown_and_explained(command: Command, tmp_path: Path) -> None:
    command("migrate")
    model = script(tmp_path, verifier=[verdict("REJECT", "e1")])
    words = ("did db fail over at 03:12?", "--logs", "db.log", "--model", model, "--session", "s")
    assert command("ask", *words).code == REJECT
    shown = json.loads(command("show", "s", "--json").out)
    assert [row["outcome"] for row in shown["rows"]] == ["success"]
    assert [one["decision"] for one in shown["evaluations"]] == ["REJECT"]
    assert "Decision: REJECT" in command("explain", "s").out
    assert "CANARY" not in command("show", "s", "--replies").out
    assert command("summary", "s").out.startswith("DIRECT    query_logs about db\n")


def test_recording_twice_adds_nothing_and_other_content_is_refused(command: Command) -> None:
    command("migrate")
    lines = lines_of(line_of("a"), line_of("b"))
    for _ in range(2):
        assert command("record", stdin=lines).out == "2 stored, 0 spooled, 0 refused\n"
    assert command("record", stdin=lines_of(line_of("a", output="else"))).code == SOME_REFUSED
    assert len(json.loads(command("show", "inc-7", "--json").out)["rows"]) == 2


def test_calls_made_while_the_server_is_away_are_stored_by_the_next_command(
    command: Command, stoppable_postgres: PostgresCluster, tmp_path: Path
) -> None:
    command("migrate")
    stoppable_postgres.stop()
    away = command("record", stdin=lines_of(line_of("a")))
    assert (away.code, away.out) == (UNAVAILABLE, "0 stored, 1 spooled, 0 refused\n")
    (spool,) = (tmp_path / "groundtrace.spool").iterdir()
    assert f"groundtrace.spool/{spool.name}" in away.err
    call = command("call", "query_logs", '{"pattern": "failover"}', "--logs", "db.log", "--session", "inc-7")
    assert call.code == UNAVAILABLE
    assert "failover to db-1" in call.out
    reading = command("show", "inc-7")
    assert (reading.code, reading.err.count("\n")) == (UNAVAILABLE, 1)
    stoppable_postgres.start()
    assert command("record", stdin=lines_of(line_of("c"))).out == "1 stored, 0 spooled, 0 refused\n"
    assert len(json.loads(command("show", "inc-7", "--json").out)["rows"]) == 3
    assert not list(spool.glob("rows-*"))


def test_a_turn_asked_while_the_server_is_away_is_answered_and_stored_by_the_next_command(
    command: Command, stoppable_postgres: PostgresCluster, tmp_path: Path
) -> None:
    command("migrate")
    stoppable_postgres.stop()
    model = script(tmp_path, verifier=[verdict("PASS", "e1")])
    away = command("ask", "did db fail over at 03:12?", "--logs", "db.log", "--model", model, "--session", "s")
    assert away.code == LOW_CONFID
    assert away.out.startswith("Not confirmed: the recorded evidence could not be read.")
    assert "nothing listens there" in away.err
    assert " is kept until the store takes it: 1 call and 1 evaluation of this turn" in away.err
    assert away.err.count("\n") == 1
    stoppable_postgres.start()
    assert command("record", stdin=lines_of(line_of("c"))).out == "1 stored, 0 spooled, 0 refused\n"
    shown = json.loads(command("show", "s", "--json").out)
    assert [row["outcome"] for row in shown["rows"]] == ["success"]
    assert [one["cause"] for one in shown["evaluations"]] == ["evidence_unreadable"]


LOGINS = [(("sessions",), UNAVAILABLE), (("migrate",), UNAVAILABLE), (("ask", "q", "--logs", "db.log"), LOW_CONFID)]


@pytest.mark.parametrize(("words", "code"), LOGINS, ids=["sessions", "migrate", "ask"])
def test_a_refused_login_is_one_line_without_the_password(
    words: tuple[str, ...], code: int, postgres_dsn: str, tmp_path: Path
) -> None:
    small_incident(tmp_path)
    address = f"postgresql://nobody-here:hunter2@{postgres_dsn.rpartition('@')[2].removeprefix('postgresql://')}"
    done = ran(*words, folder=tmp_path, env={"GROUNDTRACE_STORE": address})
    assert (done.code, done.out.partition(":")[0]) == (code, "Not confirmed" if code == LOW_CONFID else "")
    assert done.err.startswith("groundtrace: store: ")
    assert done.err.count("\n") == 1
    assert "hunter2" not in done.err
