"""Transcript files: the good part of whatever lies there is read, and each bad place is told by its number."""

import bz2
import gzip
import json
import lzma
import os
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts import documents, files
from groundtrace_adapters.transcripts.files import file_at, own_name, pieces_of
from groundtrace_adapters.transcripts.folders import files_at
from groundtrace_adapters.transcripts.lines import json_lines
from groundtrace_adapters.transcripts.pieces import Unread

GOOD = b'{"type":"user","uuid":"u1","message":{"role":"user","content":"hi"}}'
SEPARATED = '{"type":"user","message":{"role":"user","content":"a\u2028b\u0085c"}}'.encode()

# Bytes, good records, bad line numbers (field case F08).
CASES: dict[str, tuple[bytes, int, list[int]]] = {
    "torn tail": (GOOD + b"\n" + GOOD + b'\n{"type":"assistant","mess', 2, [3]),
    "NUL line": (GOOD + b"\n\0\0\0\n" + GOOD + b"\n", 2, [2]),
    "bad in the middle": (GOOD + b"\n{oops\n" + GOOD + b"\n", 2, [2]),
    "bad at first": (b"starting up...\n" + GOOD + b"\n" + GOOD + b"\n", 2, [1]),
    "broken object at first": (b"{oops\n" + GOOD + b"\n", 1, [1]),
    "blank lines and CRLF": (GOOD + b"\r\n\r\n\n" + GOOD + b"\r\n", 2, []),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD + b"\n", 2, []),
    "all bad": (b"{oops\n}{\n", 0, [1, 2]),
    "empty": (b"", 0, []),
    "white space alone": (b" \n\n\t\n", 0, []),
    "scalars": (GOOD + b'\n42\n"x"\nnull\n' + GOOD + b"\n", 2, [2, 3, 4]),
    "separators inside a text": (GOOD + b"\n" + SEPARATED + b"\n" + GOOD + b"\n", 3, []),
    "no newline at the end": (GOOD + b"\n" + GOOD, 2, []),
    "deep": (GOOD + b"\n" + b"[" * 100_000 + b"\n" + GOOD + b"\n", 2, [2]),
    "huge number": (GOOD + b'\n{"n": ' + b"9" * 5_000 + b"}\n", 2, []),
    "text in UTF-16": ((GOOD + b"\n" + GOOD).decode().encode("utf-16"), 2, []),
    "text in UTF-16 without a mark": ((GOOD + b"\n{oops\n" + GOOD).decode().encode("utf-16-le"), 2, [2]),
    "text in UTF-16, the other way round": (GOOD.decode().encode("utf-16-be"), 1, []),
    "half a character of UTF-16": ("{}\n".encode("utf-16") + b"\x00", 1, [2]),
    "text in UTF-32": (GOOD.decode().encode("utf-32"), 1, []),
    "a record separator before each line": (b"\x1e" + GOOD + b"\n\x1e" + GOOD + b"\n", 2, []),
}

Written = Callable[[bytes], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a file."""

    def write(data: bytes) -> Path:
        place = tmp_path / "trace.jsonl"
        place.write_bytes(data)
        return place

    return write


def read(place: Path) -> tuple[list[Record], list[Unread]]:
    pieces = list(pieces_of(file_at(place)))
    return [one for one in pieces if isinstance(one, Record)], [one for one in pieces if isinstance(one, Unread)]


@pytest.mark.parametrize(("data", "good", "bad"), CASES.values(), ids=CASES)
def test_good_lines_are_read_and_bad_ones_told(written: Written, data: bytes, good: int, bad: list[int]) -> None:
    """Field case F08."""
    records, unread = read(written(data))
    assert len(records) == good
    assert [one.line for one in unread if not one.kept] == bad


@pytest.mark.parametrize(("data", "good", "bad"), CASES.values(), ids=CASES)
def test_a_compressed_file_reads_as_the_plain_one(written: Written, data: bytes, good: int, bad: list[int]) -> None:
    records, unread = read(written(gzip.compress(data)))
    assert len(records) == good
    assert [one.line for one in unread if not one.kept] == bad


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, bz2.compress, lzma.compress, lambda data: gzip.compress(bz2.compress(gzip.compress(data)))],
    ids=["gzip", "bzip2", "xz", "three layers"],
)
def test_a_file_is_unpacked_by_what_it_holds_and_a_torn_one_gives_its_good_part(
    written: Written, pack: Callable[[bytes], bytes]
) -> None:
    assert len(read(written(pack(GOOD + b"\n" + GOOD)))[0]) == 2
    records, unread = read(written(pack(GOOD + b"\n" + GOOD)[:-9]))
    assert len(records) <= 2
    assert [one.why for one in unread] == [files.TORN]


def test_what_is_packed_within_torn_data_is_taken_for_no_text(written: Written) -> None:
    for moment in range(100):
        within = bz2.compress(gzip.compress(GOOD + b"\n" + GOOD, mtime=moment))
        records, unread = read(written(gzip.compress(within, mtime=0)[:-9]))
        assert (records, [one.why for one in unread]) == ([], [files.TORN])


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\x28\xb5\x2f\xfd" + b"x" * 40, "zstd"),
        (b"7z\xbc\xaf\x27\x1c" + b"x" * 40, "7-Zip"),
        (gzip.compress(b"a.jsonl".ljust(257, b"\0") + b"ustar" + b"\0" * 300), "tar"),
    ],
)
def test_a_packing_that_is_not_read_is_named(written: Written, data: bytes, name: str) -> None:
    with pytest.raises(OSError, match=name):
        read(written(data))


@pytest.mark.parametrize("between", [b"\n", b"", b" ", b"\r\n\r\n"])
def test_objects_one_behind_another_are_records_each(written: Written, between: bytes) -> None:
    pretty = json.dumps(json.loads(GOOD), indent=2).encode()
    assert len(read(written(between.join([pretty] * 3)))[0]) == 3
    records, unread = read(written(between.join([pretty, b"{oops\n" + pretty, pretty])))
    assert (len(records), [one.why for one in unread]) == (3, ["no JSON"])


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (found,) = files_at(tmp_path / "pipe")
    with pytest.raises(OSError, match="standard input"):
        list(pieces_of(found))
    assert list(files_at(tmp_path)) == []


def test_an_archive_gives_its_json_files_however_their_names_are_written(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        for name, data in (("A.JSON", GOOD), ("b.jsonl.gz", gzip.compress(GOOD)), ("c.json.txt", GOOD), ("json", GOOD)):
            archive.writestr(name, data)
    found = list(files_at(tmp_path))
    assert [one.shown.rpartition(":")[2] for one in found] == ["A.JSON", "b.jsonl.gz"]
    assert [len(list(pieces_of(one))) for one in found] == [1, 1]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_with_any_byte_wrong_is_read_or_told(tmp_path: Path, method: int) -> None:
    place = tmp_path / "run.zip"
    with zipfile.ZipFile(place, "w", method) as archive:
        archive.writestr("\u00e9.json", GOOD)
    whole = place.read_bytes()
    told: Counter[str] = Counter()
    for number in range(len(whole)):
        place.write_bytes(whole[:number] + bytes([whole[number] ^ 0xFF]) + whole[number + 1 :])
        for file in files_at(place):
            try:
                told["read"] += bool(list(pieces_of(file)))
            except OSError as broken:
                told[str(broken.strerror)] += 1
    assert {"read", "a broken archive", "it cannot be unpacked"} <= set(told)


def test_a_line_with_a_byte_that_is_not_utf8_is_read_with_a_replacement(written: Written) -> None:
    """Field case F08, invalid_utf8."""
    records, unread = read(written(GOOD + b'\n{"a": "\xb2"}\n' + GOOD + b"\n"))
    assert [one.value for one in records][1] == {"a": "\ufffd"}
    assert [(one.line, one.kept) for one in unread] == [(2, True)]


def test_a_line_of_20_mb_is_read(written: Written) -> None:
    """Field case F08, line_20mb."""
    records, unread = read(written(GOOD + b'\n{"a": "' + b"x" * 20_000_000 + b'"}\n' + GOOD + b"\n"))
    assert len(records) == 3
    assert unread == []


def test_a_line_beyond_the_bound_is_told_and_passed_over(written: Written) -> None:
    place = written(GOOD + b"\n" + b'{"a": "' + b"x" * 500 + b'"}\n' + GOOD + b"\n")
    with place.open("rb") as stream:
        pieces = list(json_lines(stream, longest=200))
    assert [isinstance(one, Record) for one in pieces] == [True, False, True]
    assert isinstance(pieces[1], Unread)
    assert pieces[1].line == 2


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_gives_its_items_and_an_object_itself(written: Written, indent: int | None) -> None:
    records, unread = read(written(json.dumps([{"a": 1}, 5, {"b": 2}], indent=indent).encode()))
    assert [(one.place, one.value) for one in records] == [("item 1", {"a": 1}), ("item 3", {"b": 2})]
    assert [one.place for one in unread] == ["item 2"]
    whole = {"messages": [{"role": "user"}]}
    assert [one.value for one in read(written(json.dumps(whole, indent=indent).encode()))[0]] == [whole]


def test_the_good_items_of_a_torn_array_are_read(written: Written) -> None:
    records, unread = read(written(b'\xef\xbb\xbf[\n {"a": 1},\n {"b": 2.5},\n {"c": '))
    assert [one.value for one in records] == [{"a": 1}, {"b": 2.5}]
    assert "breaks" in unread[0].why


@pytest.mark.parametrize("opening", [b"[", b'[{"a":', b'[{"role":"user","content":"x"},' + b"["])
def test_an_array_nested_without_an_end_is_told_in_bounded_memory(written: Written, opening: bytes) -> None:
    place = written(opening * 10_000)
    tracemalloc.start()
    records, unread = read(place)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(records) <= 1
    assert [one.line for one in unread] == [None]
    assert most < 40_000_000


def test_an_array_is_streamed_as_it_is_read_whole(tmp_path: Path) -> None:
    place = tmp_path / "many.json"
    values = [{"n": number, "x": 1.5, "t": "\u00e9"} for number in range(1_000)]
    place.write_text(json.dumps(values, indent=1))
    with place.open("rb") as stream:
        streamed = [one.value for one in documents.streamed_items(stream) if isinstance(one, Record)]
    assert streamed == values


def test_a_torn_compressed_file_gives_what_it_holds(written: Written) -> None:
    noise = b"".join(b'{"n": "%d"}\n' % (number * 7_919) for number in range(50_000))
    whole = gzip.compress(noise, compresslevel=1)
    records, unread = read(written(whole[: len(whole) // 2]))
    assert len(records) > 1_000
    assert unread[-1].why == files.TORN


def test_a_file_is_named_after_what_it_holds_wherever_it_lies(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for place, data in (("run.json", GOOD), ("a/run.json.gz", gzip.compress(GOOD)), ("a/run.json", GOOD + b" ")):
        (tmp_path / place).write_bytes(data)
    plain, packed, other = (
        own_name(file_at(tmp_path / place)) for place in ("run.json", "a/run.json.gz", "a/run.json")
    )
    assert plain == packed
    assert plain.startswith("run-")
    assert other != plain


def test_a_folder_gives_its_files_in_order_and_no_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/two.json", "a.json", ".hidden", "b/.git/x", "b/one.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    found = [Path(one.shown).relative_to(tmp_path).as_posix() for one in files_at(tmp_path)]
    assert found == ["a.json", "b/one.json", "b/two.json"]


def test_an_archive_gives_its_json_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/2.json", GOOD + b"\n" + GOOD)
        archive.writestr("header.json", b"{}")
        archive.writestr("notes.txt", b"x")
    found = list(files_at(tmp_path))
    assert [one.shown.removeprefix(str(tmp_path)) for one in found] == [
        "/log.eval:header.json",
        "/log.eval:samples/2.json",
    ]
    assert [isinstance(piece, Record) for piece in pieces_of(found[1])] == [True, True]
    assert own_name(found[1]).startswith("log-2-")


def test_an_archive_that_is_torn_is_an_os_error(tmp_path: Path) -> None:
    place = tmp_path / "log.eval"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", json.dumps(list(range(10_000))))
    whole = place.read_bytes()
    place.write_bytes(whole[:200])
    (tmp_path / "z.json").write_bytes(GOOD)
    torn, good = files_at(tmp_path)
    with pytest.raises(OSError, match="broken archive"):
        list(pieces_of(torn))
    assert [isinstance(piece, Record) for piece in pieces_of(good)] == [True]
    place.write_bytes(whole[:60] + b"\xff" * 200 + whole[260:])
    found, _ = files_at(tmp_path)
    with pytest.raises(OSError, match="unpacked"):
        list(pieces_of(found))


def test_a_file_that_cannot_be_opened_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        list(pieces_of(file_at(tmp_path / "gone")))


@given(st.binary(max_size=200) | st.text(alphabet='[]{}",:0 a\n\\', max_size=60).map(str.encode))
def test_any_bytes_are_read_to_their_end(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    place = tmp_path_factory.getbasetemp() / "any.bin"
    place.write_bytes(data)
    for piece in pieces_of(file_at(place)):
        assert isinstance(piece, Record | Unread)
