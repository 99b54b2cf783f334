"""The commands that a reply names are runnable as printed: same source, same store, same session, no password."""

import json
import shlex
from pathlib import Path

import pytest

from groundtrace_app.cli import run
from groundtrace_app.cli.options import options_for, place_words, without_password
from groundtrace_testing.command import small_incident


def test_each_tool_gets_its_own_flags_and_the_place_of_the_trace() -> None:
    flags = {"knowledge": "kb", "logs": ["a.log", "b c.log"], "metrics": None, "store": "t.db"}
    place = ("--store", "t.db", "--config", "g.toml", "--session", "s")
    assert options_for(flags, Path("g.toml"), "s") == {
        "lookup_knowledge": ("--knowledge", "kb", *place),
        "query_logs": ("--logs", "a.log", "--logs", "b c.log", *place),
        "query_metrics": place,
    }


def test_what_was_set_elsewhere_needs_no_flag() -> None:
    assert place_words({}, None) == ()
    assert options_for({}, None, "s")["query_logs"] == ("--session", "s")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:hunter2@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgres://me:p%40@ss@host/db?sslmode=require", "postgres://me@host/db?sslmode=require"),
        ("postgresql://host/db?password=hunter2&user=me", "postgresql://host/db?user=me"),
        ("postgresql://host/db?user=me&password=hunter2", "postgresql://host/db?user=me"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql+sharded://me:hunter2@host/db", "postgresql+sharded://me@host/db"),
        ("postgresql+sharded://host/db?password=hunter2", "postgresql+sharded://host/db"),
        ("my:file@home.db", "my:file@home.db"),
    ],
)
def test_a_password_is_in_no_command(url: str, shown: str) -> None:
    assert without_password(url) == shown


@pytest.mark.parametrize("session", ["night", "it's 3 o'clock", "-x", "tenant/s \u00e9"])
def test_each_next_step_runs_as_printed_and_lands_in_the_same_session(
    session: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = small_incident(tmp_path)
    place = ["--store", str(tmp_path / "a store.db")]
    run(["ask", "were there errors of db at 05:00?", "--logs", str(log), "--session", session, *place, "--json"])
    steps = json.loads(capfd.readouterr().out)["reply"]["next_steps"]
    assert steps
    for step in steps:
        program, *words = shlex.split(step["command"])
        assert (program, run(words)) == ("groundtrace", 0)
    capfd.readouterr()
    assert run(["show", *place, "--json", "--", session]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert len([row for row in shown["rows"] if row["turn_id"] is None]) == len(steps)
    assert run(["sessions", *place, "--json"]) == 0
    assert [one["session_id"] for one in json.loads(capfd.readouterr().out)] == [session]
