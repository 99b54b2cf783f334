"""`replay`: decisions made again from a store or an export, without a model; nothing withheld is printed."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest

from groundtrace.upkeep import Selection
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.stores.opening import open_store
from groundtrace_app.cli import run
from groundtrace_app.replaying import replayed
from groundtrace_testing.command import DRAFT, script, small_incident, verdict

BEFORE = {"verdict": "PASS", "cause": "verified"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A working folder in which three turns were decided: PASS, LOW_CONFID and REJECT."""
    small_incident(tmp_path)
    with chdir(tmp_path):
        for number, reply in enumerate((verdict("PASS", "e1"), "no verdict at all", verdict("REJECT", "e1"))):
            model = script(tmp_path, verifier=[reply])
            run(["ask", "did db fail over at 03:12?", "--logs", "db.log", "--session", f"s{number}", "--model", model])
        yield tmp_path


def with_a_lenient_record(folder: Path) -> None:
    """Add the record of a release that let a PASS without a citation through."""
    store = open_store(str(folder / "groundtrace.db")).unwrap()
    kept = store.evaluations("s1").unwrap()[0]
    raw = '{"verdict": "PASS", "evidence_ids": []}'
    store.save(
        replace(kept, id="lenient", turn_id="lenient", raw=raw, decision=Verdict.PASS, cause=Cause.VERIFIED)
    ).unwrap()
    store.close()


def told(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    """What a command prints on its two streams."""
    capfd.readouterr()
    assert run(words) == code
    out, err = capfd.readouterr()
    return out, err


def test_decisions_that_fall_as_they_did_are_counted(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, err = told(capfd, "replay", "--fail-on-change")
    assert out == "3 decisions made again under today's rules: 0 would fall otherwise.\n"
    assert err == ""


def test_a_changed_verdict_is_named_with_the_rule_and_sets_the_exit_code(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with_a_lenient_record(folder)
    out, _ = told(capfd, "replay")
    assert out.splitlines() == [
        "PASS (verified) -> LOW_CONFID (no_citation)  s1  turn lenient",
        "  because the reply was read as unusable (invalid_json), and is read as PASS",
        "4 decisions made again under today's rules: 1 would fall otherwise.",
    ]
    told(capfd, "replay", "--fail-on-change", code=1)
    out, _ = told(capfd, "replay", "--json")
    (change,) = json.loads(out)["changes"]
    assert (change["then"], change["now"]) == (BEFORE, {"verdict": "LOW_CONFID", "cause": "no_citation"})


def test_an_export_is_replayed_without_the_store(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told(capfd, "store", "export", "trace.jsonl", "--reveal-withheld")
    (folder / "groundtrace.db").unlink()
    out, _ = told(capfd, "replay", "trace.jsonl", "--fail-on-change")
    assert out == "3 decisions made again under today's rules: 0 would fall otherwise.\n"
    assert not (folder / "groundtrace.db").exists()


def test_decisions_whose_texts_were_left_out_are_told_and_no_error(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told(capfd, "store", "export", "trace.jsonl")
    out, err = told(capfd, "replay", "trace.jsonl")
    assert out == "1 decision made again under today's rules: 0 would fall otherwise.\n"
    assert err.startswith("groundtrace: replay: 2 decisions were not read: ")
    assert "--reveal-withheld" in err


def test_a_setting_can_be_tried_on_what_was_decided(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capfd, "replay", "--pass-needs", "direct", "--json")
    assert json.loads(out)["decided"] == 3
    _, err = told(capfd, "replay", "--pass-needs", "some", code=2)
    assert err == "groundtrace: --pass-needs: 'some' is no setting; say any, or direct\n"


def test_nothing_withheld_is_printed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with_a_lenient_record(folder)
    for words in (["replay"], ["replay", "--json"]):
        out, err = told(capfd, *words)
        assert DRAFT not in out + err
        assert "no verdict at all" not in out + err


def test_bad_input_is_one_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["replay", "gone.jsonl"], "gone.jsonl"),
        (["replay", "db.log", "--store", "groundtrace.db"], "files and a store"),
        (["replay", "--since", "yesterday"], "--since"),
    ):
        _, err = told(capfd, *words, code=2)
        assert said in err
        assert err.count("\n") == 1


def test_an_empty_time_says_so(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capfd, "replay", "--until", "2020-01-01")
    assert out == "No decision is recorded here.\n"


def test_decisions_that_cannot_be_read_are_not_told_as_none(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with contextlib.closing(sqlite3.connect(folder / "groundtrace.db")) as db:
        triggers = db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE verifier_evaluation SET evidence = '[]'")
        db.commit()
    out, err = told(capfd, "replay", code=1)
    assert out == "No decision could be read.\n"
    assert "the record cannot be decided again" in err


def test_pages_lose_no_decision(folder: Path) -> None:
    store = open_store(str(folder / "groundtrace.db")).unwrap()
    pages = [page.unwrap() for page in replayed(store, Selection(), page_records=1)]
    assert [one.session_id for page in pages for one in page.decisions] == ["s0", "s1", "s2"]
    store.close()
