"""The parts of an export and the file that they go into: places to go on from, and what is left where it stops."""

from pathlib import Path

from returns.pipeline import is_successful

from groundtrace.ports import StoreFault
from groundtrace.upkeep import Cursor, RecordKey, RecordKind, Selection
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.store_export import Part, parts_of
from groundtrace_app.store_file import Progress, open_export
from groundtrace_testing.records import a_row, an_evaluation

ALL = Selection()


def a_store() -> MemoryStore:
    store = MemoryStore()
    store.append([a_row(id=f"{number}") for number in range(5)]).unwrap()
    store.save(an_evaluation()).unwrap()
    return store


def parts(start: Cursor, *, page_records: int = 2) -> list[Part]:
    found = parts_of(a_store().upkeep(), ALL, start=start, reveal=False, page_records=page_records)
    return [part.unwrap() for part in found]


def test_from_any_place_on_the_rest_is_the_same() -> None:
    whole = parts(Cursor())
    lines = [line for part in whole for line in part.lines]
    assert len(lines) == 6
    done = 0
    for part in whole[:-1]:
        done += len(part.lines)
        assert part.cursor is not None
        assert [line for rest in parts(part.cursor, page_records=3) for line in rest.lines] == lines[done:]


def test_calls_come_before_decisions() -> None:
    cursors = [part.cursor for part in parts(Cursor())]
    assert cursors == [
        Cursor(key=RecordKey(session_id="acme/outage", id="1")),
        Cursor(key=RecordKey(session_id="acme/outage", id="3")),
        Cursor(kind=RecordKind.EVALUATION),
        None,
    ]


def test_a_store_that_goes_away_is_the_last_thing_told() -> None:
    store = a_store()
    told = []
    for part in parts_of(store.upkeep(), ALL, start=Cursor(), reveal=False, page_records=2):
        told.append(part)
        store.close()
    assert [is_successful(part) for part in told] == [True, False]
    assert told[1].failure().fault is StoreFault.UNAVAILABLE


def test_an_export_goes_on_where_its_file_was_saved_and_not_where_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    held = open_export(path, Cursor(), "all").unwrap()
    held.write(("one",), Progress(options="all", lines=1))
    held.save()
    held.write(("two",), Progress(options="all", lines=2))
    assert (held.progress.lines, held.saved.lines) == (2, 1)
    held.close()
    again = open_export(path, Cursor(), "all").unwrap()
    assert (again.progress.lines, again.progress.bytes) == (1, 4)
    again.finish()
    again.close()
    assert path.read_bytes() == b"one\n"
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


def test_nobody_else_may_read_the_file_or_its_progress(tmp_path: Path) -> None:
    held = open_export(tmp_path / "out.jsonl", Cursor(), "all").unwrap()
    held.close()
    assert {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {
        "out.jsonl": 0o600,
        "out.jsonl.progress": 0o600,
    }


def test_a_progress_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("one\n")
    (tmp_path / "out.jsonl.progress").write_text("{")
    refused = open_export(tmp_path / "out.jsonl", Cursor(), "all").failure()
    assert refused.where.endswith("out.jsonl.progress")
    assert (tmp_path / "out.jsonl").read_text() == "one\n"


def test_a_file_that_is_shorter_than_its_progress_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    held = open_export(path, Cursor(), "all").unwrap()
    held.write(("one", "two"), Progress(options="all", lines=2))
    held.save()
    held.close()
    path.write_bytes(b"one\n")
    assert (
        open_export(path, Cursor(), "all").failure().what
        == "it is shorter than its progress in out.jsonl.progress says"
    )
