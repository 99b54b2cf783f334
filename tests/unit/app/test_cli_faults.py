"""Bad input to the command: one line that says what, where and how to mend it, a documented exit code, no traceback."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path

import pytest

from groundtrace_adapters.migrations import migrate
from groundtrace_app.cli import run
from groundtrace_testing.command import small_incident
from groundtrace_testing.stores import locked

BAD_INPUT, UNAVAILABLE = 2, 3

Fault = tuple[Sequence[str], int, str]

FAULTS: dict[str, Fault] = {
    "no-command": ([], BAD_INPUT, "command"),
    "unknown-command": (["shwo", "s"], BAD_INPUT, "shwo"),
    "unknown-flag": (["show", "s", "--stroe", "x"], BAD_INPUT, "--stroe"),
    "missing-argument": (["ask"], BAD_INPUT, "'question'; see groundtrace ask --help"),
    "limit-below-one": (["show", "s", "--limit", "0"], BAD_INPUT, "limit"),
    "empty-question": (["ask", " \u200b ", "--logs", "db.log"], BAD_INPUT, "question is empty"),
    "huge-question": (["ask", "why " * 9_000, "--logs", "db.log"], BAD_INPUT, "36000 characters"),
    "blank-session": (["ask", "q", "--logs", "db.log", "--session", " "], BAD_INPUT, "session id"),
    "long-session": (["call", "query_logs", "{}", "--logs", "db.log", "--session", "x" * 201], BAD_INPUT, "session id"),
    "no-source": (["ask", "q"], BAD_INPUT, "--logs"),
    "unknown-model": (["ask", "q", "--logs", "db.log", "--model", "oracle"], BAD_INPUT, "oracle"),
    "missing-script": (["ask", "q", "--logs", "db.log", "--model", "script:none.json"], BAD_INPUT, "none.json"),
    "unknown-tool": (["call", "query_lgos", "{}", "--logs", "db.log"], BAD_INPUT, "query_lgos"),
    "tool-without-source": (["call", "query_metrics", "{}", "--logs", "db.log"], BAD_INPUT, "query_logs can be called"),
    "half-json": (["call", "query_logs", '{"pattern": ', "--logs", "db.log"], BAD_INPUT, "PARAMS"),
    "no-object": (["call", "query_logs", "[]", "--logs", "db.log"], BAD_INPUT, "PARAMS"),
    "deep-json": (["call", "query_logs", "[" * 100_000, "--logs", "db.log"], BAD_INPUT, "PARAMS"),
    "unknown-session": (["show", "inc-9", "--store", "good.db"], BAD_INPUT, "inc-9"),
    "unknown-session-explained": (["explain", "inc-9", "--store", "good.db"], BAD_INPUT, "inc-9"),
    "unknown-session-as-json": (["explain", "inc-9", "--store", "good.db", "--json"], BAD_INPUT, "inc-9"),
    "unknown-session-summed-up": (["summary", "inc-9", "--store", "good.db"], BAD_INPUT, "inc-9"),
    "hostile-session": (["show", "\x1b[2J\u202e' OR 1=1", "--store", "good.db"], BAD_INPUT, "nothing is recorded"),
    "no-settings-file": (["sessions", "--config", "none.toml"], BAD_INPUT, "none.toml"),
    "store-is-no-address": (["sessions", "--store", "redis://here"], BAD_INPUT, "postgresql://"),
    "store-is-a-folder": (["sessions", "--store", "folder"], BAD_INPUT, "folder is a folder"),
    "store-to-ask-is-a-folder": (["ask", "q", "--logs", "db.log", "--store", "folder"], BAD_INPUT, "is a folder"),
    "store-is-not-there": (["sessions", "--store", "none.db"], UNAVAILABLE, "there is no file none.db"),
    "memory-to-read": (["sessions", "--store", "memory:"], UNAVAILABLE, "memory:"),
    "store-is-no-database": (["sessions", "--store", "text.db"], UNAVAILABLE, "not an SQLite database"),
    "store-to-ask-is-none": (["ask", "q", "--logs", "db.log", "--store", "text.db"], UNAVAILABLE, "not an SQLite"),
    "store-in-no-folder": (["ask", "q", "--logs", "db.log", "--store", "none/t.db"], UNAVAILABLE, "make its folder"),
    "store-of-a-newer-schema": (["sessions", "--store", "newer.db"], UNAVAILABLE, "upgrade groundtrace"),
    "newer-store-to-migrate": (["migrate", "--store", "newer.db"], UNAVAILABLE, "upgrade groundtrace"),
    "newer-store-to-record": (["record", "--store", "newer.db"], UNAVAILABLE, "upgrade groundtrace"),
    "empty-file-to-read": (["sessions", "--store", "empty.db"], UNAVAILABLE, "groundtrace migrate"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A working folder with a log and stores of several kinds."""
    with chdir(tmp_path):
        yield _filled(tmp_path)


def _filled(tmp_path: Path) -> Path:
    small_incident(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("this is a letter, and no database " * 40)
    (tmp_path / "empty.db").touch()
    for name in ("good.db", "newer.db"):
        migrate(name).unwrap()
    with sqlite3.connect("newer.db") as connection:
        connection.execute("INSERT INTO groundtrace_schema VALUES (99, '0099_later.sql', 'x', '2030-01-01')")
    connection.close()
    return tmp_path


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_line_with_its_exit_code(fault: Fault, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words, code, said = fault
    assert run(words) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("groundtrace: ")
    assert err.count("\n") == 1
    assert said in err
    assert "Traceback" not in err
    assert err.rstrip("\n").isprintable()


def test_reading_makes_no_store(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = sorted(place.name for place in folder.iterdir())
    for words in (["sessions"], ["show", "s"], ["summary", "s"], ["explain", "s"], ["doctor", "--logs", "db.log"]):
        run([*words, "--store", "none.db"])
    run(["ask", "", "--logs", "db.log", "--store", "none.db"])
    run(["ask", "q", "--store", "none.db"])
    assert sorted(place.name for place in folder.iterdir()) == before


def test_a_password_of_a_store_is_in_no_message(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(["doctor", "--store", "mysql://me:hunter2@host/db"])
    run(["sessions", "--store", "mysql://me:hunter2@host/db"])
    assert "hunter2" not in "".join(capfd.readouterr())


def test_a_doctor_says_that_it_found_nothing_and_how_to_mend_it(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--metrics", "gone.om", "--store", "memory:"]) == 1
    out = capfd.readouterr().out
    assert "MEND  query_metrics: nothing was found there\n" in out
    assert "metric path gone.om cannot be read" in out


def test_a_missing_source_is_named_and_the_others_are_used(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["ask", "did db fail over at 03:12?", "--logs", "db.log", "--metrics", "gone.om", "--store", "t.db"]
    assert run(words) in {0, 5}
    out, err = capfd.readouterr()
    assert "there is no file or folder gone.om" in err
    assert "query_logs (db.log): " in out
    assert "query_metrics (gone.om)" in out


def test_a_failed_call_says_why_and_is_recorded(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["call", "query_logs", '{"patern": "x"}', "--logs", "db.log", "--store", "t.db", "--session", "s"]
    assert run(words) == UNAVAILABLE
    assert "patern" in capfd.readouterr().err
    assert run(["summary", "s", "--store", "t.db"]) == 0
    assert "1 call: 1 failed" in capfd.readouterr().out


def test_a_store_that_is_locked_is_still_read(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    holder = locked(folder / "good.db")
    try:
        assert run(["sessions", "--store", "good.db"]) == 0
    finally:
        holder.close()


def test_an_empty_store_has_no_session_and_that_is_no_fault(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "--store", "good.db"]) == 0
    assert run(["sessions", "--store", "good.db", "--json"]) == 0
    assert capfd.readouterr().out.endswith("[]\n")
