"""`record`: calls as JSON lines from any language; each bad line is named and counted, the rest is kept."""

import json
import sqlite3
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from uuid import UUID

import pytest

from groundtrace_app.cli import run
from groundtrace_app.cli.record import lines_of as numbered
from groundtrace_app.cli.record import record_lines
from groundtrace_testing.command import Ran, command, environment, line_of, lines_of, ran
from groundtrace_testing.stores import locked

DONE, SOME_REFUSED, BAD_INPUT, UNAVAILABLE = 0, 1, 2, 3


Record = Callable[[bytes], Ran]


@pytest.fixture
def record(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Record:
    """Records what standard input would give, into the store of this test."""

    def recorded(stdin: bytes) -> Ran:
        capfd.readouterr()
        code = record_lines(BytesIO(stdin), flags={"store": str(tmp_path / "t.db")})
        out, err = capfd.readouterr()
        return Ran(code=code, out=out, err=err)

    return recorded


def calls_in(folder: Path) -> Sequence[tuple[object, ...]]:
    connection = sqlite3.connect(folder / "t.db")
    try:
        return connection.execute("SELECT id, outcome, reason FROM tool_invocation ORDER BY id").fetchall()
    finally:
        connection.close()


def test_each_outcome_is_recorded_as_it_was_told(record: Record, tmp_path: Path) -> None:
    lines = lines_of(
        line_of("a"),
        line_of("b", output=None, outcome={"kind": "no_evidence", "reason": "no_match"}),
        line_of("c", output=None, outcome={"kind": "deduped", "reason": "same_query", "of": ["a"]}),
        line_of("d", output=None, outcome={"kind": "failure", "reason": "timeout", "message": "no answer"}),
    )
    done = record(lines)
    assert (done.code, done.out, done.err) == (DONE, "4 stored, 0 spooled, 0 refused\n", "")
    assert calls_in(tmp_path) == [
        ("a", "success", None),
        ("b", "no_evidence", "no_match"),
        ("c", "deduped", "same_query"),
        ("d", "failure", "timeout"),
    ]


def test_the_same_input_twice_adds_nothing(record: Record, tmp_path: Path) -> None:
    lines = lines_of(line_of("a"), line_of("b"))
    for _ in range(2):
        assert record(lines).code == DONE
    assert [call[0] for call in calls_in(tmp_path)] == ["a", "b"]


def test_a_call_without_an_id_gets_one_of_its_own_time(record: Record, tmp_path: Path) -> None:
    """So that old calls lie with those of their time, where a store is cut by the month."""
    lines = lines_of(*(line_of(None, started_at=f"{year}-03-04T12:00:00Z") for year in (2031, 2024, 2024, 2024)))
    assert record(lines).out == "4 stored, 0 spooled, 0 refused\n"
    ids = [UUID(str(call[0])) for call in calls_in(tmp_path)]
    years = [datetime.fromtimestamp((id.int >> 80) / 1_000, tz=UTC).year for id in ids]
    assert years == [2024, 2024, 2024, 2031]


def test_the_same_id_with_other_content_is_refused_and_the_first_stays(record: Record, tmp_path: Path) -> None:
    record(lines_of(line_of("a")))
    done = record(lines_of(line_of("a", output="something else"), line_of("b")))
    assert (done.code, done.out) == (SOME_REFUSED, "1 stored, 0 spooled, 1 refused\n")
    assert done.err.startswith("groundtrace: call a: not stored: id_conflict; ")
    assert "give this one another id" in done.err


def test_bad_lines_are_named_and_the_good_ones_kept(record: Record, tmp_path: Path) -> None:
    lines = lines_of(
        line_of("a"),
        line_of("b", outcme={"kind": "success"}),
        line_of("c")[:40],
        "",
        "null",
        line_of("d", started_at="2026-05-04T10:00:00"),
        line_of("e", outcome={"kind": "success", "support": "STRONG"}),
        line_of("f"),
    )
    done = record(lines)
    assert (done.code, done.out) == (SOME_REFUSED, "2 stored, 0 spooled, 5 refused\n")
    assert [line.split(":")[1].split(",")[0] for line in done.err.splitlines()] == [
        f" line {number}" for number in (2, 3, 5, 6, 7)
    ]
    assert "outcme" in done.err.splitlines()[0]
    assert all(line.startswith("groundtrace: ") and "--schema" in line for line in done.err.splitlines())


def test_an_object_over_several_lines_is_told_to_stand_on_one(record: Record) -> None:
    done = record(json.dumps(json.loads(line_of("a")), indent=2).encode())
    first, *_ = done.err.splitlines()
    assert "line 1, column 2: this is no JSON" in first
    assert "it does not end on this line; write one object a line" in first


def test_values_of_a_refused_line_are_not_repeated(record: Record, tmp_path: Path) -> None:
    done = record(lines_of(line_of("a", outcome={"kind": "success", "token": "sk-live-12345"})))
    assert "sk-live" not in done.out + done.err


@pytest.mark.parametrize(
    ("stdin", "refused"),
    [
        (b"", 0),
        (b"\n \n\t\n", 0),
        (bytes(range(256)), 2),
        (b"\x00" * 4_000, 1),
        (b"{" * 50_000, 1),
    ],
    ids=["nothing", "blank-lines", "binary", "nul", "deep"],
)
def test_what_is_no_line_at_all_is_counted_and_breaks_nothing(
    record: Record, tmp_path: Path, stdin: bytes, refused: int
) -> None:
    done = record(stdin)
    assert (done.code, done.out) == (SOME_REFUSED if refused else DONE, f"0 stored, 0 spooled, {refused} refused\n")
    assert "Traceback" not in done.err


def test_a_byte_order_mark_and_line_ends_of_windows_are_no_part_of_a_line(record: Record, tmp_path: Path) -> None:
    done = record(f"\ufeff{line_of('a')}\r\n{line_of('b')}".encode())
    assert done.out == "2 stored, 0 spooled, 0 refused\n"


def test_a_line_that_is_too_long_is_skipped_and_not_held() -> None:
    source = BytesIO(b"1234\n" + b"x" * 25 + b"\n5678\n" + b"y" * 10)
    assert list(numbered(source, longest=10)) == [(1, b"1234\n"), (2, None), (3, b"5678\n"), (4, None)]


def test_many_bad_lines_are_told_by_twenty_and_a_number(record: Record, tmp_path: Path) -> None:
    done = record(b"x\n" * 500)
    assert len(done.err.splitlines()) == 21
    assert "480 more lines were refused" in done.err
    assert "1 more line was refused" in record(b"x\n" * 21).err
    many = record(b"x\n" * 1_520)
    assert many.out == "0 stored, 0 spooled, 1,520 refused\n"
    assert "1,500 more lines were refused" in many.err


def test_a_standard_input_that_is_closed_is_bad_input(tmp_path: Path) -> None:
    words = ["sh", "-c", 'exec "$@" <&-', "sh", *command("record", "--store", "t.db")]
    done = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, check=False)
    assert done.returncode == BAD_INPUT
    assert done.stderr == b"groundtrace: standard input: it is closed; give calls, one JSON object a line\n"


def test_the_schema_describes_a_line_that_is_accepted(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["record", "--schema"]) == DONE
    schema = json.loads(capfd.readouterr().out)
    assert set(json.loads(line_of("a"))) <= set(schema["properties"])
    assert schema["additionalProperties"] is False


def test_calls_that_no_store_takes_are_spooled_and_the_next_command_stores_them(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The store's folder is not mounted yet."""
    away = tmp_path / "mount"
    flags = {"store": str(away / "t.db"), "spool": str(tmp_path / "spool")}
    assert record_lines(BytesIO(lines_of(line_of("a"), line_of("b"))), flags=flags) == UNAVAILABLE
    out, err = capfd.readouterr()
    assert out == "0 stored, 2 spooled, 0 refused\n"
    assert str(tmp_path / "spool") in err
    away.mkdir()
    assert record_lines(BytesIO(lines_of(line_of("c"))), flags=flags) == DONE
    assert capfd.readouterr().out == "1 stored, 0 spooled, 0 refused\n"
    assert [call[0] for call in calls_in(away)] == ["a", "b", "c"]
    assert not list((tmp_path / "spool").glob("rows-*"))


def test_calls_that_a_locked_store_does_not_take_are_spooled(record: Record, tmp_path: Path) -> None:
    record(lines_of(line_of("a")))
    holder = locked(tmp_path / "t.db")
    done = record(lines_of(line_of("b")))
    holder.close()
    assert (done.code, done.out) == (UNAVAILABLE, "0 stored, 1 spooled, 0 refused\n")
    assert "t.db.spool" in done.err


def test_another_program_records_through_a_pipe(tmp_path: Path) -> None:
    done = ran("record", "--store", "t.db", "--json", folder=tmp_path, stdin=lines_of(line_of("a"), "half"))
    assert (done.code, json.loads(done.out)) == (SOME_REFUSED, {"stored": 1, "spooled": 0, "refused": 1})
    assert [call[0] for call in calls_in(tmp_path)] == ["a"]


def test_secrets_of_a_recorded_call_are_not_stored(record: Record, tmp_path: Path) -> None:
    record(lines_of(line_of("a", input_params={"headers": {"Authorization": "Bearer abcdef0123456789"}})))
    assert b"abcdef0123456789" not in (tmp_path / "t.db").read_bytes()
