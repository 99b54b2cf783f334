"""`audit`: what the answers of a store or of transcripts rest on; nothing withheld is printed or written."""

import json
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from groundtrace.audit_rules import Rule
from groundtrace.json_text import JsonValue
from groundtrace_app.cli import run
from groundtrace_testing.command import DRAFT, REASON, Ran, script, small_incident, variable, verdict
from groundtrace_testing.transcripts import as_lines, asks, brings, says

BARE: list[JsonValue] = [
    says("user", "why is checkout slow?"),
    asks(("c1", "query_logs", '{"q": "slow"}')),
    brings("c1", "No results found"),
    says("assistant", "The connection pool is too small."),
]
FIRM: list[JsonValue] = [
    says("user", "which pods restart?"),
    asks(("c1", "query_logs", '{"q": "restart"}')),
    brings("c1", "3 lines"),
    says("assistant", "three of them"),
]

Command = Callable[..., Ran]


@pytest.fixture
def command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs `groundtrace audit WORDS` in a folder with two transcripts: one answer without evidence, one with some."""

    def ran_here(*words: str) -> Ran:
        capfd.readouterr()
        code = run(["audit", *words])
        out, err = capfd.readouterr()
        return Ran(code=code, out=out, err=err)

    with chdir(tmp_path):
        Path("runs").mkdir()
        Path("runs/bare.jsonl").write_bytes(as_lines(BARE))
        Path("runs/firm.jsonl").write_bytes(as_lines(FIRM))
        yield ran_here


def test_transcripts_are_audited_by_one_command_that_leaves_nothing_behind(command: Command) -> None:
    done = command("runs", "--html", "audit.html")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[1].startswith("NONE     LOW_CONFID       1      0      0  bare-")
    assert "  !! the answer states something without a doubt, and no call found anything" in lines
    assert "1 of 2 sessions states something that no call found." in lines
    assert sorted(path.name for path in Path().iterdir()) == ["audit.html", "runs"]
    assert "The connection pool is too small." in Path("audit.html").read_text("utf-8")


def test_an_id_can_be_copied_from_a_narrow_terminal(command: Command) -> None:
    Path("a-transcript-with-a-long-name-of-its-own.jsonl").write_bytes(as_lines(BARE))
    with variable("COLUMNS", "40"):
        lines = command("a-transcript-with-a-long-name-of-its-own.jsonl").out.splitlines()
    assert "a-transcript-with-a-long-name-of-its-own-" in lines[1]
    assert not lines[1].endswith("...")
    assert max(map(len, lines[2:5])) <= 40


def test_json_tells_each_session_with_its_reasons(command: Command) -> None:
    told = json.loads(command("runs", "--json", "--expect", "query_metrics").out)
    assert (told["sessions_audited"], told["sessions_left_out"], told["calls"]) == (2, 0, 2)
    bare = told["sessions"][0]
    assert (bare["rests_on"], bare["allowed"], bare["grade"]) == ("NONE", "LOW_CONFID", "grave")
    assert [one["rule"] for one in bare["findings"]] == [
        Rule.CONFIDENT_WITHOUT_EVIDENCE,
        Rule.UNMENTIONED_EMPTY,
        Rule.NEVER_ASKED,
        Rule.NOT_VERIFIED,
    ]


def test_a_rule_that_holds_sets_the_exit_code(command: Command) -> None:
    broken = command("runs", "--fail-on", "confident-without-evidence", "--fail-on", "repeats")
    assert broken.code == 1
    assert broken.err.startswith("groundtrace: --fail-on confident_without_evidence: 1 session: ")
    assert command("runs", "--fail-on", "repeats").code == 0


def test_an_unknown_rule_is_named_with_the_known_ones(command: Command) -> None:
    done = command("runs", "--fail-on", "confident_without")
    assert done.code == 2
    assert "did you mean confident_without_evidence?" in done.err
    assert [rule for rule in Rule if rule not in done.err] == []


def test_a_source_counts_as_asked_by_any_of_its_tools(command: Command) -> None:
    calls = [says("user", "q"), asks(("c1", "shop/find", "{}")), brings("c1", "3 lines"), says("assistant", "x")]
    Path("one.jsonl").write_bytes(as_lines(calls))
    assert command("one.jsonl", "--expect", "shop", "--fail-on", "never_asked").code == 0
    assert command("one.jsonl", "--expect", "sho", "--fail-on", "never_asked").code == 1


def test_bad_input_is_one_line(command: Command) -> None:
    Path("trace.db").write_bytes(b"SQLite format 3\x00 and more")
    for words, said, code in (
        (["gone"], "gone", 2),
        (["runs", "--store", "trace.db"], "paths and a store", 2),
        (["trace.db"], "write --store trace.db", 2),
        (["runs", "--format", "none"], "unknown format", 2),
        (["runs", "--since", "yesterday"], "--since", 2),
        ([], "groundtrace.db", 3),
    ):
        done = command(*words)
        assert (done.code, said in done.err, done.err.count("\n")) == (code, True, 1)
        assert done.out == ""


def test_a_page_that_cannot_be_written_is_said(command: Command) -> None:
    done = command("runs", "--html", "no/such/folder.html")
    assert done.code == 3
    assert "no/such/folder.html: it cannot be written" in done.err


@pytest.mark.parametrize(
    "name",
    ["runs/bare.jsonl", "linked.jsonl", "hard.jsonl", "notes.html", "groundtrace.db", "./groundtrace.db-wal", "runs"],
)
@pytest.mark.parametrize("words", [["runs/bare.jsonl"], ["runs"]])
def test_a_page_is_written_over_no_file_of_others(command: Command, name: str, words: list[str]) -> None:
    run(["import", "runs"])
    Path("linked.jsonl").symlink_to("runs/bare.jsonl")
    Path("hard.jsonl").hardlink_to("runs/bare.jsonl")
    Path("notes.html").write_text("<!doctype html><p>my notes", "utf-8")
    Path("groundtrace.db-wal").write_bytes(b"some pages")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    done = command(*words, "--html", name)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "name", ["t.db", "link.db", "t.db-wal", "t.db-shm", "t.db.spool", "t.db.spool/1.jsonl", "folder/../t.db-journal"]
)
def test_a_page_is_never_written_where_the_store_is(command: Command, name: str) -> None:
    run(["import", "runs", "--store", "t.db"])
    Path("folder").mkdir()
    Path("t.db.spool").mkdir(exist_ok=True)
    Path("t.db.spool/1.jsonl").write_bytes(b"")
    Path("link.db").symlink_to("t.db")
    before = Path("t.db").read_bytes()
    done = command("--store", "t.db", "--html", name)
    assert (done.code, done.out) == (2, "")
    assert "read here" in done.err
    assert Path("t.db").read_bytes() == before


def test_a_page_of_ours_an_empty_file_and_a_free_name_take_the_page(command: Command) -> None:
    Path("empty.html").write_bytes(b"")
    Path("link.html").symlink_to("real.html")
    for name in ("new.html", "new.html", "empty.html", "link.html", "link.html"):
        assert command("runs", "--html", name).code == 0
        assert "The connection pool" in Path(name).read_text("utf-8")
    assert Path("link.html").is_symlink()


def test_what_of_a_broken_file_is_good_is_audited(command: Command) -> None:
    Path("torn.jsonl").write_bytes(as_lines(BARE) + b'{"role": "assis')
    done = command("torn.jsonl", "--json")
    assert done.code == 1
    assert json.loads(done.out)["sessions_audited"] == 1
    assert "torn.jsonl: 1 place was not read" in done.err


def test_hostile_text_drives_no_terminal(command: Command) -> None:
    said = "\x1b[2J <script>alert(1)</script> \u202e \ud800"
    hostile = [
        says("user", said),
        asks(("c1", f"tool {said}", "{}")),
        brings("c1", "No results found"),
        says("assistant", said),
    ]
    Path("odd.jsonl").write_bytes(as_lines(hostile))
    done = command("odd.jsonl", "--html", "odd.html", "--expect", said.replace("\ud800", ""))
    whole = Path("odd.html").read_text("utf-8")
    assert not set("\x1b\u202e") & set(done.out + done.err + whole)
    assert "<script>" not in whole
    question = next(line for line in done.out.splitlines() if "asked:" in line)
    row = next(line for line in done.out.splitlines() if line.startswith("tool \\x1b"))
    for shown in (question, row, whole):
        assert "\\x1b[2J" in shown
        assert "\\u202e" in shown


def test_nothing_withheld_is_printed_or_written(command: Command) -> None:
    """Field case E01: a rejected answer, and a reply that was no verdict, in each form of an audit."""
    small_incident(Path())
    for number, reply in enumerate((verdict("REJECT", "e1"), f"Sure! {REASON}", verdict("PASS"))):
        model = script(Path(), verifier=[reply])
        run(["ask", "did db fail over at 03:12?", "--logs", "db.log", "--session", f"s{number}", "--model", model])
    printed = command("--html", "store.html").out + command("--json").out + Path("store.html").read_text("utf-8")
    assert "did db fail over" in printed
    assert DRAFT not in printed
    assert "CANARY" not in printed


def test_an_export_is_audited_as_its_store_is(command: Command) -> None:
    run(["import", "runs"])
    run(["store", "export", "trace.jsonl"])
    of_store, of_export = command("--json"), command("trace.jsonl", "--json")
    assert of_export.code == of_store.code == 0
    read = {"read": 1, "broken": 0, "left_out": 0, "left_out_names": [], "passed_over": {}}
    assert json.loads(of_export.out) == {**json.loads(of_store.out), "files": read}


def test_an_export_tells_the_verdict_of_what_was_withheld(command: Command) -> None:
    small_incident(Path())
    for number, reply in enumerate((verdict("REJECT", "e1"), verdict("PASS"))):
        model = script(Path(), verifier=[reply])
        run(["ask", "did db fail over at 03:12?", "--logs", "db.log", "--session", f"s{number}", "--model", model])
    run(["store", "export", "trace.jsonl"])
    of_store, of_export = command("--json"), command("trace.jsonl", "--json", "--html", "page.html")
    assert (of_export.code, of_export.err) == (0, "")
    assert json.loads(of_export.out)["sessions"] == json.loads(of_store.out)["sessions"]
    assert Rule.NO_ANSWER not in json.loads(of_export.out)["rules"]
    assert "CANARY" not in of_export.out + Path("page.html").read_text("utf-8")


def test_what_cannot_be_read_costs_an_export_nothing(command: Command) -> None:
    run(["import", "runs"])
    run(["store", "export", "trace.jsonl"])
    Path("notes.txt").write_text("no transcript")
    done = command("notes.txt", "trace.jsonl", "--json")
    assert done.code == 1
    assert json.loads(done.out)["sessions_audited"] == 2


def test_the_time_and_the_number_of_sessions_can_be_bounded(command: Command) -> None:
    run(["import", "runs", "--at", "2026-05-04"])
    assert json.loads(command("--json", "--until", "2026-05-04").out)["sessions_audited"] == 0
    one = json.loads(command("--json", "--since", "2026-05-04", "--limit", "1").out)
    assert (one["sessions_audited"], one["sessions_left_out"]) == (2, 1)
    assert command("--until", "2020-01-01").out == "No session is recorded here.\n"


def test_sessions_without_a_time_are_told_and_a_rule_over_none_fails(command: Command) -> None:
    run(["import", "runs"])
    bounded = command("--since", "2020-01-01", "--fail-on", "confident_without_evidence")
    assert bounded.code == 1
    assert "No time is recorded of 2 sessions, left out by --since or --until" in bounded.err
    assert "--fail-on: no session was audited" in bounded.err
    whole = command("--html", "page.html", "--json")
    assert json.loads(whole.out)["sessions_without_a_time"] == 2
    assert "1970" not in Path("page.html").read_text("utf-8")
    Path("empty").mkdir()
    Path("empty/notes.txt").write_text("nothing of a format")
    assert command("empty", "--fail-on", "repeats").code != 0


def test_the_time_of_a_page_is_that_of_told_times(command: Command) -> None:
    run(["import", "runs/firm.jsonl", "--at", "2026-05-04"])
    run(["import", "runs/bare.jsonl"])
    done = command("--html", "page.html")
    assert "No time is recorded of 1 session." in done.out
    page = Path("page.html").read_text("utf-8")
    assert "2026-05-04 00:00 UTC" in page
    assert "1970" not in page


def test_a_span_of_time_is_looked_through_page_by_page_and_then_the_untimed(command: Command) -> None:
    for number in range(205):
        folder = Path(f"many/{number}")
        folder.mkdir(parents=True)
        (folder / "one.jsonl").write_bytes(as_lines([says("user", f"q{number}"), says("assistant", "x")]))
    run(["import", "many", "--at", "2026-05-04"])
    run(["import", "runs"])
    told = json.loads(command("--json", "--since", "2026-06-01").out)
    assert (told["sessions_audited"], told["sessions_without_a_time"]) == (0, 2)


def test_files_left_out_broken_and_passed_over_are_in_each_form(command: Command) -> None:
    Path("runs/notes.txt").write_text("no transcript")
    Path("runs/torn.jsonl").write_bytes(as_lines(BARE) + b'{"role": "assis')
    done = command("runs", "--html", "page.html")
    page = Path("page.html").read_text("utf-8")
    files = json.loads(command("runs", "--json").out)["files"]
    assert (files["read"], files["broken"], files["left_out"]) == (3, 1, 1)
    assert files["left_out_names"] == ["runs/notes.txt"]
    for said in ("3 files read", "1 file could not be read, or not wholly", "1 file fits no known format, left out"):
        assert said in done.out
        assert said in page


def test_what_is_said_of_an_empty_folder_is_of_an_audit(command: Command) -> None:
    Path("bare").mkdir()
    assert command("bare").err.startswith("groundtrace: audit: no file in it fits a format")


def test_a_tool_that_never_found_anything_is_told_once_and_can_be_ignored(command: Command) -> None:
    calls = [
        part
        for number in range(10)
        for part in (asks((f"c{number}", "ponder", f'{{"n": {number}}}')), brings(f"c{number}", ""))
    ]
    Path("one.jsonl").write_bytes(as_lines([says("user", "q"), *calls, says("assistant", "The pool is full.")]))
    done = command("one.jsonl", "--html", "page.html", "--fail-on", "unmentioned_empty")
    said = "ponder found nothing in any of its 10 calls."
    assert (done.code, done.out.count(said)) == (1, 1)
    assert said in Path("page.html").read_text("utf-8")
    assert command("one.jsonl", "--ignore", "ponder", "--fail-on", "unmentioned_empty").code == 0
