"""What is SQLite's alone: locks, full and read-only files, files that are none of ours, rows of other programs."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from returns import result

from groundtrace.entries import EvidenceLevel
from groundtrace.invocation import OutputState
from groundtrace.outcomes import Basis, Deduped, Failure, NoEvidence, OutcomeKind, Support, kind_of
from groundtrace.ports import Fate, StoreFault
from groundtrace.reading import classify_foreign
from groundtrace_adapters.stores.record_codec import INVOCATIONS
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_adapters.stores.sqlite_connect import SqliteLimits
from groundtrace_testing.records import a_row, an_evaluation
from groundtrace_testing.stores import locked

SESSION = "acme/outage"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace #1?.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(path, limits=SqliteLimits(busy_seconds=0.3))
    yield opened
    opened.close()


def run(path: Path, statement: str, *parameters: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement, parameters)


class TestWhatIsThereAlready:
    """A row has no digest beside it: what is there already is compared by its content."""

    @pytest.mark.parametrize("number", [1, 9])
    def test_the_same_content_is_stored_and_other_content_is_refused(self, store: SqliteStore, number: int) -> None:
        rows = [a_row(id=f"{place}", output_preview="caf\u00e9") for place in range(number)]
        assert store.append(rows) == result.Success((Fate.STORED,) * number)
        assert store.append(rows) == result.Success((Fate.STORED,) * number)
        other = [*rows[:-1], replace(rows[-1], seq=77)]
        assert store.append(other) == result.Success((Fate.STORED,) * (number - 1) + (Fate.ID_CONFLICT,))

    def test_rows_of_the_first_release_are_known_by_their_digest(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        run(path, "UPDATE tool_invocation SET row_digest = ?", INVOCATIONS.first_digest(a_row()))
        assert store.append([a_row(), a_row(seq=1)]) == result.Success((Fate.STORED, Fate.ID_CONFLICT))

    def test_rows_with_a_digest_of_today_are_known_by_it(self, store: SqliteStore, path: Path) -> None:
        digest = INVOCATIONS.encode(a_row(), operation="append").unwrap()["row_digest"]
        store.append([a_row()])
        run(path, "UPDATE tool_invocation SET row_digest = ?", digest)
        assert store.append([a_row(), a_row(seq=1)]) == result.Success((Fate.STORED, Fate.ID_CONFLICT))

    def test_what_cannot_be_read_is_not_the_same(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        run(path, "UPDATE tool_invocation SET outcome = 'odd'")
        assert store.append([a_row()]) == result.Success((Fate.ID_CONFLICT,))

    def test_an_evaluation_is_compared_too(self, store: SqliteStore) -> None:
        told = [store.save(one) for one in (an_evaluation(), an_evaluation(), an_evaluation(question="else"))]
        assert told == [result.Success(fate) for fate in (Fate.STORED, Fate.STORED, Fate.ID_CONFLICT)]


class TestFaults:
    def test_a_constructor_touches_nothing(self, store: SqliteStore, path: Path) -> None:
        assert not path.exists()

    def test_a_locked_file_is_told_within_the_time_limit_and_read_all_the_same(
        self, store: SqliteStore, path: Path
    ) -> None:
        store.append([a_row()])
        began = time.monotonic()
        with closing(locked(path)):
            told = store.append([a_row(id="call-2")]).failure()
            assert store.rows(SESSION) == result.Success((a_row(),))
        assert time.monotonic() - began < 3
        assert (told.fault, told.retryable) == (StoreFault.LOCKED, True)
        assert told.message.endswith("is locked by another program (SQLITE_BUSY); try again, or end that program")
        assert store.append([a_row(id="call-2")]) == result.Success((Fate.STORED,))

    def test_a_file_that_is_locked_while_it_is_made_is_told(self, store: SqliteStore, path: Path) -> None:
        with closing(locked(path)):
            assert store.append([a_row()]).failure().fault is StoreFault.LOCKED
        assert store.append([a_row()]) == result.Success((Fate.STORED,))

    def test_a_writer_that_outlives_the_limit_stops_the_threads_behind_it_only_so_long(
        self, store: SqliteStore, path: Path
    ) -> None:
        store.append([a_row()])
        with closing(locked(path)), ThreadPoolExecutor(6) as pool:
            began = time.monotonic()
            told = [one.failure().fault for one in pool.map(lambda n: store.append([a_row(id=str(n))]), range(6))]
            assert time.monotonic() - began < 3
        assert set(told) == {StoreFault.LOCKED}

    def test_a_full_store_is_told_and_keeps_what_it_has(self, path: Path) -> None:
        store = SqliteStore(path, limits=SqliteLimits(max_pages=40))
        store.append([a_row()])
        told = store.append([a_row(id=str(n), output_preview="x" * 2_000) for n in range(200)]).failure()
        assert (told.fault, told.retryable) == (StoreFault.FULL, True)
        assert store.rows(SESSION) == result.Success((a_row(),))
        assert store.append([a_row(id="small")]) == result.Success((Fate.STORED,))
        store.close()

    def test_a_store_opened_for_reading_reads_and_refuses_to_write(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        reader = SqliteStore(path, read_only=True)
        assert reader.rows(SESSION) == result.Success((a_row(),))
        told = reader.append([a_row(id="call-2")]).failure()
        reader.close()
        assert (told.fault, told.retryable) == (StoreFault.READ_ONLY, False)

    def test_reading_a_store_that_is_not_there_makes_no_file(self, path: Path) -> None:
        reader = SqliteStore(path, read_only=True)
        assert reader.rows(SESSION).failure().fault is StoreFault.UNAVAILABLE
        assert not path.exists()

    def test_a_folder_that_is_not_there_is_told_with_the_path(self, tmp_path: Path) -> None:
        told = SqliteStore(tmp_path / "absent" / "trace.db").append([a_row()]).failure()
        assert told.fault is StoreFault.UNAVAILABLE
        assert str(tmp_path / "absent" / "trace.db") in told.message
        assert "make its folder" in told.message

    def test_a_folder_that_is_a_file_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        assert SqliteStore(tmp_path / "file" / "trace.db").check().failure().fault is StoreFault.UNAVAILABLE

    def test_a_path_that_is_a_folder_is_told(self, tmp_path: Path) -> None:
        assert SqliteStore(tmp_path).check().failure().fault is StoreFault.UNAVAILABLE

    @pytest.mark.parametrize("content", [b"these are my notes, not a database\n" * 200, b"\x00" * 8_192])
    def test_a_file_that_is_no_database_is_refused_and_not_changed(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        told = SqliteStore(path).append([a_row()]).failure()
        assert (told.fault, told.retryable) == (StoreFault.CORRUPT, False)
        assert path.read_bytes() == content

    def test_a_damaged_file_is_told(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row(id=str(n), output_preview="x" * 1_500) for n in range(200)])
        store.close()
        with path.open("r+b") as file:
            file.seek(4_096)
            file.write(os.urandom(path.stat().st_size - 8_192))
        damaged = SqliteStore(path)
        assert damaged.rows(SESSION).failure().fault in {StoreFault.CORRUPT, StoreFault.NOT_MIGRATED}
        damaged.close()

    def test_a_database_of_another_program_keeps_its_own_tables(self, store: SqliteStore, path: Path) -> None:
        run(path, "CREATE TABLE theirs (n)")
        assert store.append([a_row()]) == result.Success((Fate.STORED,))
        run(path, "INSERT INTO theirs VALUES (1)")

    def test_another_table_of_our_name_is_refused(self, store: SqliteStore, path: Path) -> None:
        run(path, "CREATE TABLE tool_invocation (n)")
        told = store.append([a_row()]).failure()
        assert told.fault is StoreFault.CORRUPT
        assert "another file" in told.message

    def test_a_lost_table_is_told(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        run(path, "DROP TABLE tool_invocation")
        assert store.rows(SESSION).failure().fault is StoreFault.NOT_MIGRATED

    def test_a_statement_that_takes_too_long_is_given_up(self, path: Path) -> None:
        store = SqliteStore(path, limits=SqliteLimits(statement_seconds=0.0))
        told = store.append([a_row(id=str(n)) for n in range(20_000)]).failure()
        store.close()
        assert (told.fault, told.retryable) == (StoreFault.TIMED_OUT, True)

    def test_no_error_holds_a_row(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        with closing(locked(path)):
            told = store.append([a_row(id="call-2", output_preview="hunter2")]).failure()
        assert "hunter2" not in repr(told)


class TestFilesThatChangeUnderneath:
    def test_a_removed_file_is_told_and_nothing_is_written_to_where_it_was(
        self, store: SqliteStore, path: Path
    ) -> None:
        store.append([a_row()])
        path.unlink()
        assert store.append([a_row(id="call-2")]).failure().fault is StoreFault.UNAVAILABLE
        assert not path.exists()

    def test_a_file_that_was_replaced_is_opened_anew(self, store: SqliteStore, path: Path, tmp_path: Path) -> None:
        store.append([a_row()])
        other = SqliteStore(tmp_path / "other.db")
        other.append([a_row(id="restored")])
        other.close()
        path.with_name(path.name + "-wal").unlink()
        path.with_name(path.name + "-shm").unlink()
        shutil.copy(tmp_path / "other.db", tmp_path / "copy.db")
        (tmp_path / "copy.db").replace(path)
        assert [row.id for row in store.rows(SESSION).unwrap()] == ["restored"]


class TestSettings:
    def test_the_file_is_in_wal_mode_and_commits_are_on_the_disk(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)

    def test_a_new_file_is_for_its_owner_alone_and_a_present_one_keeps_its_rights(
        self, store: SqliteStore, path: Path
    ) -> None:
        store.append([a_row()])
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
        path.chmod(0o640)
        again = SqliteStore(path)
        again.check().unwrap()
        again.close()
        assert path.stat().st_mode & 0o777 == 0o640

    def test_it_is_one_file_after_it_is_closed(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        store.close()
        assert [file.name for file in path.parent.iterdir()] == [path.name]


FOREIGN = "INSERT INTO tool_invocation (session_id, id, tool_name, started_at, success{}) VALUES (?, ?, ?, ?, ?{})"


def write_foreign(path: Path, id: str, *, success: object, **columns: object) -> None:
    """A row as a program writes it that knows the base columns only."""
    names = "".join(f", {name}" for name in columns)
    run(
        path,
        FOREIGN.format(names, ", ?" * len(columns)),
        SESSION,
        id,
        "their_tool",
        "2026-03-08T12:00:00.000000Z",
        int(bool(success)),
        *columns.values(),
    )


class TestRowsOfOtherPrograms:
    @pytest.mark.parametrize(
        ("columns", "outcome", "reason"),
        [
            ({"success": False, "error_message": "boom", "output_preview": "x"}, OutcomeKind.FAILURE, "error"),
            ({"success": False, "dedup_reason": "other"}, OutcomeKind.FAILURE, "error"),
            ({"success": True, "dedup_reason": "seen", "output_preview": "x"}, OutcomeKind.DEDUPED, "seen"),
            ({"success": True}, OutcomeKind.NO_EVIDENCE, "empty_result"),
            ({"success": True, "output_preview": " \n\t"}, OutcomeKind.NO_EVIDENCE, "empty_result"),
            (
                {"success": True, "output_preview": "x", "relevance_level": "none"},
                OutcomeKind.NO_EVIDENCE,
                "no_match",
            ),
            (
                {"success": True, "output_preview": "x", "retrieval_layer": "none"},
                OutcomeKind.NO_EVIDENCE,
                "no_match",
            ),
            ({"success": True, "output_preview": "x", "relevance_level": "low"}, OutcomeKind.SUCCESS, None),
            ({"success": True, "output_preview": "0 errors"}, OutcomeKind.SUCCESS, None),
        ],
    )
    def test_they_are_classified_in_the_order_of_the_contract(
        self, store: SqliteStore, path: Path, columns: dict[str, object], outcome: OutcomeKind, reason: str | None
    ) -> None:
        store.check()
        write_foreign(path, "theirs", **columns)
        (row,) = store.rows(SESSION).unwrap()
        (entry,) = store.entries(SESSION).unwrap()
        support = Support.INDIRECT if outcome is OutcomeKind.SUCCESS else None
        assert (row.outcome, row.reason, row.support, row.basis) == (outcome, reason, support, Basis.INFERRED)
        counts = (entry.successes, entry.failures, entry.no_evidence, entry.deduped)
        assert counts == tuple(int(outcome is kind) for kind in _COUNTED)
        assert entry.level is (EvidenceLevel.INDIRECT if support else EvidenceLevel.NONE)

    def test_sql_classifies_as_the_core_does(self, store: SqliteStore, path: Path) -> None:
        every = list(
            product(
                (True, False),
                (None, "", " ", "other", "refused_repeat"),
                (None, "", " \u200b\n", "None", "x"),
                (None, "none", "low"),
                (None, "none", "L2"),
            )
        )
        store.check()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.executemany(
                "INSERT INTO tool_invocation (session_id, id, tool_name, started_at, success, dedup_reason,"
                " output_preview, relevance_level, retrieval_layer)"
                " VALUES ('acme/outage', ?, 't', '2026-03-08T12:00:00.000000Z', ?, ?, ?, ?, ?)",
                [(f"{number:03}", *parts) for number, parts in enumerate(every)],
            )
        for row, (success, dedup, output, relevance, layer) in zip(store.rows(SESSION).unwrap(), every, strict=True):
            outcome = classify_foreign(
                success=success, dedup_reason=dedup, output=output, relevance=relevance, layer=layer
            )
            told = (row.outcome, row.reason, row.error_message, row.support)
            match outcome:
                case NoEvidence() | Deduped():
                    assert told == (kind_of(outcome), outcome.reason, None, None)
                case Failure():
                    assert told == (OutcomeKind.FAILURE, outcome.kind, outcome.message, None)
                case _:
                    assert told == (OutcomeKind.SUCCESS, None, None, Support.INDIRECT)

    def test_a_failure_without_a_message_says_so_in_row_and_summary(self, store: SqliteStore, path: Path) -> None:
        store.check()
        write_foreign(path, "theirs", success=False, error_message=" ")
        (row,) = store.rows(SESSION).unwrap()
        (entry,) = store.entries(SESSION).unwrap()
        assert row.error_message == "no message was recorded"
        assert entry.errors == ("no message was recorded",)

    def test_what_they_left_out_has_a_default(self, store: SqliteStore, path: Path) -> None:
        store.check()
        write_foreign(path, "a", success=True, output_preview="x")
        write_foreign(path, "b", success=True)
        first, second = store.rows(SESSION).unwrap()
        assert (first.topic_domain, first.input_params, first.details, first.seq) == ("general", "{}", "{}", 0)
        assert (first.output_state, second.output_state) == (OutputState.FULL, OutputState.NONE)
        (entry,) = store.entries(SESSION).unwrap()
        assert (entry.calls, entry.repeated) == (2, 0)

    def test_our_row_under_their_key_is_a_conflict(self, store: SqliteStore, path: Path) -> None:
        store.check()
        write_foreign(path, "call-1", success=True)
        assert store.append([a_row()]) == result.Success((Fate.ID_CONFLICT,))

    def test_a_time_that_would_not_sort_is_refused_by_the_schema(self, store: SqliteStore, path: Path) -> None:
        store.check()
        with pytest.raises(sqlite3.IntegrityError):
            run(path, FOREIGN.format("", ""), SESSION, "x", "t", "2026-03-08 12:00", 1)

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("outcome", "maybe"),
            ("support", "STRONG"),
            ("basis", "guessed"),
            ("output_state", "half"),
            ("retrieval_layer", "L9"),
            ("relevance_level", "huge"),
            ("partial", 7),
            ("input_params", "{broken"),
            ("details", '{"a": NaN}'),
            ("started_at", "2026-99-99T12:00:00.000000Z"),
        ],
    )
    def test_a_value_of_unknown_meaning_is_named_and_never_left_out(
        self, store: SqliteStore, path: Path, column: str, value: object
    ) -> None:
        store.append([a_row(id="good"), a_row(id="odd")])
        run(path, f"UPDATE tool_invocation SET {column} = ? WHERE id = 'odd'", value)
        for told in (store.rows(SESSION).failure(), store.find(SESSION, ["odd"]).failure()):
            assert (told.fault, told.retryable) == (StoreFault.CORRUPT, False)
            assert f"`{column}`" in told.message
            assert "'odd'" in told.message
        assert store.find(SESSION, ["good"]) == result.Success((a_row(id="good"),))

    @pytest.mark.parametrize("column", ["outcome", "support"])
    def test_a_summary_does_not_count_what_it_cannot_name(self, store: SqliteStore, path: Path, column: str) -> None:
        store.append([a_row(id="good"), a_row(id="odd")])
        run(path, f"UPDATE tool_invocation SET {column} = 'maybe' WHERE id = 'odd'")
        told = store.entries(SESSION).failure()
        assert told.fault is StoreFault.CORRUPT
        assert "'odd'" in told.message

    def test_text_that_is_not_utf_8_is_told(self, store: SqliteStore, path: Path) -> None:
        store.append([a_row()])
        run(path, "UPDATE tool_invocation SET output_preview = CAST(x'fffe' AS TEXT)")
        assert store.rows(SESSION).failure().fault is StoreFault.CORRUPT

    @pytest.mark.parametrize(("column", "value"), [("decision", "MAYBE"), ("cause", "luck"), ("reasons", "{}")])
    def test_an_evaluation_of_unknown_meaning_is_named(
        self, store: SqliteStore, path: Path, column: str, value: str
    ) -> None:
        store.save(an_evaluation())
        run(path, f"UPDATE verifier_evaluation SET {column} = ?", value)
        told = store.evaluations(SESSION).failure()
        assert told.fault is StoreFault.CORRUPT
        assert f"`{column}`" in told.message


_COUNTED = (OutcomeKind.SUCCESS, OutcomeKind.FAILURE, OutcomeKind.NO_EVIDENCE, OutcomeKind.DEDUPED)


def test_a_writer_that_is_killed_loses_nothing_that_it_reported(store: SqliteStore, path: Path) -> None:
    """Field case B11, as far as one machine goes: what was reported is there, each row once, after a retry too."""
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITE_FOR_EVER, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with writer:
        assert writer.stdout is not None
        reported = [writer.stdout.readline().strip() for _ in range(25)]
        writer.kill()
        reported += writer.stdout.read().split("\n")[:-1]
    kept = [row.id for row in store.rows(SESSION, limit=100_000).unwrap()]
    assert len(reported) >= 25
    assert set(reported) <= set(kept)
    assert len(kept) - len(reported) in (0, 1)
    assert store.append([a_row(id=id) for id in kept]) == result.Success((Fate.STORED,) * len(kept))
    assert len(store.rows(SESSION, limit=100_000).unwrap()) == len(kept)


_WRITE_FOR_EVER = """
import itertools, sys
from groundtrace_adapters.stores.sqlite import SqliteStore
from groundtrace_testing.records import a_row

store = SqliteStore(sys.argv[1])
for number in itertools.count():
    store.append([a_row(id=str(number))]).unwrap()
    print(number, flush=True)
"""
