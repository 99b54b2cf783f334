"""No command prints what was withheld from the user, on any stream and in any form, unless asked to (DESIGN 9)."""

import json
from pathlib import Path

import pytest

from groundtrace_app.cli import run
from groundtrace_testing.command import DRAFT, REASON, script, small_incident, verdict

WITHHELD = {
    "reject": verdict("REJECT", "e1"),
    "pass-without-citation": verdict("PASS"),
    "prose-around": f"Sure! {verdict('PASS', 'e1')} {REASON}",
    "odd-verdict": json.dumps({"verdict": f"PASS {REASON}", "evidence_ids": ["e1", REASON], "reasons": [REASON]}),
}
READERS = (["show"], ["show", "--replies"], ["explain"], ["summary"])


def asked(folder: Path, reply: str, *more: str) -> int:
    words = ["ask", "did db fail over at 03:12?", "--logs", str(small_incident(folder)), "--session", "s"]
    return run([*words, "--model", script(folder, verifier=[reply]), "--store", str(folder / "t.db"), *more])


@pytest.mark.parametrize("reply", WITHHELD.values(), ids=WITHHELD)
def test_no_stream_of_any_command_holds_a_withheld_answer(
    reply: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Field case E01: standard output, standard error and JSON of each command."""
    assert asked(tmp_path, reply) in {5, 6}
    assert asked(tmp_path, reply, "--json") in {5, 6}
    for reader in READERS:
        for form in ([], ["--json"]):
            if reader + form != ["show", "--replies", "--json"]:
                assert run([*reader, "s", *form, "--store", str(tmp_path / "t.db")]) == 0
    streams = "".join(capfd.readouterr())
    assert "CANARY" not in streams
    assert "rebooted" not in streams


@pytest.mark.parametrize("reader", [["show"], ["explain"], ["show", "--json"], ["explain", "--json"]])
def test_what_was_withheld_is_printed_where_it_is_asked_for(
    reader: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert asked(tmp_path, verdict("REJECT", "e1")) == 6
    capfd.readouterr()
    assert run([*reader, "s", "--store", str(tmp_path / "t.db"), "--reveal-withheld"]) == 0
    assert DRAFT in capfd.readouterr().out


def test_the_next_turn_of_a_session_does_not_replay_a_rejected_answer(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked(tmp_path, verdict("REJECT", "e1"))
    asked(tmp_path, verdict("LOW_CONFID"), "--model", "rules")
    assert "CANARY" not in "".join(capfd.readouterr())


def test_an_answer_that_was_shown_unverified_is_marked(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert asked(tmp_path, verdict("LOW_CONFID")) == 5
    said = capfd.readouterr().out
    assert said.startswith("Not confirmed")
    assert said.index("UNVERIFIED ANSWER") < said.index(DRAFT)
