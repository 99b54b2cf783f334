"""Line numbers are those that a count from the beginning gives, however few lines were counted."""

import asyncio
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.sources import LogAnswer, LogQuery
from groundtrace_adapters.sources.line_counter import LineCounter
from groundtrace_adapters.sources.log_files.source import FileLogSource

LINE = "2026-11-30T16:50:01Z up and running\n"
TRACE = "2026-11-30T16:50:01Z up and running\n\tat shop.Pay(Pay.java:17)\n"

BLOCKS = st.lists(st.text("ab\n", min_size=1, max_size=12).map(str.encode), min_size=1, max_size=12)


@given(
    blocks=BLOCKS,
    asked=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=12),
    known=st.integers(0, 12),
    ahead=st.integers(0, 12),
    packed=st.booleans(),
)
def test_a_line_has_the_number_that_a_count_from_the_beginning_gives(
    *, blocks: list[bytes], asked: list[tuple[int, int]], known: int, ahead: int, packed: bool
) -> None:
    whole = b"".join(blocks)
    counts = [block.count(b"\n") for block in blocks]
    lines = LineCounter(newlines=counts[:known], ahead=ahead)
    lines.again = None if packed else lambda begin, end: whole[begin:end].count(b"\n")
    offset = 0
    for number, block in enumerate(blocks):
        lines.begin(offset)
        for place in sorted(place for one, place in asked if one == number and place < len(block)):
            assert lines.line_at(block, place) == 1 + whole.count(b"\n", 0, offset + place)
        lines.pass_by((block, len(block)))
        offset += len(block)
        assert lines.passed() in {None, whole.count(b"\n", 0, offset)}
        assert lines.newlines == counts[: len(lines.newlines)]


def test_blocks_that_nobody_asks_about_are_not_counted() -> None:
    lines = LineCounter(ahead=1, again=lambda begin, end: end - begin)
    for number in range(3):
        lines.begin(number)
        lines.pass_by((b"\n", 1))
    assert (lines.newlines, lines.passed()) == ([1], None)


def test_a_line_behind_what_nobody_had_the_time_to_count_has_no_number() -> None:
    lines = LineCounter(again=lambda begin, end: None)
    lines.begin(0)
    lines.pass_by((b"a\n", 2))
    lines.begin(2)
    assert lines.line_at(b"b\n", 0) is None


def asked(source: FileLogSource, pattern: str) -> LogAnswer:
    return asyncio.run(source.search(LogQuery(pattern=pattern))).unwrap()


def origins(source: FileLogSource, pattern: str) -> list[str]:
    return [entry.origin for entry in asked(source, pattern).entries]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_a_hit_far_behind_what_was_counted_has_its_line(tmp_path: Path, ending: bytes, begin: bytes) -> None:
    """Twenty megabytes before the first hit, and another hit after it."""
    text = (
        LINE * 600_000 + "2026-11-30T16:50:01Z down at last\n" + TRACE * 100_000 + "2026-11-30T16:50:02Z down again\n"
    )
    (tmp_path / "app.log").write_bytes(begin + text.encode().replace(b"\n", ending))
    source = FileLogSource([tmp_path])
    assert asked(source, "nowhere").scanned_entries is None
    assert origins(source, "down") == ["app.log:600001", "app.log:800002"]
    assert origins(source, "again") == ["app.log:800002"]
    assert origins(FileLogSource([tmp_path]), "again") == ["app.log:800002"]


def test_a_hit_far_into_an_archive_has_its_line(tmp_path: Path) -> None:
    text = LINE * 600_000 + "2026-11-30T16:50:01Z down at last\n"
    (tmp_path / "app.log.gz").write_bytes(gzip.compress(text.encode(), compresslevel=1))
    source = FileLogSource([tmp_path])
    assert asked(source, "nowhere").scanned_entries == 600_001
    assert origins(source, "down") == ["app.log.gz:600001"]


def test_lines_stay_right_while_a_log_grows(tmp_path: Path) -> None:
    source, path, lines = FileLogSource([tmp_path]), tmp_path / "app.log", 0
    for number in range(4):
        with path.open("a") as out:
            out.write(TRACE * 9_000 + f"2026-11-30T16:50:01Z mark {number}\n" + "2026-11-30T16:50:01Z half")
        lines += 18_001
        assert origins(source, f"mark {number}") == [f"app.log:{lines}"]


def test_lines_are_counted_anew_in_a_log_that_was_written_anew(tmp_path: Path) -> None:
    source, path = FileLogSource([tmp_path]), tmp_path / "app.log"
    path.write_text(LINE * 20_000)
    assert origins(source, "nowhere") == []
    with path.open("r+") as out:
        out.truncate()
        out.write(TRACE.replace("up", "on") * 20_000 + "2026-11-30T16:50:01Z mark\n")
    assert origins(source, "mark") == ["app.log:40001"]
