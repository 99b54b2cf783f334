"""Log files as they are found: broken, cut off, huge, half-written; what is not seen is always told."""

import asyncio
import csv
import gzip
import io
import json
import os
import tracemalloc
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from returns.pipeline import is_successful

from groundtrace.outcomes import FailureKind
from groundtrace.sources import LogAnswer, LogQuery
from groundtrace_adapters.sources.log_files.budget import LogBounds
from groundtrace_adapters.sources.log_files.formats import LogFormat, LogKind
from groundtrace_adapters.sources.log_files.source import FileLogSource

MEGABYTE = 1024 * 1024


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-30T{clock}").replace(tzinfo=UTC)


def ask(source: FileLogSource, query: LogQuery | None = None) -> LogAnswer:
    return asyncio.run(source.search(query or LogQuery())).unwrap()


def texts(answer: LogAnswer) -> list[str]:
    return [entry.text for entry in answer.entries]


def written(folder: Path, content: str | bytes, name: str = "app.log") -> FileLogSource:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return FileLogSource([folder])


# Broken files


def test_broken_files_are_named_and_the_others_are_used(tmp_path: Path) -> None:
    (tmp_path / "core.bin").write_bytes(bytes(4096))
    (tmp_path / "windows.log").write_bytes("2026-11-30 disk full\n".encode("utf-16"))
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    answer = ask(written(tmp_path, "2026-11-30T16:50:01Z started\n"))
    assert texts(answer) == ["2026-11-30T16:50:01Z started"]
    (told,) = answer.unseen
    assert told.startswith("3 of 4 files could not be read: ")
    assert all(name in told for name in ("core.bin", "windows.log", "table.csv"))


def test_many_broken_files_are_counted_and_five_are_named(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.bin").write_bytes(bytes(64))
    (told,) = ask(written(tmp_path, "started\n")).unseen
    assert told.startswith("9 of 10 files could not be read: ")
    assert told.endswith(" and 4 more")


def test_a_source_of_broken_files_alone_is_an_error(tmp_path: Path) -> None:
    answer = asyncio.run(written(tmp_path, bytes(64), "core.bin").search(LogQuery()))
    assert not is_successful(answer)
    assert answer.failure().kind is FailureKind.UNAVAILABLE
    assert "core.bin" in answer.failure().message


def test_a_missing_path_is_an_error_that_says_how_to_mend_it(tmp_path: Path) -> None:
    source = FileLogSource([tmp_path / "absent"])
    for answer in (asyncio.run(source.search(LogQuery())), asyncio.run(source.describe())):
        assert not is_successful(answer)
        error = answer.failure()
        assert error.kind is FailureKind.UNAVAILABLE
        assert "absent" in error.message
        assert "correct the path" in error.message


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    answer = ask(FileLogSource([tmp_path]))
    assert answer.entries == ()
    assert answer.unseen == ("there are no log files",)


@pytest.mark.parametrize("name", ["app.log", "app.jsonl", "app.csv"])
def test_an_empty_file_has_no_entries(tmp_path: Path, name: str) -> None:
    assert ask(written(tmp_path, b"", name)).entries == ()


@pytest.mark.parametrize("lost", [1, 9, 2_000])
def test_a_truncated_archive_is_used_as_far_as_it_can_be_unpacked(tmp_path: Path, lost: int) -> None:
    lines = "".join(
        f"2026-11-30T16:{at // 60 % 60:02}:{at % 60:02}Z step {at} {os.urandom(9).hex()}\n" for at in range(3_000)
    )
    answer = ask(written(tmp_path, gzip.compress(lines.encode())[:-lost], "app.log.gz"))
    assert "step 0 " in answer.entries[0].text
    assert any("app.log.gz: the archive is" in told and "bytes could be unpacked" in told for told in answer.unseen)


def test_a_damaged_archive_is_told_and_does_not_raise(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(os.urandom(200_000).hex().encode()))
    packed[60_000:60_100] = bytes(100)
    (told,) = ask(written(tmp_path, bytes(packed), "app.log.gz"), LogQuery(pattern="never")).unseen
    assert told.startswith("app.log.gz: the archive is ")


def test_an_archive_is_known_by_its_content_too(tmp_path: Path) -> None:
    packed = gzip.compress(b"first\n") + gzip.compress(b"second\n")
    assert texts(ask(written(tmp_path, packed, "app.log.1"))) == ["first", "second"]


def test_links_in_a_circle_are_followed_once(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "other.log").symlink_to(tmp_path / "app.log")
    (tmp_path / "broken.log").symlink_to(tmp_path / "nowhere")
    answer = ask(written(tmp_path, "started\n"))
    assert texts(answer) == ["started"]
    assert answer.unseen == ("broken.log could not be read (No such file or directory)",)


def test_hidden_files_and_pipes_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "log").write_text("hidden\n")
    os.mkfifo(tmp_path / "pipe")
    answer = ask(written(tmp_path, "started\n"))
    assert texts(answer) == ["started"]
    assert answer.unseen == ("pipe is no regular file and was not read",)


# Bytes


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"\xef\xbb\xbffirst\r\nsecond\r\n", ["first", "second"]),
        (b"first\nsecond", ["first", "second"]),
        (b"\n\nfirst\n\n\nsecond\n\n", ["first", "second"]),
        (b"fir\0st\n", ["fir\u2400st"]),
        (b"caf\xe9 closed\n", ["caf\ufffd closed"]),
        ("caf\u00e9 \U0001f525\n".encode(), ["caf\u00e9 \U0001f525"]),
        (b"\xed\xa0\x80 half\n", ["\ufffd\ufffd\ufffd half"]),
    ],
    ids=["bom-crlf", "no-end", "blank-lines", "nul", "latin-1", "utf-8", "surrogate"],
)
def test_unusual_bytes_are_read_or_replaced_visibly(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    answer = ask(written(tmp_path, content))
    assert texts(answer) == lines
    assert answer.unseen == ()
    assert texts(ask(written(tmp_path, content), LogQuery(pattern=lines[0]))) == lines[:1]


def test_a_line_beyond_a_block_is_searched_in_its_beginning_and_told(tmp_path: Path) -> None:
    giant = b"2026-11-30T16:50:02Z begin " + b"x" * (5 * MEGABYTE) + b" finish\n"
    source = written(tmp_path, b"2026-11-30T16:50:01Z one\n" + giant + b"2026-11-30T16:50:03Z three\n")
    answer = ask(source)
    assert [entry.at for entry in answer.entries] == [at("16:50:01"), at("16:50:02"), at("16:50:03")]
    assert [entry.origin for entry in answer.entries] == ["app.log:1", "app.log:2", "app.log:3"]
    assert max(len(entry.text) for entry in answer.entries) < 40_000
    assert any("1 entries of app.log are longer than 1,048,576 bytes" in told for told in answer.unseen)
    hidden = ask(source, LogQuery(pattern=" finish"))
    assert hidden.entries == ()
    assert hidden.unseen


def test_the_hit_in_a_long_entry_is_shown(tmp_path: Path) -> None:
    line = "head " + "y" * 300_000 + " needle " + "z" * 300_000
    answer = ask(written(tmp_path, line), LogQuery(pattern="needle"))
    (entry,) = answer.entries
    assert entry.text.startswith("head ")
    assert " needle " in entry.text
    assert "bytes left out" in entry.text
    assert answer.unseen == ("1 long entries are shown in part, the gaps are marked",)


def test_memory_does_not_grow_with_a_file(tmp_path: Path) -> None:
    with (tmp_path / "app.log").open("wb") as out:
        for _ in range(40):
            out.write(b"2026-11-30T16:50:01Z padding padding padding padding\n" * 20_000)
    tracemalloc.start()
    ask(FileLogSource([tmp_path]), LogQuery(pattern="never"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MEGABYTE


# Entries of plain text


STACK = """2026-11-30 16:50:01,123 ERROR app=pay charge failed
java.lang.IllegalStateException: no card
\tat shop.Pay.charge(Pay.java:17)

Caused by: java.io.IOException: reset
\t... 12 more
2026-11-30 16:50:02,000 INFO app=pay retry
"""

TRACEBACK = """worker started
Traceback (most recent call last):
  File "job.py", line 3, in run
    charge()
ValueError: no card
worker stopped
"""


def test_in_a_stamped_file_what_shows_no_time_belongs_to_the_entry_above(tmp_path: Path) -> None:
    first, second = ask(written(tmp_path, STACK)).entries
    assert first.text.endswith("... 12 more")
    assert first.at == at("16:50:01.123")
    assert (second.text, second.origin) == ("2026-11-30 16:50:02,000 INFO app=pay retry", "app.log:7")


def test_without_stamps_indentation_and_tracebacks_hold_entries_together(tmp_path: Path) -> None:
    started, failed, stopped = texts(ask(written(tmp_path, TRACEBACK)))
    assert (started, stopped) == ("worker started", "worker stopped")
    assert failed.splitlines()[-1] == "ValueError: no card"
    assert texts(ask(written(tmp_path, TRACEBACK), LogQuery(pattern="no card"))) == [failed]


def test_entries_are_whole_wherever_a_block_ends(tmp_path: Path) -> None:
    entry = "2026-11-30T16:50:01Z ERROR failed\n" + "".join(f"  at frame {number}\n" for number in range(50))
    count = 3 * MEGABYTE // len(entry)
    answer = ask(written(tmp_path, entry * count), LogQuery(pattern="frame 49", limit=1_000))
    assert {one.text for one in answer.entries} == {entry.strip()}
    assert "more entries match" in answer.unseen[0]
    assert f"{count - 1_000:,} more" in answer.unseen[0]
    assert answer.entries[-1].origin == f"app.log:{999 * 51 + 1}"


def test_a_postgres_log_gives_fields_and_keeps_its_details(tmp_path: Path) -> None:
    content = (
        "2026-11-30 16:50:01.123 UTC [123] app=checkout user=shop db=orders ERROR:  deadlock detected\n"
        "2026-11-30 16:50:01.123 UTC [123] app=checkout user=shop db=orders DETAIL:  Process 1 waits\n"
        "\tProcess 2 waits\n"
    )
    error, detail = ask(written(tmp_path, content)).entries
    assert error.fields == {"app": "checkout", "user": "shop", "db": "orders"}
    assert error.at == at("16:50:01.123")
    assert detail.text.endswith("Process 2 waits")


def test_pairs_in_quotes_are_fields_and_the_first_of_a_key_counts(tmp_path: Path) -> None:
    line = 'time=2026-11-30T16:50:01Z level=warn msg="disk \\"sdb\\" full" url=http://x/?q=1 level=info pod=[a]\n'
    (entry,) = ask(written(tmp_path, line)).entries
    assert entry.fields["level"] == "warn"
    assert entry.fields["msg"] == 'disk "sdb" full'
    assert entry.fields["url"] == "http://x/?q=1"
    assert "q" not in entry.fields
    assert entry.at == at("16:50:01")


def test_a_field_in_quotes_can_be_asked_for(tmp_path: Path) -> None:
    source = written(tmp_path, 'app="a b" one\napp="a \\"b\\"" two\n')
    assert texts(ask(source, LogQuery(fields={"app": "a b"}))) == ['app="a b" one']
    assert texts(ask(source, LogQuery(fields={"app": 'a "b"'}))) == ['app="a \\"b\\"" two']


def test_a_syslog_line_names_host_and_program_and_is_in_the_year_of_its_file(tmp_path: Path) -> None:
    source = written(tmp_path, "Dec 31 23:59:58 web1 nginx[7]: closing\nJan  1 00:00:02 web1 nginx[7]: up\n", "syslog")
    os.utime(tmp_path / "syslog", (datetime(2027, 1, 1, 0, 5, tzinfo=UTC).timestamp(),) * 2)
    first, second = ask(source).entries
    assert first.at == datetime(2026, 12, 31, 23, 59, 58, tzinfo=UTC)
    assert second.at == datetime(2027, 1, 1, 0, 0, 2, tzinfo=UTC)
    assert first.fields == {"host": "web1", "app": "nginx"}


def test_times_without_a_zone_are_in_the_zone_of_the_setting(tmp_path: Path) -> None:
    written(tmp_path, "2026-11-30 16:50:01 up\n2026-11-30 16:50:01 +0000 up\n")
    east = FileLogSource([tmp_path], zone=timezone(timedelta(hours=8)))
    assert [entry.at for entry in ask(east).entries] == [at("08:50:01"), at("16:50:01")]


def test_entries_without_a_time_are_in_no_window_and_told(tmp_path: Path) -> None:
    source = written(tmp_path, "starting up\n2026-11-30T16:50:01Z up\n")
    assert texts(ask(source)) == ["2026-11-30T16:50:01Z up", "starting up"]
    windowed = ask(source, LogQuery(pattern="up", start=at("16:00:00")))
    assert texts(windowed) == ["2026-11-30T16:50:01Z up"]
    assert windowed.unseen[0].startswith("1 matching entries show no time")
    assert ask(source, LogQuery(pattern="Z up", start=at("16:00:00"))).unseen == ()


def test_a_folder_is_read_in_the_order_of_time_and_not_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("2026-11-30T16:50:03Z third\n2026-11-30T16:50:01Z first\n")
    (tmp_path / "b.log").write_text("2026-11-30T16:50:02Z second\n2026-11-30T16:50:02Z second again\n")
    source = FileLogSource([tmp_path])
    assert [text.partition(" ")[2] for text in texts(ask(source))] == ["first", "second", "second again", "third"]
    newest = ask(source, LogQuery(newest_first=True, limit=2))
    assert [text.partition(" ")[2] for text in texts(newest)] == ["third", "second again"]


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for pod in ("api-0", "api-1"):
        (tmp_path / pod).mkdir()
        (tmp_path / pod / "0.log").write_text("2026-11-30T16:50:01Z up\n")
    answer = ask(written(tmp_path, "2026-11-30T16:50:00Z up\n"))
    assert [entry.origin for entry in answer.entries] == ["app.log:1", "api-0/0.log:1", "api-1/0.log:1"]


# Records


def test_half_written_json_lines_are_entries_but_in_no_window(tmp_path: Path) -> None:
    lines = '{"ts": "2026-11-30T16:50:01Z", "msg": "up"}\n{"ts": "2026-11-30T16:50:02Z", "msg": "up ag'
    source = written(tmp_path, lines, "app.jsonl")
    assert len(ask(source).entries) == 2
    windowed = ask(source, LogQuery(pattern="up", start=at("16:00:00")))
    assert texts(windowed) == ["up"]
    assert windowed.unseen[0].startswith("1 lines of app.jsonl match but are no whole JSON object")
    assert ask(source, LogQuery(pattern="down", start=at("16:00:00"))).unseen == ()


@pytest.mark.parametrize("first", ['": 1, "msg": "cut"}', "", "Starting up"])
def test_a_file_of_objects_is_known_as_such_whatever_its_first_line_is(tmp_path: Path, first: str) -> None:
    lines = '{"ts": "2026-11-30T16:50:01Z", "msg": "up"}\n' * 3
    answer = ask(written(tmp_path, f"{first}\n{lines}"), LogQuery(pattern="up", start=at("16:50:00")))
    assert texts(answer) == ["up"] * 3


def test_a_name_says_that_lines_are_objects(tmp_path: Path) -> None:
    lines = '{"msg": "' + "x" * 100_000 + '"}\n{"ts": "2026-11-30T16:50:01Z", "msg": "up"}\n'
    assert texts(ask(written(tmp_path, lines, "app.ndjson"), LogQuery(end=at("17:00:00")))) == ["up"]


@pytest.mark.parametrize("line", ["[1, 2]", "17", "{" * 100_000, '{"a":' * 5_000, '"text"', "{'a': 1}"])
def test_lines_that_are_no_objects_are_plain_entries(tmp_path: Path, line: str) -> None:
    source = written(tmp_path, f'{{"msg": "up"}}\n{line}\n', "app.jsonl")
    assert len(ask(source).entries) == 2


def test_an_escaped_character_does_not_hide_an_entry(tmp_path: Path) -> None:
    line = '{"msg": "caf\\u00e9 \\u0063losed", "x": "\\ud83d"}\n'
    source = written(tmp_path, '{"msg": "open"}\n' + line, "app.jsonl")
    assert texts(ask(source, LogQuery(pattern="caf\u00e9 closed"))) == ["caf\u00e9 closed"]
    assert texts(ask(source, LogQuery(pattern="clos+ed$", regex=True))) == ["caf\u00e9 closed"]


def test_an_object_without_a_text_is_shown_as_it_stands(tmp_path: Path) -> None:
    line = '{"time": 1796057401.5, "count": 0, "ok": false, "none": null, "tags": ["a"]}'
    (entry,) = ask(written(tmp_path, f"{line}\n", "app.jsonl")).entries
    assert entry.text == line
    assert entry.at == datetime.fromtimestamp(1796057401.5, UTC)
    assert entry.fields == {"count": "0", "ok": "false", "tags": '["a"]'}


def test_a_pattern_is_found_in_the_fields_of_a_record_too(tmp_path: Path) -> None:
    lines = '{"level": "ERROR", "msg": "no card"}\n{"level": "INFO", "msg": "up"}\n'
    assert texts(ask(written(tmp_path, lines, "app.jsonl"), LogQuery(pattern="ERROR"))) == ["no card"]


def test_a_runtime_log_of_json_lines_is_opened_once(tmp_path: Path) -> None:
    inner = json.dumps({"severity": "WARN", "message": "slow", "time": "2020-01-01T00:00:00Z"})
    line = json.dumps({"log": f"{inner}\n", "stream": "stdout", "time": "2026-11-30T16:50:01.5Z"})
    (entry,) = ask(written(tmp_path, f"{line}\n")).entries
    assert (entry.text, entry.at) == ("slow", at("16:50:01.5"))
    assert entry.fields == {"level": "WARN", "stream": "stdout"}


def test_the_column_of_times_decides_over_a_time_inside(tmp_path: Path) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Timestamp", "TimeUnixNano", "PodName", "Log"])
    inner = json.dumps({"log": "00:50:01.123 INFO up\n", "time": "2026-12-01T00:50:01"})
    writer.writerow(["2026-11-30T16:50:01.123456789Z", "1796057401123456789", "api-0", inner])
    (entry,) = ask(written(tmp_path, out.getvalue(), "pods.csv")).entries
    assert (entry.text, entry.at) == ("00:50:01.123 INFO up", at("16:50:01.123456"))
    assert entry.fields["pod"] == "api-0"


def test_origins_count_the_lines_of_quoted_records(tmp_path: Path) -> None:
    content = 'time,message\r\n2026-11-30T16:50:01Z,"two\r\nlines"\r\n2026-11-30T16:50:02Z,one\r\n'
    first, second = ask(written(tmp_path, content, "app.csv")).entries
    assert (first.text, first.origin) == ("two\nlines", "app.csv:2")
    assert (second.text, second.origin) == ("one", "app.csv:4")


def test_records_that_are_no_csv_are_counted(tmp_path: Path) -> None:
    content = "time,message\n2026-11-30T16:50:01Z," + "x" * 200_000 + "\n2026-11-30T16:50:02Z,up\n"
    answer = ask(written(tmp_path, content, "app.csv"))
    assert texts(answer) == ["up"]
    assert answer.unseen == ("1 records of app.csv are no valid CSV and were not read",)


def test_a_column_that_a_setting_names_must_be_there(tmp_path: Path) -> None:
    written(tmp_path, "when,what\n2026-11-30T16:50:01Z,up\n", "app.csv")
    good = LogFormat(kind=LogKind.CSV, time_field="when", text_field="what")
    assert texts(ask(FileLogSource([tmp_path], log_format=good))) == ["up"]
    bad = FileLogSource([tmp_path], log_format=LogFormat(kind=LogKind.CSV, text_field="Log"))
    assert "no column 'Log'" in asyncio.run(bad.search(LogQuery())).failure().message


# Bounds


def test_a_bound_on_bytes_is_told_and_leaves_the_rest_unseen(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text("late\n")
    written(tmp_path, "early\n" * (MEGABYTE // 2), "a.log")
    bounded = FileLogSource([tmp_path], bounds=LogBounds(unpacked_bytes=MEGABYTE))
    answer = ask(bounded, LogQuery(pattern="late"))
    assert answer.entries == ()
    assert answer.unseen == ("the search stopped after 1,048,576 bytes: 0 of 2 files were read to their end",)


@pytest.mark.parametrize("pattern", [None, "(e|early)+.*$", "early"])
def test_a_bound_on_time_is_told(tmp_path: Path, pattern: str | None) -> None:
    written(tmp_path, "early\n" * MEGABYTE)
    bounded = FileLogSource([tmp_path], bounds=LogBounds(seconds=0.0))
    answer = ask(bounded, LogQuery(pattern=pattern, regex=True))
    assert any("stopped after 0 s" in told for told in answer.unseen)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+b", "(?s)a.*a.*a.*a.*b", "[^b]*b", "a?" * 500 + "b"])
def test_no_expression_outlives_the_bound_on_time(tmp_path: Path, pattern: str) -> None:
    written(tmp_path, ("a" * 60 + "\n") * 50_000)
    bounded = FileLogSource([tmp_path], bounds=LogBounds(seconds=1.0))
    started = datetime.now(UTC)
    ask(bounded, LogQuery(pattern=pattern, regex=True))
    assert datetime.now(UTC) - started < timedelta(seconds=10)


@pytest.mark.parametrize("pattern", [None, "up", "up (now|then)"])
def test_far_beyond_the_limit_not_all_are_counted_and_the_answer_stays_right(
    tmp_path: Path, pattern: str | None
) -> None:
    lines = [f"2026-11-30T16:{at // 1_000:02}:{at // 20 % 50:02}Z up now {at}\n" for at in range(40_000)]
    written(tmp_path, "".join(lines) + "2026-11-30T15:00:00Z up now late\n", "a.log")
    source = written(tmp_path, "".join(lines), "b.log")
    answer = ask(source, LogQuery(pattern=pattern, regex=True, limit=3))
    assert [text.split()[-1] for text in texts(answer)] == ["late", "0", "1"]
    (told,) = answer.unseen
    number = int(told.split("at least ")[1].split()[0].replace(",", ""))
    assert 10_000 <= number <= 79_998
    newest = ask(source, LogQuery(pattern=pattern, regex=True, limit=2, newest_first=True))
    assert [entry.origin for entry in newest.entries] == ["b.log:40000", "b.log:39999"]


def test_a_cancelled_search_stops_reading(tmp_path: Path) -> None:
    written(tmp_path, "2026-11-30T16:50:01Z early\n" * 400_000)

    async def cancelled() -> timedelta:
        started = datetime.now(UTC)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await FileLogSource([tmp_path]).search(LogQuery())
        return datetime.now(UTC) - started

    assert asyncio.run(cancelled()) < timedelta(seconds=1)


def test_an_answer_is_bounded_in_size(tmp_path: Path) -> None:
    written(tmp_path, (f"{'x' * 30_000}\n") * 200)
    answer = ask(FileLogSource([tmp_path]), LogQuery(limit=200))
    assert sum(len(entry.text) for entry in answer.entries) <= 4 * MEGABYTE
    assert any("are not shown" in told for told in answer.unseen)


# Descriptions


def test_a_description_of_large_files_looks_at_their_ends_and_says_so(tmp_path: Path) -> None:
    middle = f"2026-11-30T16:55:00Z pod=b {'middle ' * 60}\n" * 40_000
    source = written(tmp_path, f"2026-11-30T16:50:00Z pod=a first\n{middle}2026-11-30T17:00:00Z pod=c last\n")
    description = asyncio.run(source.describe()).unwrap()
    assert description.entities["pod"] == ("a", "b", "c")
    assert (description.earliest, description.latest) == (at("16:50:00"), at("17:00:00"))
    assert description.unseen == ("of app.log only its beginning and end were looked at for this description",)


def test_ids_and_measures_are_no_entities(tmp_path: Path) -> None:
    lines = "".join(
        f"2026-11-30T16:50:00Z pod=p{at % 3} request={at:x}x took=0.{at % 5}ms pid={at % 30} status={at % 2 + 200}\n"
        for at in range(500)
    )
    assert asyncio.run(written(tmp_path, lines).describe()).unwrap().entities == {
        "pod": ("p0", "p1", "p2"),
        "status": ("200", "201"),
    }


def test_the_revision_changes_with_the_files(tmp_path: Path) -> None:
    source = written(tmp_path, "2026-11-30T16:50:00Z one\n")
    before = asyncio.run(source.describe()).unwrap()
    written(tmp_path, "2026-11-30T16:50:00Z one\n2026-11-30T16:50:01Z two\n")
    after = asyncio.run(source.describe()).unwrap()
    assert before.revision != after.revision
    assert after.latest == at("16:50:01")
