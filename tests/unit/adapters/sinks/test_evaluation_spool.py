"""Evaluations that a store did not take wait on disk, whole, until it does (DESIGN section 8)."""

import os
import time
from pathlib import Path

import pytest
from returns.result import Result
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.ports import Fate, StoreError
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.sinks.evaluation_spool import DRAFT_SECONDS, EVALUATION_FILES, SET_ASIDE, EvaluationSpool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_testing.faulty_store import FaultyStore
from groundtrace_testing.records import an_evaluation

DOWN = frozenset({"save"})


def test_what_was_kept_comes_back_field_by_field(tmp_path: Path) -> None:
    spool, store = EvaluationSpool(tmp_path / "spool"), MemoryStore()
    kept = an_evaluation(id="v-1", decision=Verdict.LOW_CONFID, cause=Cause.EVALUATION_NOT_STORED, raw='\u202eünï \\ "')
    assert spool.keep(kept).unwrap() is None
    assert spool.waiting() == 1
    assert EvaluationSpool(tmp_path / "spool").replay(store) == 0
    assert store.evaluations(kept.session_id).unwrap() == (kept,)
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_store_that_is_still_down_leaves_everything_waiting(tmp_path: Path) -> None:
    spool = EvaluationSpool(tmp_path)
    for number in range(3):
        spool.keep(an_evaluation(id=f"v-{number}")).unwrap()
    assert spool.replay(FaultyStore(broken=DOWN)) == 3
    store = MemoryStore()
    assert spool.replay(store) == 0
    assert len(store.evaluations(an_evaluation().session_id).unwrap()) == 3


def test_what_a_killed_process_left_half_written_is_removed_and_what_may_still_be_written_is_not(
    tmp_path: Path,
) -> None:
    old, young = tmp_path / "evaluation-1.part", tmp_path / "evaluation-2.part"
    for draft in (old, young):
        draft.write_text("half of")
    os.utime(old, (0, time.time() - DRAFT_SECONDS - 60))
    assert EvaluationSpool(tmp_path).replay(MemoryStore()) == 0
    assert list(tmp_path.iterdir()) == [young]


class OneServerAway(MemoryStore):
    """A store on several servers, of which the one that keeps `away/...` does not answer."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        self.asked.append(evaluation.id)
        if lane(evaluation.session_id) == "away":
            return FaultyStore(broken=DOWN).save(evaluation)
        return super().save(evaluation)


def lane(session_id: str) -> str:
    return session_id.partition("/")[0]


def test_a_server_that_is_away_is_asked_once_and_holds_up_no_other(tmp_path: Path) -> None:
    spool, store = EvaluationSpool(tmp_path), OneServerAway()
    for number in range(12):
        session = "away/1" if number % 2 else "here/1"
        spool.keep(an_evaluation(id=f"v-{number}", session_id=session)).unwrap()
    assert spool.replay(store, lane_of=lane) == 6
    assert len(store.evaluations("here/1").unwrap()) == 6
    assert len(store.asked) == 7


class AnotherIsQuicker(MemoryStore):
    """A store that another process fills meanwhile, which has replayed the rest of the folder at the first save."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        for path in self._folder.glob(EVALUATION_FILES):
            path.unlink()
        return super().save(evaluation)


def test_what_another_process_has_replayed_meanwhile_is_passed_over(tmp_path: Path) -> None:
    spool = EvaluationSpool(tmp_path)
    for number in range(3):
        spool.keep(an_evaluation(id=f"v-{number}")).unwrap()
    assert spool.replay(AnotherIsQuicker(tmp_path)) == 0
    assert list(tmp_path.iterdir()) == []


def test_an_evaluation_that_the_store_has_already_is_kept_once(tmp_path: Path) -> None:
    spool, store = EvaluationSpool(tmp_path), MemoryStore()
    kept = an_evaluation(id="v-1")
    store.save(kept).unwrap()
    spool.keep(kept).unwrap()
    assert spool.replay(store) == 0
    assert store.evaluations(kept.session_id).unwrap() == (kept,)


def test_one_that_the_store_holds_otherwise_is_set_aside_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spool, store = EvaluationSpool(tmp_path), MemoryStore()
    store.save(an_evaluation(id="v-1")).unwrap()
    spool.keep(an_evaluation(id="v-1", question="which other one?")).unwrap()
    assert spool.replay(store) == 0
    (aside,) = tmp_path.iterdir()
    assert f"{aside.name.removesuffix(SET_ASIDE)} cannot be stored" in caplog.text


@pytest.mark.parametrize("damage", [b"", b"half", b"\xff\xfe", b"0\n[]\n"])
def test_a_damaged_file_is_set_aside_and_told_and_the_rest_is_stored(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    spool, store = EvaluationSpool(tmp_path), MemoryStore()
    spool.keep(an_evaluation(id="v-1")).unwrap()
    (tmp_path / EVALUATION_FILES.replace("*", "0")).write_bytes(damage)
    assert spool.replay(store) == 0
    assert len(store.evaluations(an_evaluation().session_id).unwrap()) == 1
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [damage]
    (aside,) = tmp_path.iterdir()
    assert f"{aside.name.removesuffix(SET_ASIDE)} cannot be stored and is set aside: it is damaged" in caplog.text


def test_the_spool_is_bounded_and_says_so(tmp_path: Path) -> None:
    spool = EvaluationSpool(tmp_path, most_files=1)
    spool.keep(an_evaluation(id="v-1")).unwrap()
    refused = spool.keep(an_evaluation(id="v-2")).failure()
    assert "1 evaluations wait already" in refused.line()
    assert spool.waiting() == 1


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused = EvaluationSpool(tmp_path / "file" / "spool").keep(an_evaluation()).failure()
    assert "cannot be written" in refused.line()
