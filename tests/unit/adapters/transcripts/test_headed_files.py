"""Results below their headers: one file is one record, whatever its body holds, and a torn header is told."""

from pathlib import Path

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts.files import file_at, pieces_of
from groundtrace_adapters.transcripts.headed import TORN
from groundtrace_adapters.transcripts.pieces import Unread

CALL = '{"toolset_name": "k8s", "tool_name": "get", "match_params": {"kind": "pod"}}'
ENDED = '{"schema_version": "v1", "status": "success", "return_code": 0}'
BODIES = ["", "3 pods", "a\n\nb\n", '{"status": "up"}\n{"status": "down"}', "{oops\n\x1b[2J\0", "\ufeff", CALL]


def read(place: Path, text: str) -> tuple[list[dict[str, JsonValue]], list[Unread]]:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    found = list(pieces_of(file_at(place)))
    records = [dict(one.value) for one in found if isinstance(one, Record) and isinstance(one.value, dict)]
    return records, [one for one in found if isinstance(one, Unread)]


@pytest.mark.parametrize("body", BODIES)
def test_a_file_is_one_record_whatever_its_body_holds(tmp_path: Path, body: str) -> None:
    (record,), unread = read(tmp_path / "runs" / "07_crash" / "get_pods.txt", f"{CALL}\n{ENDED}\n{body}")
    assert (record["tool_name"], record["body"]) == ("get", body)
    assert (record["folder"], record["file"]) == ("runs/07_crash", "get_pods")
    assert unread == []


def test_a_body_without_a_second_header_is_kept(tmp_path: Path) -> None:
    (record,), unread = read(tmp_path / "a.txt", f"{CALL}\n3 pods\n2 nodes\n")
    assert record["body"] == "3 pods\n2 nodes\n"
    assert "result" not in record
    assert unread == []


@pytest.mark.parametrize("rest", ["", "\n"])
def test_a_call_alone_has_no_result(tmp_path: Path, rest: str) -> None:
    (record,), _ = read(tmp_path / "a.txt", CALL + rest)
    assert "body" not in record


def test_a_torn_header_is_told_and_its_call_kept(tmp_path: Path) -> None:
    (record,), (torn,) = read(tmp_path / "a.txt", f"{CALL}\n{ENDED[:30]}")
    assert "body" not in record
    assert (torn.line, torn.why) == (2, TORN)


def test_lines_that_each_name_a_call_are_lines(tmp_path: Path) -> None:
    records, unread = read(tmp_path / "a.jsonl", f"{CALL}\n{CALL}\n{{oops\n")
    assert len(records) == 2
    assert [one.line for one in unread] == [3]


def test_the_session_is_named_by_two_folders_however_the_file_is_called(tmp_path: Path) -> None:
    place = tmp_path / "case" / ".." / "runs" / "07_crash" / "a.txt"
    (tmp_path / "case").mkdir()
    (record,), _ = read(place, f"{CALL}\n{ENDED}\n")
    assert record["folder"] == "runs/07_crash"
