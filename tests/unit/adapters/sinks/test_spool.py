"""The spool: what is appended survives, whatever the disk, a crash or another process does (DESIGN section 4)."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns import result
from returns.pipeline import is_successful

from groundtrace.invocation import Invocation
from groundtrace_adapters.sinks.set_aside import SetAside
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.sinks.spool_lines import LONGEST_LINE, UNWRITABLE, line_of, row_of
from groundtrace_testing.records import a_failure, a_knowledge_row, a_row
from groundtrace_testing.spooling import replayed, run, segments

ROWS = [a_row(id="1"), a_failure(id="2"), a_knowledge_row(id="3", output_preview="a\nb\u2028\u2400\U0001f600")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "spool"


def spooled(folder: Path, rows: list[Invocation], /) -> None:
    """Spool rows as a process that then ends."""
    spool = Spool(folder)
    assert spool.append(rows) == result.Success(None)
    spool.close(seconds=1)


class TestLines:
    @pytest.mark.parametrize("row", ROWS, ids=["success", "failure", "knowledge"])
    def test_a_row_is_one_line_of_json_that_reads_back(self, row: Invocation) -> None:
        line = line_of(row)
        assert line.count(b"\n") == 1
        assert set(json.loads(line)) == {"sha256", "row"}
        assert row_of(line) == row

    @given(st.integers(min_value=0), st.integers(min_value=0, max_value=255))
    def test_no_line_with_another_byte_reads_back_as_another_row(self, place: int, byte: int) -> None:
        line = bytearray(line_of(ROWS[0]))
        line[place % len(line)] = byte
        assert row_of(bytes(line)) in {None, ROWS[0]}

    @given(st.integers(min_value=0))
    def test_no_torn_line_reads_back(self, end: int) -> None:
        line = line_of(ROWS[0])
        assert row_of(line[: end % len(line)]) is None

    @given(st.binary())
    def test_any_bytes_are_read_without_a_crash(self, line: bytes) -> None:
        assert row_of(line) is None


class TestReplay:
    def test_what_was_appended_is_replayed_at_the_next_start_and_then_gone(self, folder: Path) -> None:
        spooled(folder, ROWS)
        assert replayed(folder) == ROWS
        assert segments(folder) == []
        assert replayed(folder) == []

    def test_a_spool_replays_what_it_has_just_appended_itself(self, folder: Path) -> None:
        spool = Spool(folder)
        spool.append(ROWS[:1])
        assert spool.next_batch(10) == tuple(ROWS[:1])
        spool.append(ROWS[1:])
        assert spool.next_batch(10) == tuple(ROWS[1:])
        assert spool.next_batch(10) == ()

    def test_a_batch_that_was_not_placed_is_replayed_at_the_next_start(self, folder: Path) -> None:
        spooled(folder, ROWS)
        crashed = Spool(folder)
        assert crashed.next_batch(3) == tuple(ROWS)
        crashed.close(seconds=1)
        assert replayed(folder) == ROWS

    def test_a_segment_of_a_living_process_is_left_alone(self, folder: Path) -> None:
        living = Spool(folder)
        living.append(ROWS)
        assert replayed(folder) == []
        living.close(seconds=1)
        assert replayed(folder) == ROWS

    def test_rows_whose_file_somebody_removed_are_replayed_all_the_same(self, folder: Path) -> None:
        spool = Spool(folder)
        spool.append(ROWS[:1])
        segments(folder)[0].unlink()
        spool.append(ROWS[1:])
        assert sorted(row.id for batch in iter(lambda: spool.next_batch(5), ()) for row in batch) == ["1", "2", "3"]
        spool.close(seconds=1)

    def test_an_empty_or_missing_folder_has_nothing(self, folder: Path) -> None:
        assert replayed(folder) == []
        assert not folder.exists()

    def test_the_files_are_for_their_owner_alone(self, folder: Path) -> None:
        spooled(folder, ROWS)
        assert [oct(path.stat().st_mode & 0o777) for path in (*segments(folder), folder)] == ["0o600", "0o700"]


class TestDamage:
    def test_a_torn_tail_is_cut_set_aside_and_reported(self, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
        spooled(folder, ROWS)
        (segment,) = segments(folder)
        torn = line_of(ROWS[2])[:100]
        segment.write_bytes(segment.read_bytes() + torn)
        assert replayed(folder) == ROWS
        assert SetAside(folder).path.read_bytes() == torn + b"\n"
        assert errors(caplog) == [f"torn or changed lines of the spool, set aside: 1, see {SetAside(folder).path}"]

    def test_a_changed_line_is_set_aside_and_costs_no_other(
        self, folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        spooled(folder, ROWS)
        (segment,) = segments(folder)
        lines = segment.read_bytes().splitlines(keepends=True)
        lines[1] = lines[1].replace(b'"row":', b'"raw":')
        segment.write_bytes(b"".join(lines) + b"\xff\xfe not a line\n\n")
        assert replayed(folder, limit=10) == [ROWS[0], ROWS[2]]
        assert SetAside(folder).path.read_bytes().splitlines() == [lines[1].rstrip(), b"\xff\xfe not a line", b""]
        assert [told.partition(":")[0] for told in errors(caplog)] == ["torn or changed lines of the spool, set aside"]

    def test_a_segment_of_zeros_is_read_in_pieces(self, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
        spooled(folder, ROWS[:1])
        (folder / "rows-zero.jsonl").write_bytes(bytes(9 * 1024 * 1024))
        assert replayed(folder) == ROWS[:1]
        assert segments(folder) == []

    def test_a_half_written_append_leaves_no_trace(self, folder: Path) -> None:
        """The disk is full in the middle of a line: a real limit on the size of files, in a process of its own."""
        told = run(
            folder,
            """
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))
            print(spool.append([rows[0]]))
            print(spool.append(rows * 20).failure().line())
            print(spool.append([rows[1]]))
            """,
        )
        assert told == [
            "<Success: None>",
            f"{folder}: cannot be used (File too large); make room there, or give the rights to write",
            "<Success: None>",
        ]
        assert replayed(folder) == [a_row(id="0"), a_row(id="1")]

    @pytest.mark.parametrize("odd", ["folder", "link", "fifo", "endless"])
    def test_what_is_no_plain_file_is_reported_left_alone_and_holds_nothing_back(
        self, folder: Path, tmp_path: Path, odd: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        spooled(folder, ROWS)
        (tmp_path / "elsewhere").write_bytes(b"not ours\n")
        place = folder / "rows-0.jsonl"
        make: dict[str, Callable[[], None]] = {
            "folder": place.mkdir,
            "link": lambda: place.symlink_to(tmp_path / "elsewhere"),
            "fifo": lambda: os.mkfifo(place),
            "endless": lambda: place.symlink_to("/dev/zero"),
        }
        make[odd]()
        assert replayed(folder) == ROWS
        assert place.is_symlink() or place.exists()
        assert (tmp_path / "elsewhere").read_bytes() == b"not ours\n"
        assert caplog.text.count("rows-0.jsonl in the spool is left alone") == 1

    @pytest.mark.parametrize("instead", ["nothing", "file", "loop"])
    def test_a_folder_that_is_taken_away_costs_no_row_that_was_spooled_before(
        self, folder: Path, tmp_path: Path, instead: str
    ) -> None:
        spool = Spool(folder)
        spool.append(ROWS[:1]).unwrap()
        folder.rename(tmp_path / "away")
        if instead == "file":
            folder.write_text("")
        elif instead == "loop":
            folder.symlink_to(folder)
        assert is_successful(spool.append(ROWS[1:2])) is (instead == "nothing")
        if instead != "nothing":
            folder.unlink()
            spool.append(ROWS[1:2]).unwrap()
        assert [*spool.next_batch(1), *spool.next_batch(1)] == ROWS[:2]
        spool.close(seconds=1)

    def test_a_line_whose_checksum_is_right_and_whose_text_is_none_is_set_aside(self, folder: Path) -> None:
        spooled(folder, ROWS[:1])
        text = b'{"session_id":"\xff"}'
        line = b'{"sha256":"' + hashlib.sha256(text).hexdigest().encode() + b'","row":' + text + b"}\n"
        segment = segments(folder)[0]
        segment.write_bytes(segment.read_bytes() + line)
        assert replayed(folder) == ROWS[:1]
        assert text in (folder / "set-aside.jsonl").read_bytes()

    def test_a_row_that_would_not_be_read_back_is_not_spooled(self, folder: Path) -> None:
        longest = a_row(output_preview="x" * LONGEST_LINE)
        with pytest.raises(UNWRITABLE):
            Spool(folder).append([longest])
        fits = replace(longest, output_preview="x" * (LONGEST_LINE - len(line_of(a_row(output_preview="")))))
        spooled(folder, [fits])
        assert replayed(folder) == [fits]

    @pytest.mark.parametrize("odd", ["folder", "link", "fifo"])
    def test_what_is_to_be_set_aside_is_told_where_its_place_is_no_plain_file(
        self, folder: Path, tmp_path: Path, odd: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        spooled(folder, ROWS)
        segment = segments(folder)[0]
        segment.write_bytes(segment.read_bytes() + b"torn")
        place = folder / "set-aside.jsonl"
        make: dict[str, Callable[[], None]] = {
            "folder": place.mkdir,
            "link": lambda: place.symlink_to(tmp_path / "elsewhere"),
            "fifo": lambda: os.mkfifo(place),
        }
        make[odd]()
        assert replayed(folder) == ROWS
        assert "set aside: 1" in caplog.text
        assert "set-aside.jsonl: cannot be used" in caplog.text
        assert not (tmp_path / "elsewhere").exists()


class TestBounds:
    def test_a_full_spool_says_so_and_keeps_what_it_has(self, folder: Path) -> None:
        spool = Spool(folder, most_bytes=4_000)
        refused = next(answer for _ in range(20) if not is_successful(answer := spool.append(ROWS[:1])))
        spool.close(seconds=1)
        assert refused.failure().line() == (
            f"{folder}: would hold more than its 4000 bytes; bring the store back, or allow a larger spool"
        )
        size = sum(path.stat().st_size for path in segments(folder))
        assert 0 < size <= 4_000
        assert size == len(replayed(folder)) * len(line_of(ROWS[0]))

    def test_the_bound_is_one_for_all_processes_that_share_the_folder(self, folder: Path) -> None:
        room = len(line_of(ROWS[0])) * 3
        one, other = Spool(folder, most_bytes=room), Spool(folder, most_bytes=room)
        answers = [is_successful(spool.append(ROWS[:1])) for spool in (one, other, one, other)]
        assert answers == [True, True, True, False]

    def test_a_folder_that_cannot_be_made_is_a_clear_problem(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        told = Spool(tmp_path / "file" / "spool").append(ROWS).failure().line()
        assert told.startswith(f"{tmp_path}/file/spool: cannot be used (Not a directory)")

    def test_what_is_set_aside_is_bounded_too(self, folder: Path) -> None:
        aside = SetAside(folder, most_bytes=10)
        assert is_successful(aside.keep([b"12345"]))
        assert aside.keep([b"12345"]).failure().mend == "look at it and move it away"
        assert aside.path.read_bytes() == b"12345\n"


class TestLock:
    def test_the_lock_is_the_sign_of_life(self, folder: Path) -> None:
        spooled(folder, ROWS)
        (segment,) = segments(folder)
        with locked(segment):
            assert replayed(folder) == []
        assert replayed(folder) == ROWS


@contextmanager
def locked(path: Path, /) -> Iterator[None]:
    """Hold the lock of a file, as another process would."""
    with path.open("rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [entry.getMessage() for entry in caplog.records if entry.levelno >= logging.ERROR]
