"""The kit as a stranger meets it: a project elsewhere, a store of its own that passes, and faults that are found."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

PROJECT = Path(__file__).parents[2] / "examples" / "conformance"

FAULTS = """
import secrets
from dataclasses import replace

import pytest
from pickle_store import PickleStore
from returns import result

from groundtrace.entries import SummaryScope
from groundtrace.ports import Fate
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.conformance.cases import StoreCase
from groundtrace_adapters.conformance.evaluation_store import EvaluationStoreSuite
from groundtrace_adapters.conformance.invocation_store import InvocationStoreSuite, LastingInvocationStoreSuite


class Rows(InvocationStoreSuite, LastingInvocationStoreSuite):
    faulty = PickleStore

    @pytest.fixture
    def case(self, tmp_path):
        place, away = tmp_path / "place", tmp_path / "away"
        place.mkdir()
        reopen = lambda: self.faulty(place / "trace.pickle")
        yield StoreCase(
            store=reopen(), reopen=reopen, take_down=lambda: place.rename(away), bring_back=lambda: away.rename(place)
        )


class Replacing(PickleStore):
    def _fate(self, table, record, plain):
        table.setdefault(record.session_id, {})[record.id] = (record, plain["row_digest"])
        return Fate.STORED


class Unordered(PickleStore):
    def rows(self, session_id, /, *, after=None, limit=1_000):
        return super().rows(session_id, limit=2**60).map(
            lambda rows: tuple(sorted((row for row in rows if after is None or row.id > after.id),
                                      key=lambda row: row.id))[: max(limit, 0)])


class Rounding(PickleStore):
    def append(self, rows, /):
        return super().append([replace(row, started_at=row.started_at.replace(microsecond=0)) for row in rows])


class Raising(PickleStore):
    def find(self, session_id, ids, /):
        return result.Success(super().find(session_id, ids).unwrap())


class Forgiving(PickleStore):
    def entries(self, session_id, /):
        return super().rows(session_id, limit=2**60).map(
            lambda rows: entries_of(summarize([row for row in rows if row.success])))


class Cutting(PickleStore):
    def entries_within(self, scope, /, *, most=100_000):
        return super().entries_within(scope, most=2**60)


class Forgetful(PickleStore):
    def __init__(self, path, /):
        super().__init__(path.with_name(secrets.token_hex(8)))


class Talkative(PickleStore):
    def append(self, rows, /):
        return super().append(rows).alt(lambda error: replace(error, message=f"{error.message} {rows!r}"))


class TestReplacing(Rows):
    faulty = Replacing


class TestUnordered(Rows):
    faulty = Unordered


class TestRounding(Rows):
    faulty = Rounding


class TestRaising(Rows):
    faulty = Raising


class TestForgiving(Rows):
    faulty = Forgiving


class TestCutting(Rows):
    faulty = Cutting


class TestForgetful(Rows):
    faulty = Forgetful


class TestTalkative(Rows):
    faulty = Talkative
"""

FOUND_BY = {
    "Replacing": "test_other_content_under_a_key_is_refused_and_the_first_row_stays",
    "Unordered": "test_rows_come_by_time_then_position_then_id",
    "Rounding": "test_microseconds_are_kept",
    "Raising": "test_every_method_says_so_in_time_and_none_raises",
    "Forgiving": "test_a_summary_of_many_rows_equals_the_pure_one",
    "Cutting": "test_a_scope_of_too_many_rows_is_refused_and_never_cut",
    "Forgetful": "test_what_one_store_keeps_another_one_reads",
    "Talkative": "test_a_refusal_names_the_column_and_not_the_value",
}
SOUND = ("test_every_word_comes_back", "test_an_unknown_session_has_nothing")


def run_elsewhere(folder: Path, *words: str) -> tuple[int, str]:
    """Run pytest in a project that has groundtrace and nothing else of this repository."""
    for file in PROJECT.glob("*.py"):
        shutil.copy(file, folder)
    places = [place for place in sys.path if place and Path(place).name not in {"support", "tests"}]
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", "-p", "no:returns", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return told.returncode, told.stdout + told.stderr


def test_a_strangers_store_passes_and_a_failing_test_tells_both_sides(tmp_path: Path) -> None:
    (tmp_path / "test_rewritten.py").write_text(
        "from test_pickle_store import case\n"
        "from groundtrace_adapters.conformance.evaluations import RedactionKey\n"
        "from pickle_store import PickleStore\n"
        "from returns import result\n\n\n"
        "class TestKey(RedactionKey):\n"
        "    def test_it_is_32_bytes_and_stays_the_same(self, case):\n"
        "        PickleStore.redaction_key = lambda self: result.Success(b'short')\n"
        "        super().test_it_is_32_bytes_and_stays_the_same(case)\n",
        encoding="utf-8",
    )
    code, told = run_elsewhere(tmp_path, "test_pickle_store.py", "test_rewritten.py::TestKey", "-k", "not hostile")
    assert re.findall(r"^FAILED (\S+)", told, re.M) == [
        "test_rewritten.py::TestKey::test_it_is_32_bytes_and_stays_the_same"
    ], told
    assert "assert 5 == 32" in told
    assert code == 1


def test_each_planted_fault_fails_the_test_of_its_rule(tmp_path: Path) -> None:
    (tmp_path / "test_faults.py").write_text(FAULTS, encoding="utf-8")
    rules = " or ".join((*FOUND_BY.values(), *SOUND))
    _, told = run_elsewhere(tmp_path, "test_faults.py", "-k", rules)
    failed = set(re.findall(r"^FAILED test_faults.py::Test(\w+)::(\w+)", told, re.M))
    assert {(fault, test) for fault, test in failed if test in SOUND} == set(), told
    assert set(FOUND_BY.items()) <= failed, told
    # What a fault breaks besides lies close to it: most rules still hold.
    assert len(failed) <= 2 * len(FOUND_BY), told


def test_the_command_of_the_page_runs_in_a_clone() -> None:
    root = PROJECT.parents[1]
    (printed,) = re.findall(r"^python (-m pytest .+)$", (root / "docs" / "conformance.md").read_text("utf-8"), re.M)
    words = [sys.executable, *printed.split(), "-q", "-p", "no:cacheprovider", "-k", "32_bytes_and_stays"]
    told = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=100, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
