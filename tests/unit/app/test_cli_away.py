"""`ask` while the store is away: the turn still ends in a shaped reply, and the next command stores what it left."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, chdir, closing
from pathlib import Path

import pytest

from groundtrace.record_input import parse_record
from groundtrace_adapters.migrations import migrate
from groundtrace_app.chat import Turn
from groundtrace_app.cli import run
from groundtrace_app.cli.ask import tell_waiting
from groundtrace_app.settings import Settings
from groundtrace_app.trace import open_trace
from groundtrace_testing.command import DRAFT, Ran, line_of, lines_of, ran, script, small_incident, variable, verdict
from groundtrace_testing.stores import locked

DONE, UNAVAILABLE, LOW_CONFID = 0, 3, 5


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A working folder with a log, and rows that wait in `spool` while the store's folder is not mounted."""
    small_incident(tmp_path)
    with ExitStack() as held:
        held.enter_context(chdir(tmp_path))
        held.enter_context(variable("GROUNDTRACE_SPOOL", "spool"))
        held.enter_context(variable("GROUNDTRACE_FLUSH_SECONDS", "0.5"))
        yield tmp_path


def asked(folder: Path, store: str, *more: str) -> tuple[str, ...]:
    model = script(folder, verifier=[verdict("PASS", "e1")])
    words = ("ask", "did db fail over at 03:12?", "--logs", "db.log", "--session", "s", "--model", model)
    return (*words, "--store", store, *more)


def evaluations(capfd: pytest.CaptureFixture[str], store: str) -> list[tuple[str, str]]:
    capfd.readouterr()
    assert run(["show", "s", "--store", store, "--json"]) == DONE
    shown = json.loads(capfd.readouterr().out)
    assert [row["outcome"] for row in shown["rows"]] == ["success"]
    return [(one["decision"], one["cause"]) for one in shown["evaluations"]]


def test_a_turn_whose_store_is_away_is_answered_and_stored_later(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(asked(folder, "mount/t.db")) == LOW_CONFID
    out, err = capfd.readouterr()
    assert out.startswith("Not confirmed: the recorded evidence could not be read.")
    assert DRAFT not in out
    waiting = f"in {folder / 'spool'} is kept until the store takes it: 1 call and 1 evaluation of this turn"
    assert waiting in err
    assert err.count("\n") == 1
    (folder / "mount").mkdir()
    assert run(["call", "query_logs", "{}", "--logs", "db.log", "--session", "t", "--store", "mount/t.db"]) == DONE
    assert evaluations(capfd, "mount/t.db") == [("LOW_CONFID", "evidence_unreadable")]
    assert list((folder / "spool").glob("*-*")) == []


def test_a_turn_whose_store_is_locked_is_answered_and_stored_later(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    migrate("t.db").unwrap()
    run(["call", "query_logs", "{}", "--logs", "db.log", "--session", "t", "--store", "t.db"])
    capfd.readouterr()
    with closing(locked(folder / "t.db")):
        assert run(asked(folder, "t.db")) == LOW_CONFID
    out, err = capfd.readouterr()
    assert out.startswith("Not confirmed: ")
    assert DRAFT not in out
    assert "1 call and 1 evaluation of this turn" in err
    assert run(["call", "query_logs", "{}", "--logs", "db.log", "--session", "t", "--store", "t.db"]) == DONE
    assert evaluations(capfd, "t.db") == [("LOW_CONFID", "evidence_not_stored")]


def test_one_line_of_a_process_says_where_a_turn_waits(folder: Path) -> None:
    away = ran(*asked(folder, "mount/t.db", "--json"), folder=folder, env=waiting())
    assert (away.code, away.err.count("\n")) == (LOW_CONFID, 1)
    assert json.loads(away.out)["decision"]["cause"] == "evidence_unreadable"
    (folder / "mount").mkdir()
    stored: Ran = ran("record", "--store", "mount/t.db", folder=folder, env=waiting(), stdin=lines_of(line_of("a")))
    assert (stored.code, stored.err) == (DONE, "")
    assert list((folder / "spool").glob("*-*")) == []


def test_calls_that_are_neither_stored_nor_spooled_are_told(capfd: pytest.CaptureFixture[str]) -> None:
    trace = open_trace(Settings(store="memory:")).unwrap()
    trace.store.close()
    read = parse_record(line_of(session_id="s"), fallback_id="c").unwrap()
    trace.recorder.record(read.call, read.outcome)
    tell_waiting(trace, Turn(session_id="s", turn_id="t", text=""))
    assert "store: neither stored nor spooled is 1 call of this turn: " in capfd.readouterr().err
    trace.sink.close(deadline=0.1)


def waiting() -> dict[str, str]:
    return {"GROUNDTRACE_SPOOL": "spool"}


def test_a_path_into_no_folder_is_a_mistake_and_makes_none(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    small_incident(tmp_path)
    with chdir(tmp_path):
        for words in (asked(tmp_path, "none/t.db"), ("record", "--store", "none/t.db")):
            assert run(words) == UNAVAILABLE
            out, err = capfd.readouterr()
            assert (out, err.count("\n")) == ("", 1)
            assert "make its folder" in err
    assert not (tmp_path / "none").exists()
