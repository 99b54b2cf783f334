"""`groundtrace store`: figures, retention, export and load, as a person and as a program see them."""

import gzip
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from groundtrace.evaluation import Evaluation
from groundtrace.export_columns import COLUMNS
from groundtrace.invocation import Invocation
from groundtrace.upkeep import Selection
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_app.cli import run
from groundtrace_testing.command import Ran, ran
from groundtrace_testing.records import NOON, a_failure, a_row, an_evaluation

DONE, SOME_REFUSED, BAD_INPUT, UNAVAILABLE = 0, 1, 2, 3
DAY = timedelta(days=1)
SECRET = "CANARY-71 the disk was swapped"

Command = Callable[..., Ran]

ROWS = (
    a_row(session_id="a", id="1"),
    a_row(session_id="a", id="2", output_preview="caf\u00e9 \u2028 \U0001f600"),
    a_failure(session_id="b", id="1", started_at=NOON + 10 * DAY),
)
OPEN = an_evaluation(session_id="a")
REJECTED = an_evaluation(
    session_id="b",
    id="eval-2",
    created_at=NOON + 10 * DAY,
    decision=Verdict.REJECT,
    cause=Cause.VERIFIER_REJECT,
    raw=SECRET,
    reasons=(SECRET,),
    answer=SECRET,
    withheld=True,
)


@pytest.fixture
def command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs `groundtrace store WORDS` in the folder of this test."""

    def ran_here(*words: str) -> Ran:
        capfd.readouterr()
        code = run(["store", *words])
        out, err = capfd.readouterr()
        return Ran(code=code, out=out, err=err)

    with chdir(tmp_path):
        yield ran_here


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    return fill(tmp_path / "groundtrace.db", ROWS, (OPEN, REJECTED))


def fill(path: Path, rows: Sequence[Invocation] = (), evaluations: Sequence[Evaluation] = ()) -> Path:
    store = SqliteStore(path)
    store.append(rows).unwrap()
    store.upkeep().save_all(evaluations).unwrap()
    store.close()
    return path


def held(path: Path) -> tuple[tuple[Invocation, ...], tuple[Evaluation, ...]]:
    store = SqliteStore(path, read_only=True)
    upkeep = store.upkeep()
    found = upkeep.invocations(Selection()).unwrap().records, upkeep.evaluations(Selection()).unwrap().records
    store.close()
    return found


def lines_in(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n")[:-1]]


class TestStats:
    def test_a_store_says_what_it_holds(self, command: Command, filled: Path) -> None:
        done = command("stats")
        assert (done.code, done.err) == (DONE, "")
        said = [line.split() for line in done.out.splitlines()]
        assert said[:6] == [
            ["calls", "3"],
            ["failure", "1"],
            ["success", "2"],
            ["sessions", "2"],
            ["decisions", "2"],
            ["times", "2026-03-08", "12:00:00Z", "to", "2026-03-18", "12:00:00Z"],
        ]
        assert "about" not in done.out

    def test_a_program_gets_each_number_with_its_certainty(self, command: Command, filled: Path) -> None:
        told = json.loads(command("stats", "--exact", "--json").out)
        assert told["rows"] == {"number": 3, "certainty": "exact"}
        assert told["outcomes"]["failure"] == {"number": 1, "certainty": "exact"}
        assert (told["first_at"], told["version"] >= 1) == ("2026-03-08T12:00:00Z", True)

    def test_a_store_that_is_not_there_is_no_store_of_zero(self, command: Command, tmp_path: Path) -> None:
        done = command("stats", "--store", "other.db")
        assert (done.code, done.out) == (UNAVAILABLE, "")
        assert done.err.startswith("groundtrace: store: there is no file other.db; ")
        assert not (tmp_path / "other.db").exists()


class TestPrune:
    def test_sessions_that_ended_before_go_and_others_stay(self, command: Command, filled: Path) -> None:
        done = command("prune", "--before", "2026-03-10")
        assert (done.code, done.err) == (DONE, "")
        assert done.out == ("Removed 1 session that ended before 2026-03-10 00:00:00Z, with 2 calls and 1 decision.\n")
        assert held(filled) == ((ROWS[2],), (REJECTED,))

    def test_a_dry_run_removes_nothing(self, command: Command, filled: Path) -> None:
        done = command("prune", "--before", "2026-03-10T00:00:00+00:00", "--dry-run", "--json")
        assert json.loads(done.out) == {
            "before": "2026-03-10T00:00:00Z",
            "dry_run": True,
            "sessions": 1,
            "calls": 2,
            "decisions": 1,
            "older_calls_kept": 0,
        }
        assert len(held(filled)[0]) == 3

    def test_an_age_counts_from_now(self, command: Command, tmp_path: Path) -> None:
        now = datetime.now(UTC)
        rows = [a_row(session_id=f"{days}", started_at=now - timedelta(days=days)) for days in (89, 91)]
        path = fill(tmp_path / "groundtrace.db", rows)
        assert command("prune", "--older-than", "90d").code == DONE
        assert [row.session_id for row in held(path)[0]] == ["89"]

    def test_old_calls_of_a_session_that_went_on_stay_and_are_counted(self, command: Command, tmp_path: Path) -> None:
        path = fill(tmp_path / "groundtrace.db", (ROWS[0], ROWS[1], a_row(session_id="a", started_at=NOON + 10 * DAY)))
        done = command("prune", "--before", "2026-03-10")
        assert "2 older calls stay: their sessions went on." in done.out
        assert len(held(path)[0]) == 3

    def test_a_second_run_finds_nothing(self, command: Command, filled: Path) -> None:
        command("prune", "--before", "2026-03-10")
        assert "Removed 0 sessions" in command("prune", "--before", "2026-03-10").out

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            ([], "--older-than, --before: one of the two says what goes"),
            (["--older-than", "1d", "--before", "2026-03-10"], "--older-than, --before: only one of the two"),
            (["--older-than", "90"], "--older-than: this is no age"),
            (["--older-than", "-1d"], "--older-than: this is no age"),
            (["--older-than", "3months"], "--older-than: this is no age"),
            (["--older-than", "999999w"], "--older-than: this age is longer than the calendar"),
            (["--before", "yesterday"], "--before: this is no time"),
            (["--before", "2026-03-10T00:00:00"], "--before: this time has no zone"),
        ],
    )
    def test_a_limit_that_means_nothing_is_one_line_and_removes_nothing(
        self, command: Command, filled: Path, words: list[str], says: str
    ) -> None:
        done = command("prune", *words)
        assert (done.code, done.out, done.err.count("\n")) == (BAD_INPUT, "", 1)
        assert done.err.startswith(f"groundtrace: {says}")
        assert len(held(filled)[0]) == 3

    def test_a_store_that_is_not_there_is_not_made(self, command: Command, tmp_path: Path) -> None:
        assert command("prune", "--older-than", "1d", "--store", "other.db").code == UNAVAILABLE
        assert not (tmp_path / "other.db").exists()


class TestDropMonth:
    @pytest.mark.parametrize("words", [(), ("--dry-run",)])
    def test_a_store_that_is_not_cut_by_the_month_is_told_what_removes_old_calls(
        self, command: Command, filled: Path, words: tuple[str, ...]
    ) -> None:
        done = command("drop-month", "2025-12", *words)
        assert (done.code, done.out) == (BAD_INPUT, "")
        assert done.err == (
            "groundtrace: store: this store is not cut by the month; "
            "`groundtrace store prune --before 2026-01-01` removes what is old\n"
        )
        assert len(held(filled)[0]) == 3

    @pytest.mark.parametrize(
        "text",
        ["2026", "2026-1", "2026-13", "2026-00", "26-01", "2026-01-01", "January", "", "0000-01", "2026-\u0660\u0661"],
    )
    def test_a_malformed_month_is_one_line(self, command: Command, filled: Path, text: str) -> None:
        done = command("drop-month", text)
        assert (done.code, done.out) == (BAD_INPUT, "")
        assert done.err == "groundtrace: MONTH: this is no month; write 2026-01\n"

    @pytest.mark.parametrize("text", [f"{datetime.now(UTC):%Y-%m}", "9999-12"])
    def test_a_month_that_is_not_over_stays(self, command: Command, filled: Path, text: str) -> None:
        done = command("drop-month", text, "--yes")
        assert (done.code, done.out) == (BAD_INPUT, "")
        assert done.err.startswith("groundtrace: MONTH: this month is not over; ")


class TestExport:
    def test_every_record_is_a_line_and_every_line_has_the_same_columns(self, command: Command, filled: Path) -> None:
        done = command("export")
        assert (done.code, done.err) == (DONE, "")
        lines = lines_in(done.out)
        assert [(line["record"], line["session_id"], line["id"]) for line in lines] == [
            ("invocation", "a", "1"),
            ("invocation", "a", "2"),
            ("invocation", "b", "1"),
            ("evaluation", "a", "eval-1"),
            ("evaluation", "b", "eval-2"),
        ]
        assert {tuple(line) for line in lines} == {tuple(COLUMNS)}

    def test_a_column_has_one_type_in_all_lines(self, command: Command, filled: Path) -> None:
        lines = lines_in(command("export", "-", "--reveal-withheld").out)
        types = {name: {type(line[name]) for line in lines} - {type(None)} for name in COLUMNS}
        assert {name: kinds for name, kinds in types.items() if len(kinds) > 1} == {}

    def test_nothing_withheld_is_written_unless_asked_for(self, command: Command, filled: Path) -> None:
        """Field case E01: files and standard output of an export."""
        done = command("export", "out.jsonl")
        assert "The withheld texts of 1 decision are left out" in done.out
        text = Path("out.jsonl").read_text("utf-8")
        assert "CANARY" not in text + command("export").out
        assert [line["left_out"] for line in lines_in(text)] == [False] * 4 + [True]
        assert SECRET in command("export", "--reveal-withheld").out

    def test_a_file_ends_whole_with_no_progress_beside_it(self, command: Command, filled: Path) -> None:
        done = command("export", "out.jsonl", "--json")
        assert json.loads(done.out) == {
            "file": "out.jsonl",
            "whole": True,
            "lines": 5,
            "left_out": 1,
            "unreadable": 0,
        }
        assert [path.name for path in Path().glob("out*")] == ["out.jsonl"]
        assert Path("out.jsonl").stat().st_mode & 0o777 == 0o600

    def test_a_file_that_is_there_is_not_written_over(self, command: Command, filled: Path) -> None:
        Path("out.jsonl").write_text("mine")
        done = command("export", "out.jsonl")
        assert (done.code, done.err.count("\n")) == (BAD_INPUT, 1)
        assert done.err.startswith("groundtrace: out.jsonl: it is there already; ")
        assert Path("out.jsonl").read_text() == "mine"

    def test_a_name_in_gz_is_compressed(self, command: Command, filled: Path) -> None:
        command("export", "out.jsonl.gz")
        assert gzip.decompress(Path("out.jsonl.gz").read_bytes()).decode() == command("export").out

    def test_a_session_a_time_and_a_place_choose(self, command: Command, filled: Path) -> None:
        def chosen(*words: str) -> list[tuple[str, str]]:
            return [(line["session_id"], line["id"]) for line in lines_in(command("export", *words).out)]

        assert chosen("--session", "b") == [("b", "1"), ("b", "eval-2")]
        assert chosen("--since", "2026-03-09") == [("b", "1"), ("b", "eval-2")]
        assert chosen("--until", "2026-03-09T00:00:00Z") == [("a", "1"), ("a", "2"), ("a", "eval-1")]
        assert chosen("--session", "nobody") == []
        last = command("export").out.split("\n")[2]
        assert chosen("--after", last) == [("a", "eval-1"), ("b", "eval-2")]

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["--since", "noon"], "--since: this is no time"),
            (["--until", "2026-13-01"], "--until: this is no time"),
            (["--after", "{torn"], "--after: this is no JSON"),
            (["nowhere/out.jsonl"], "nowhere/out.jsonl: it cannot be written"),
        ],
    )
    def test_what_cannot_be_chosen_or_written_is_one_line(
        self, command: Command, filled: Path, words: list[str], says: str
    ) -> None:
        done = command("export", *words)
        assert (done.code, done.out, done.err.count("\n")) == (BAD_INPUT, "", 1)
        assert done.err.startswith(f"groundtrace: {says}")

    def test_the_schema_is_printed_without_a_store(self, command: Command) -> None:
        schema = json.loads(command("export", "--schema").out)
        assert list(schema["properties"]) == list(COLUMNS)

    def test_a_row_that_cannot_be_read_is_told_and_costs_no_other(self, command: Command, filled: Path) -> None:
        with closing(sqlite3.connect(filled)) as connection:
            connection.execute("UPDATE tool_invocation SET outcome = 'odd' WHERE session_id = 'a' AND id = '1'")
            connection.commit()
        done = command("export")
        assert (done.code, len(lines_in(done.out))) == (SOME_REFUSED, 4)
        assert done.err.startswith("groundtrace: not exported: tool_invocation row '1' of session 'a'")


class TestLoad:
    def test_a_revealed_export_brings_everything_over_and_exports_the_same(
        self, command: Command, filled: Path
    ) -> None:
        command("export", "out.jsonl", "--reveal-withheld")
        done = command("load", "out.jsonl", "--store", "copy.db")
        assert (done.code, done.out, done.err) == (DONE, "5 stored, 0 conflicts, 0 withheld, 0 refused\n", "")
        assert held(Path("copy.db")) == held(filled)
        command("export", "again.jsonl", "--reveal-withheld", "--store", "copy.db")
        assert Path("again.jsonl").read_bytes() == Path("out.jsonl").read_bytes()

    def test_the_same_file_again_adds_nothing(self, command: Command, filled: Path) -> None:
        command("export", "out.jsonl.gz", "--reveal-withheld")
        for _ in range(2):
            assert command("load", "out.jsonl.gz", "--store", "copy.db").code == DONE
        assert held(Path("copy.db")) == held(filled)

    def test_a_line_without_its_withheld_texts_is_counted_and_does_not_stand_in_the_way(
        self, command: Command, filled: Path
    ) -> None:
        command("export", "part.jsonl")
        done = command("load", "part.jsonl", "--store", "copy.db", "--json")
        assert done.code == SOME_REFUSED
        assert json.loads(done.out) == {"stored": 4, "conflicts": 0, "withheld": 1, "refused": 0}
        assert "export --reveal-withheld" in done.err
        command("export", "whole.jsonl", "--reveal-withheld")
        assert command("load", "whole.jsonl", "--store", "copy.db").code == DONE
        assert held(Path("copy.db")) == held(filled)

    def test_other_content_under_the_same_id_is_told_and_the_first_stays(self, command: Command, filled: Path) -> None:
        command("export", "out.jsonl", "--reveal-withheld")
        changed = [json.dumps({**line, "turn_id": "other"}) for line in lines_in(Path("out.jsonl").read_text("utf-8"))]
        Path("other.jsonl").write_text("\n".join(changed[:4]) + "\n")
        done = command("load", "other.jsonl")
        assert (done.code, done.out) == (SOME_REFUSED, "0 stored, 4 conflicts, 0 withheld, 0 refused\n")
        assert done.err.startswith("groundtrace: other.jsonl line 1: the store has another record under this session")
        assert held(filled)[0] == ROWS

    def test_bad_lines_are_named_and_the_good_ones_kept(self, command: Command, filled: Path) -> None:
        command("export", "out.jsonl", "--reveal-withheld")
        good = Path("out.jsonl").read_text("utf-8").split("\n")[:-1]
        unstorable = json.dumps({**json.loads(good[0]), "id": "nul", "turn_id": "\0"})
        no_json = json.dumps({**json.loads(good[0]), "id": "params", "input_params": "{"})
        Path("bad.jsonl").write_bytes(
            "\n".join([good[0], "{", unstorable, good[1], "", no_json, good[2], good[3], good[4][:-20]]).encode()
            + b"\n\xff\n"
        )
        done = command("load", "bad.jsonl", "--store", "copy.db")
        assert (done.code, done.out) == (SOME_REFUSED, "4 stored, 0 conflicts, 0 withheld, 5 refused\n")
        told = sorted(line.partition(" line ")[2].partition(":")[0] for line in done.err.splitlines())
        assert told == ["10", "2", "3", "6", "9"]
        assert held(Path("copy.db")) == (ROWS, (OPEN,))

    def test_many_bad_lines_are_counted_and_not_all_told(self, command: Command, tmp_path: Path) -> None:
        Path("bad.jsonl").write_text("no\n" * 50)
        done = command("load", "bad.jsonl")
        assert done.out == "0 stored, 0 conflicts, 0 withheld, 50 refused\n"
        assert done.err.count("\n") == 21
        assert "30 more lines were not loaded" in done.err

    def test_standard_input_is_read_plain_and_compressed(self, command: Command, filled: Path, tmp_path: Path) -> None:
        command("export", "out.jsonl", "--reveal-withheld")
        data = Path("out.jsonl").read_bytes()
        for name, stdin in (("one.db", data), ("two.db", gzip.compress(data))):
            done = ran("store", "load", "-", "--store", name, folder=tmp_path, stdin=stdin)
            assert (done.code, done.err) == (DONE, "")
            assert held(Path(name)) == held(filled)

    def test_compressed_data_that_breaks_off_keeps_what_was_read(self, command: Command, filled: Path) -> None:
        command("export", "out.jsonl", "--reveal-withheld")
        Path("cut.gz").write_bytes(gzip.compress(Path("out.jsonl").read_bytes())[:-30])
        done = command("load", "cut.gz", "--store", "copy.db")
        assert done.code == BAD_INPUT
        assert "its compressed data ends or breaks in the middle" in done.err

    def test_loading_can_begin_at_a_line(self, command: Command, filled: Path) -> None:
        command("export", "out.jsonl", "--reveal-withheld")
        assert command("load", "out.jsonl", "--from-line", "4", "--store", "copy.db").out.startswith("2 stored")
        assert held(Path("copy.db"))[0] == ()
        assert command("load", "out.jsonl", "out.jsonl", "--from-line", "2").code == BAD_INPUT

    def test_a_file_that_is_not_there_is_told_before_anything_is_loaded(self, command: Command, filled: Path) -> None:
        command("export", "out.jsonl")
        done = command("load", "out.jsonl", "nowhere.jsonl", "--store", "copy.db")
        assert (done.code, done.err.partition(";")[0]) == (
            BAD_INPUT,
            "groundtrace: nowhere.jsonl: there is no such file",
        )
        assert not Path("copy.db").exists()

    def test_a_folder_is_no_file_of_lines(self, command: Command, tmp_path: Path) -> None:
        Path("folder").mkdir()
        done = command("load", "folder")
        assert (done.code, done.err.count("\n")) == (BAD_INPUT, 1)

    def test_memory_cannot_be_loaded_into(self, command: Command) -> None:
        Path("out.jsonl").write_text("")
        done = command("load", "out.jsonl", "--store", "memory:")
        assert (done.code, done.out) == (UNAVAILABLE, "")
        assert "ends with its command" in done.err
