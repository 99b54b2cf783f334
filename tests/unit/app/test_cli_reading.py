"""`sessions`, `show`, `summary` and `explain` as people read them: by turn, in any width, with what each call said."""

import json
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len

from groundtrace.row_json import row_from_json
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_app.cli import run
from groundtrace_app.cli.timeline import parts_of
from groundtrace_testing.command import DRAFT, ran, script, small_incident, variable, verdict
from groundtrace_testing.gate_rows import failure, success
from groundtrace_testing.records import NOON, a_row, an_evaluation

SESSION = "acme/outage"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A working folder with a log."""
    small_incident(tmp_path)
    with chdir(tmp_path):
        yield tmp_path


def asked(folder: Path, reply: str, session: str = "s") -> int:
    model = script(folder, verifier=[reply])
    return run(["ask", "did db fail over at 03:12?", "--logs", "db.log", "--session", session, "--model", model])


def read(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints that ends well."""
    capfd.readouterr()
    assert run(words) == 0
    return capfd.readouterr().out


def test_a_timeline_tells_the_turn_its_decision_and_each_call(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert asked(folder, verdict("PASS", "e1")) == 0
    lines = read(capfd, "show", "s").splitlines()
    assert "  turn " in lines[0]
    assert lines[1] == "  did db fail over at 03:12?"
    assert lines[2] == "  PASS (verified): every cited call found evidence and is stored; rests on e1"
    assert lines[3].split()[:1] + lines[3].split()[2:7] == ["e1", "query_logs", "about", "db", "success", "DIRECT"]
    assert lines[4] == "      asked  app=db: failover"
    assert lines[5] == "      came   1 entry, first 03:12:00: 2026-05-04T03:12:00Z app=db failover to db-1 finished"
    assert lines[7] == "Evidence by tool and topic"
    assert lines[8] == "DIRECT    query_logs about db"


def test_what_the_user_was_shown_is_printed_where_it_is_asked_for(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked(folder, verdict("PASS", "e1"))
    assert DRAFT not in read(capfd, "show", "s")
    assert DRAFT in read(capfd, "show", "s", "--replies")


def test_a_turn_that_was_withheld_says_so(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert asked(folder, verdict("REJECT", "e1")) == 6
    assert "REJECT (verifier_reject)" in read(capfd, "show", "s")
    assert "the answer was withheld" in read(capfd, "show", "s")


def test_an_explanation_names_the_rules_and_one_turn_can_be_picked(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked(folder, verdict("PASS", "e1"))
    asked(folder, verdict("REJECT", "e1"))
    both = read(capfd, "explain", "s")
    assert "Citation e1: a success with DIRECT support, stored: it can carry a PASS." in both
    assert both.index("Decision: PASS") < both.index("Decision: REJECT")
    second = json.loads(read(capfd, "explain", "s", "--json"))[1]["turn_id"]
    alone = read(capfd, "explain", "s", "--turn", second)
    assert "Decision: REJECT" in alone
    assert "Decision: PASS" not in alone
    assert run(["explain", "s", "--turn", "none"]) == 2


def test_calls_without_a_decision_are_told_where_they_are_shown(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["call", "query_logs", "{}", "--logs", "db.log", "--session", "one call", "--store", "t.db"])
    said = read(capfd, "explain", "one call", "--store", "t.db")
    told = "Session one call holds 1 call and no decision to explain"
    assert said == f"{told}: see `groundtrace show --store t.db 'one call'`\n"
    assert read(capfd, "explain", "one call", "--store", "t.db", "--json") == "[]\n"
    assert run(["explain", "one call", "--store", "t.db", "--turn", "t"]) == 2


def test_an_answer_that_was_shown_is_explained_in_the_verifiers_words_too(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    unsure = json.dumps({"verdict": "LOW_CONFID", "evidence_ids": ["e1"], "reasons": ["no line names the standby"]})
    assert asked(folder, unsure) == 5
    said = read(capfd, "explain", "s")
    assert "The verifier's own words:\n  - no line names the standby" in said


def test_a_long_name_of_a_tool_cuts_off_nothing_of_what_its_call_came_to(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    opened = SqliteStore(folder / "t.db")
    opened.append([a_row(tool_name="a_tool_with_a_very_long_name_" * 4)]).unwrap()
    opened.close()
    (line,) = [one for one in read(capfd, "show", SESSION, "--store", "t.db").splitlines() if "a_tool_with" in one][:1]
    assert "success DIRECT" in " ".join(line.split())
    assert cell_len(line) <= 100


@pytest.mark.parametrize("words", [(), ("show",), ("store",), ("store", "prune")])
def test_help_has_its_short_form_everywhere(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert read(capfd, *words, "-h") == read(capfd, *words, "--help")


def test_each_time_of_a_document_is_in_one_form(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked(folder, verdict("PASS", "e1"))
    for words in (("show", "s"), ("explain", "s"), ("summary", "s"), ("sessions",)):
        document = read(capfd, *words, "--json")
        assert 'Z"' in document
        assert "+00:00" not in document


READINGS = [("show", 40), ("explain", 40), ("summary", 40), ("show", 80), ("show", 120)]


@pytest.mark.parametrize(("reader", "columns"), READINGS)
def test_no_line_is_wider_than_the_terminal(
    reader: str, columns: int, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked(folder, verdict("REJECT", "e1"))
    wide = a_row(session_id="s", id="w", turn_id=None, topic_domain="\u6f22\u5b57" * 40, output_preview="x" * 900)
    hostile = a_row(session_id="s", id="h", turn_id=None, tool_name="q\x1b[2J\u202e", output_preview="a\x1b]0;b\x07")
    store = SqliteStore(folder / "groundtrace.db")
    store.append([wide, hostile]).unwrap()
    store.close()
    capfd.readouterr()
    with variable("COLUMNS", str(columns)):
        code = run([reader, "s"])
    out, err = capfd.readouterr()
    assert (code, err) == (0, "")
    assert max(map(cell_len, out.splitlines())) <= columns
    assert not {"\x1b", "\u202e", "\x07"} & set(out)


def test_json_gives_rows_as_they_are_stored(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked(folder, verdict("PASS", "e1"))
    shown = json.loads(read(capfd, "show", "s", "--json"))
    store = SqliteStore(folder / "groundtrace.db", read_only=True)
    rows = store.rows("s").unwrap()
    store.close()
    assert tuple(row_from_json(json.dumps(row)).unwrap() for row in shown["rows"]) == rows
    assert (shown["more_rows"], shown["entries"][0]["calls"]) == (False, 1)
    assert "withheld" in shown["evaluations"][0]


def test_a_long_session_is_shown_up_to_the_limit_and_says_so(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(folder / "groundtrace.db")
    store.append([a_row(id=f"c-{number:04}", seq=number) for number in range(1_203)]).unwrap()
    store.close()
    assert "Shown up to here: 1,000 calls" in read(capfd, "show", SESSION)
    few = json.loads(read(capfd, "show", SESSION, "--json", "--limit", "3"))
    assert (len(few["rows"]), few["more_rows"]) == (3, True)
    everything = json.loads(read(capfd, "show", SESSION, "--json", "--limit", "1203"))
    assert (len(everything["rows"]), everything["more_rows"]) == (1_203, False)


def test_sessions_are_listed_with_their_decision_the_latest_first(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked(folder, verdict("PASS", "e1"), session="first")
    asked(folder, verdict("REJECT", "e1"), session="second with spaces")
    head, *lines = read(capfd, "sessions").splitlines()
    assert head.split() == ["first", "call", "last", "call", "calls", "last", "decision", "session"]
    assert [line.split(maxsplit=6)[4:] for line in lines] == [
        ["1", "REJECT", "second with spaces"],
        ["1", "PASS", "first"],
    ]
    assert [one["decision"] for one in json.loads(read(capfd, "sessions", "--json"))] == ["REJECT", "PASS"]
    assert len(read(capfd, "sessions", "--limit", "1").splitlines()) == 2


def test_a_summary_tells_each_error_of_an_entry(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(folder / "groundtrace.db")
    store.append([failure(1), failure(2, error_message="refused by the server"), success(3)]).unwrap()
    store.close()
    said = read(capfd, "summary", "night-shift")
    assert "no answer after 30 s" in said
    assert "refused by the server" in said
    assert said.startswith("DIRECT    query_logs about checkout\n")


def test_several_sessions_are_summed_up_as_one(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(folder / "groundtrace.db")
    store.append([replace(success(1), session_id="a"), replace(failure(2), session_id="b")]).unwrap()
    store.append([replace(success(3), session_id="c")]).unwrap()
    store.close()
    told = json.loads(read(capfd, "summary", "a", "b", "a", "--json"))
    assert (told["sessions"], told["since"], told["until"]) == (["a", "b"], None, None)
    assert [(one["calls"], one["successes"], one["failures"]) for one in told["entries"]] == [(2, 1, 1)]
    assert read(capfd, "summary", "a", "b").startswith("DIRECT    query_logs about checkout\n")


def test_a_time_is_summed_up_over_all_sessions(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(folder / "groundtrace.db")
    store.append([a_row(session_id=str(day), started_at=NOON + timedelta(days=day)) for day in range(4)]).unwrap()
    store.close()
    since, until = "2026-03-09", (NOON + timedelta(days=3)).isoformat()
    told = json.loads(read(capfd, "summary", "--since", since, "--until", until, "--json"))
    assert (told["sessions"], told["since"], told["until"]) == (None, "2026-03-09T00:00:00Z", "2026-03-11T12:00:00Z")
    assert [one["calls"] for one in told["entries"]] == [2]
    assert "1 call: 1 success" in read(capfd, "summary", "2", "--since", since)
    assert read(capfd, "summary", "--since", "2027-01-01") == "Nothing is recorded there.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing is named"),
        (["--since", "noon"], "this is no time"),
        (["s", "--until", "2026-03-09T12:00"], "no zone"),
    ],
)
def test_a_summary_of_nothing_in_particular_is_refused(
    folder: Path, capfd: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    asked(folder, verdict("PASS", "e1"))
    capfd.readouterr()
    assert run(["summary", *words]) == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "missing"),
    [
        (["a", "typo", "b"], 1, ["typo"]),
        (["slip", "typo"], 2, ["slip", "typo"]),
        (["typo", "--since", "2026-01-01"], 2, ["typo"]),
        (["a", "--since", "2027-01-01"], 0, []),
    ],
)
def test_a_session_that_is_not_there_is_named_and_not_just_left_out_of_a_summary(
    folder: Path, capfd: pytest.CaptureFixture[str], words: list[str], code: int, missing: list[str]
) -> None:
    store = SqliteStore(folder / "groundtrace.db")
    store.append([replace(success(1), session_id="a"), replace(failure(2), session_id="b")]).unwrap()
    store.close()
    capfd.readouterr()
    assert run(["summary", *words]) == code
    told = capfd.readouterr()
    assert [line.split("'")[1] for line in told.err.splitlines()] == missing
    assert bool(told.out) == (code < 2)


@pytest.mark.parametrize("command", [["summary"], ["store", "export", "-"]], ids=" ".join)
def test_a_time_that_ends_before_it_begins_is_refused(
    folder: Path, capfd: pytest.CaptureFixture[str], command: list[str]
) -> None:
    asked(folder, verdict("PASS", "e1"))
    for until in ("2026-01-01", "2027-01-01"):
        capfd.readouterr()
        assert run([*command, "--since", "2027-01-01", "--until", until]) == 2
        assert "--until: this is no later than --since" in capfd.readouterr().err


def test_no_colour_is_sent_to_a_pipe_or_against_the_user_s_wish(folder: Path) -> None:
    asked(folder, verdict("PASS", "e1"))
    for env in ({"TERM": "xterm"}, {"TERM": "xterm", "NO_COLOR": "1"}):
        assert "\x1b" not in ran("show", "s", folder=folder, env=env).out


def test_calls_outside_of_turns_stand_where_they_were_made() -> None:
    rows = [
        a_row(id="1", seq=1, turn_id=None),
        a_row(id="2", seq=2, turn_id="t-1"),
        a_row(id="3", seq=3, turn_id="t-2"),
        a_row(id="4", seq=4, turn_id="t-1"),
        a_row(id="5", seq=5, turn_id=None),
    ]
    kept = [an_evaluation(id="e", turn_id="t-2"), an_evaluation(id="f", turn_id="t-3")]
    parts = parts_of(rows, kept)
    told = [(part.turn_id, [row.id for row in part.rows], part.evaluation is not None) for part in parts]
    assert told == [
        (None, ["1"], False),
        ("t-1", ["2", "4"], False),
        ("t-2", ["3"], True),
        (None, ["5"], False),
        ("t-3", [], True),
    ]


def test_a_turn_without_a_decision_is_told_as_cut_off(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(folder / "groundtrace.db")
    store.append([a_row()]).unwrap()
    store.close()
    assert "no decision is recorded" in read(capfd, "show", SESSION)
