"""`groundtrace import`: transcripts into a trace, each call once, and what it says of files it cannot read."""

import gzip
import io
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing
from pathlib import Path

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record
from groundtrace_app.cli import run
from groundtrace_app.cli.import_outcome import PROBLEMS_TOLD, REPORTS_KEPT, Outcome
from groundtrace_app.importing import FileReport
from groundtrace_testing.command import Ran, variable
from groundtrace_testing.transcripts import as_lines, asks, brings, says

DONE, SOME_REFUSED, BAD_INPUT, UNAVAILABLE = 0, 1, 2, 3

Command = Callable[..., Ran]

CHAT: list[JsonValue] = [
    says("user", "which pods restart?"),
    asks(("c1", "query_logs", '{"q": "restart"}'), ("c2", "query_metrics", "{}")),
    brings("c1", "3 lines"),
    says("assistant", "three of them"),
]


def line(kind: str, call: str, block: JsonValue) -> JsonValue:
    message: JsonValue = {"role": kind, "content": [block]}
    return {
        "type": kind,
        "uuid": f"{kind}-{call}",
        "sessionId": "s-1",
        "timestamp": "2026-03-08T12:00:00Z",
        "message": message,
    }


def claude(*calls: str) -> list[JsonValue]:
    return [
        made
        for call in calls
        for made in (
            line("assistant", call, {"type": "tool_use", "id": call, "name": "query_logs", "input": {"q": call}}),
            line("user", call, {"type": "tool_result", "tool_use_id": call, "content": f"lines of {call}"}),
        )
    ]


@pytest.fixture
def command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs `groundtrace WORDS` in the folder of this test."""

    def ran_here(*words: str) -> Ran:
        capfd.readouterr()
        code = run([*words])
        out, err = capfd.readouterr()
        return Ran(code=code, out=out, err=err)

    with chdir(tmp_path):
        yield ran_here


def write(name: str, values: Sequence[JsonValue]) -> str:
    Path(name).write_bytes(as_lines(values))
    return name


def counted(table: str) -> int:
    with closing(sqlite3.connect("groundtrace.db")) as opened:
        (number,) = opened.execute(f"SELECT count(*) FROM {table}").fetchone()
    assert isinstance(number, int)
    return number


def told(done: Ran) -> dict[str, JsonValue]:
    read = json.loads(done.out)
    assert isinstance(read, dict)
    return read


def first_file(done: Ran) -> dict[str, JsonValue]:
    files = told(done)["files"]
    assert isinstance(files, list)
    assert isinstance(files[0], dict)
    return files[0]


def test_a_transcript_is_imported_shown_and_explained(command: Command) -> None:
    done = command("import", write("run.jsonl", CHAT))
    assert done.code == DONE
    assert "openai-chat" in done.out
    assert "1 call has no result" in done.out
    assert done.err == ""
    session = json.loads(command("sessions", "--json").out)[0]["session_id"]
    shown = command("show", session, "--replies")
    assert "which pods restart?" in shown.out
    assert "three of them" in shown.out
    assert "not_recorded" in shown.out
    explained = command("explain", session)
    assert explained.code == DONE
    assert "verifier_disabled" in explained.out


def test_a_file_imported_twice_adds_nothing(command: Command) -> None:
    name = write("run.jsonl", CHAT)
    assert command("import", name).code == DONE
    assert command("import", name).code == DONE
    assert counted("tool_invocation") == 2
    assert counted("verifier_evaluation") == 1


def test_lines_copied_into_another_file_add_nothing(command: Command) -> None:
    """Field case F07, second import."""
    whole = claude("t1", "t2")
    assert command("import", write("one.jsonl", whole), write("two.jsonl", whole)).code == DONE
    again = command("import", write("three.jsonl", whole[2:]), "--json")
    assert again.code == DONE
    assert told(again)["known"] == 1
    assert counted("tool_invocation") == 2


def test_a_transcript_that_has_grown_adds_what_is_new(command: Command) -> None:
    assert command("import", write("one.jsonl", claude("t1"))).code == DONE
    assert command("import", write("one.jsonl", claude("t1", "t2"))).code == DONE
    assert counted("tool_invocation") == 2


def test_a_dry_run_reads_and_keeps_nothing(command: Command) -> None:
    done = command("import", write("run.jsonl", CHAT), "--dry-run", "--json")
    assert first_file(done)["calls"] == 2
    assert first_file(done)["missing_results"] == 1
    assert not Path("groundtrace.db").exists()


def test_a_folder_gives_its_transcripts_and_names_what_is_none(command: Command) -> None:
    Path("runs").mkdir()
    write("runs/a.jsonl", CHAT)
    Path("runs/notes.txt").write_text("not a transcript\n")
    done = command("import", "runs", "--dry-run")
    assert done.code == DONE
    assert "1 file fits no format, left out: runs/notes.txt" in done.out


def result_file(name: str, status: str = "success", body: str = "3 lines") -> None:
    place = Path(name)
    place.parent.mkdir(parents=True, exist_ok=True)
    call = {"toolset_name": "k8s", "tool_name": "get", "match_params": {"file": name}}
    place.write_text(f"{json.dumps(call)}\n{json.dumps({'schema_version': 'v1', 'status': status})}\n{body}")


def test_results_of_a_folder_are_one_session(command: Command) -> None:
    for name in ("a", "b"):
        result_file(f"cases/07_crash/{name}.txt")
    done = command("import", "cases")
    assert done.code == DONE
    assert "below cases/07_crash/" in done.out
    (found,) = json.loads(command("sessions", "--json").out)
    assert found["session_id"] == "cases/07_crash"
    assert command("import", str(Path("cases").absolute())).code == DONE
    assert counted("tool_invocation") == 2


def test_many_files_are_told_by_format_and_their_sessions_once(command: Command) -> None:
    for number in range(24):
        result_file(f"cases/case_{number % 3}/{number}.txt", "no_data" if number % 2 else "success", '[{"a": 1}]')
    for number in range(7):
        Path(f"cases/notes_{number}.md").write_text("# notes")
    done = command("import", "cases", "--dry-run")
    (row,) = [line.split() for line in done.out.splitlines() if "holmesgpt" in line]
    assert [word for word in row if word != "│"] == ["24", "holmesgpt", "3", "24", "12", "12", "0", "0"]
    assert "12 flags that the output contradicts" in done.out
    assert "and 2 more" in done.out
    assert "7 files fit no format, left out (.md 7): " in done.out
    assert len(done.out.splitlines()) < 24


def test_a_file_s_hostile_name_reaches_no_terminal(command: Command) -> None:
    Path("runs\x1b[2J").mkdir()
    write("runs\x1b[2J/a\x1b]0;owned\x07.jsonl", CHAT)
    Path("runs\x1b[2J/b\x1b.txt").write_text("no transcript")
    done = command("import", ".", "--dry-run")
    assert done.code == DONE
    assert "openai-chat" in done.out
    assert "\x1b" not in done.out + done.err


def test_a_half_broken_file_imports_its_good_part(command: Command) -> None:
    Path("run.jsonl").write_bytes(as_lines(CHAT[:2]) + b"{oops\n" + as_lines(CHAT[2:]) + b'{"role": "us')
    done = command("import", "run.jsonl")
    assert done.code == SOME_REFUSED
    assert "line 3" in done.err
    assert "line 6" in done.err
    assert counted("tool_invocation") == 2


@pytest.mark.parametrize("data", [b"{oops\n}{\n", b"", b"\0\0\0\n", b"42\n"], ids=["bad", "empty", "NUL", "scalar"])
def test_a_file_without_a_record_is_bad_input(command: Command, data: bytes) -> None:
    """Field case F08, all_bad and empty_file."""
    Path("run.jsonl").write_bytes(data)
    done = command("import", "run.jsonl")
    assert done.code == BAD_INPUT
    assert done.err.startswith("groundtrace: run.jsonl: ")
    assert done.err.count("\n") == 1


def test_an_unknown_format_is_told_the_nearest_and_its_first_record(command: Command) -> None:
    write("run.jsonl", [{"role": "robot", "tool_calls": [], "api_key": "sk-test-AAAABBBBCCCCDDDD", "x": "\x1b[2J<b>"}])
    done = command("import", "run.jsonl")
    assert done.code == BAD_INPUT
    assert "nearest are openai-chat" in done.err
    assert '"role": "robot"' in done.err
    assert "\x1b" not in done.err
    assert "AAAABBBB" not in done.err
    assert len(done.err) < 1_000


def test_a_format_can_be_named(command: Command) -> None:
    done = command("import", write("run.jsonl", CHAT), "--format", "anthropic", "--dry-run", "--json")
    assert first_file(done)["format"] == "anthropic"
    wrong = command("import", "run.jsonl", "--format", "no-such")
    assert wrong.code == BAD_INPUT
    assert "openai-chat" in wrong.err


def test_a_prefix_and_a_time_can_be_given(command: Command) -> None:
    name = write("run.jsonl", CHAT)
    assert command("import", name, "--session", "team", "--at", "2026-03-08").code == DONE
    (found,) = json.loads(command("sessions", "--json").out)
    assert found["session_id"].startswith("team/run-")
    assert found["last_at"].startswith("2026-03-08")
    assert command("import", name, "--session", "team").code == DONE
    assert counted("tool_invocation") == 2


def test_standard_input_is_read(command: Command) -> None:
    kept = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(gzip.compress(as_lines(CHAT))))
    try:
        done = command("import", "-", "--json")
    finally:
        sys.stdin = kept
    assert done.code == DONE
    assert first_file(done)["calls"] == 2
    assert counted("tool_invocation") == 2


def test_a_folder_without_a_transcript_is_bad_input(command: Command) -> None:
    Path("runs").mkdir()
    Path("runs/notes.txt").write_text("not a transcript\n")
    done = command("import", "runs")
    assert done.code == BAD_INPUT
    assert "nothing was imported" in done.err


def test_a_named_format_does_not_make_a_transcript_of_noise(command: Command) -> None:
    Path("run.jsonl").write_bytes(b"{oops\n")
    assert command("import", "run.jsonl", "--format", "openai-chat").code == BAD_INPUT


@pytest.mark.parametrize("form", ["codex", "inspect", "otel", "toolbench"])
def test_a_file_that_holds_nothing_of_the_named_format_is_bad_input(command: Command, form: str) -> None:
    done = command("import", write("run.jsonl", CHAT), "--format", form)
    assert done.code == BAD_INPUT
    assert done.err.startswith(f"groundtrace: run.jsonl: nothing in it is of the format {form}")
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_one_file_of_another_format_costs_the_others_nothing(command: Command) -> None:
    write("good.jsonl", CHAT)
    done = command("import", "good.jsonl", write("other.jsonl", claude("a")), "--format", "openai-chat", "--json")
    assert done.code == SOME_REFUSED
    files = told(done)["files"]
    assert isinstance(files, list)
    assert [one["format"] for one in files if isinstance(one, dict)] == ["openai-chat", None]
    assert counted("tool_invocation") == 2


def test_of_any_number_of_files_only_the_first_are_held_and_all_summed() -> None:
    outcome = Outcome()
    for number in range(REPORTS_KEPT + 5):
        report = FileReport(file=f"runs/{number}.jsonl", format="codex", unread=number % 2)
        report.findings.calls["success"] = 2
        outcome.read(report)
        outcome.read(FileReport(file=f"{number}.txt", first=Record(place="", value={"large": True})))
    assert (len(outcome.reports), len(outcome.problems)) == (REPORTS_KEPT, PROBLEMS_TOLD)
    assert all(one.first is None for one in outcome.reports)
    assert (outcome.files, outcome.sums.whole.files) == (2_010, 1_005)
    assert outcome.sums.formats["codex"].calls == {"success": 2_010}
    assert outcome.troubled == 1_005 + 502
    assert outcome.sums.folder == "runs/"
    assert outcome.code == SOME_REFUSED


def test_rows_of_many_open_turns_are_let_go_and_kept_in_the_store(command: Command) -> None:
    calls = [f"t{number}" for number in range(2_100)]
    opened = [
        {**made, "sessionId": f"s{number}"}
        for number, call in enumerate(calls)
        for made in claude(call)
        if isinstance(made, dict)
    ]
    assert command("import", write("run.jsonl", list(opened))).code == DONE
    assert counted("tool_invocation") == 2_100


def test_what_is_imported_while_the_store_is_away_is_stored_later(command: Command) -> None:
    name = write("run.jsonl", CHAT)
    with variable("GROUNDTRACE_SPOOL", "spool"):
        away = command("import", name, "--store", "mount/t.db")
        assert away.code == UNAVAILABLE
        assert "2 calls and 1 answer wait in the spool" in away.err
        Path("mount").mkdir()
        assert command("import", name, "--store", "mount/t.db").code == DONE
        (found,) = json.loads(command("sessions", "--store", "mount/t.db", "--json").out)
        shown = json.loads(command("show", found["session_id"], "--store", "mount/t.db", "--json").out)
    assert (len(shown["rows"]), len(shown["evaluations"])) == (2, 1)


def test_a_path_that_is_not_there_is_bad_input(command: Command) -> None:
    done = command("import", "gone.jsonl")
    assert done.code == BAD_INPUT
    assert "gone.jsonl" in done.err


HOSTILE = "\x1b]0;owned\x07<script>alert(1)</script>\0\ud800\u202e\x9b31m\u200b\u2028\U000e0041"


def test_hostile_text_reaches_no_terminal_unescaped(command: Command) -> None:
    values: list[JsonValue] = [
        {"role": HOSTILE, "content": HOSTILE},
        says("user", HOSTILE),
        asks((HOSTILE, HOSTILE, HOSTILE), ("c", "t", HOSTILE)),
        brings("nobody's " + HOSTILE, HOSTILE),
        brings(HOSTILE, HOSTILE),
        says("assistant", HOSTILE),
    ]
    done = command("import", write("run.jsonl", values))
    assert done.code == DONE
    reports = [command("import", "run.jsonl", "--dry-run", "--json"), command("audit", "run.jsonl")]
    reports.append(command("audit", "run.jsonl", "--json"))
    for raw in ("\x1b", "\x07", "\0", "\u202e", "\x9b", "\u200b", "\u2028", "\U000e0041"):
        assert raw not in "".join(one.out + one.err for one in (done, *reports))
    session = json.loads(command("sessions", "--json").out)[0]["session_id"]
    shown = command("show", session, "--replies")
    assert shown.code == DONE
    assert "\x1b" not in shown.out
    assert counted("tool_invocation") == 2


def test_a_secret_in_a_transcript_is_in_no_row(command: Command) -> None:
    secret = "ghp_" + "a1b2c3d4e5f6" * 3
    values = [
        says("user", f"token {secret}"),
        asks(("c", "t", json.dumps({"q": secret}))),
        brings("c", secret),
        says("assistant", secret),
    ]
    assert command("import", write("run.jsonl", values)).code == DONE
    assert secret.encode() not in Path("groundtrace.db").read_bytes()
