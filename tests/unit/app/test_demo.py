"""The demo is honest: its verdicts follow the evidence, and change when the evidence or the draft does."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from groundtrace.outcomes import OutcomeKind
from groundtrace.verdict import Verdict
from groundtrace_app.demo import SCENES, Demo, Played, Scene
from groundtrace_app.incident import incident_folder
from groundtrace_app.settings import Settings
from groundtrace_app.trace import Trace, open_trace

TRUE, FALSE = SCENES[0], SCENES[-1]


@pytest.fixture
def trace() -> Iterator[Trace]:
    opened = open_trace(Settings(store="memory:")).unwrap()
    yield opened
    opened.close()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(incident_folder(), tmp_path / "incident"))


def played(folder: Path, trace: Trace, scenes: Sequence[Scene]) -> list[Played]:
    return [one.unwrap() for one in Demo(folder, trace).play(scenes)]


def verdict_of(one: Played) -> Verdict:
    assert one.turn.decision is not None
    return one.turn.decision.verdict


def test_the_demo_shows_each_verdict_and_each_outcome(trace: Trace) -> None:
    scenes = played(incident_folder(), trace, SCENES)
    assert [verdict_of(one) for one in scenes] == [
        Verdict.PASS,
        Verdict.LOW_CONFID,
        Verdict.LOW_CONFID,
        Verdict.PASS,
        Verdict.PASS,
        Verdict.REJECT,
    ]
    kinds = [{row.outcome for row in one.rows} for one in scenes]
    assert kinds[1] == {OutcomeKind.NO_EVIDENCE}
    assert OutcomeKind.FAILURE in kinds[2]
    assert kinds[3] == {OutcomeKind.SUCCESS}
    assert kinds[4] == {OutcomeKind.DEDUPED}


def test_without_the_supporting_line_the_pass_becomes_low_confid(trace: Trace, copy: Path) -> None:
    assert [verdict_of(one) for one in played(copy, trace, [TRUE])] == [Verdict.PASS]
    for name in ("server.log", "apps.jsonl"):
        log = copy / name
        lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if not ("16:55:06" in line and "too many clients" in line)]
        assert len(kept) < len(lines)
        log.write_text("".join(kept), encoding="utf-8")
    assert [verdict_of(one) for one in played(copy, trace, [TRUE])] == [Verdict.LOW_CONFID]


def test_a_changed_number_in_the_draft_becomes_a_reject(trace: Trace) -> None:
    assert FALSE.draft is not None
    truth = replace(FALSE, draft=FALSE.draft.replace("was 7", "was 22"))
    assert [verdict_of(one) for one in played(incident_folder(), trace, [truth])] == [Verdict.PASS]
    for wrong in ("7", "21", "220", "2.2"):
        changed = replace(FALSE, draft=FALSE.draft.replace("was 7", f"was {wrong}"))
        assert [verdict_of(one) for one in played(incident_folder(), trace, [changed])] == [Verdict.REJECT], wrong


def test_a_changed_metric_in_the_record_turns_the_true_draft_into_a_reject(trace: Trace, copy: Path) -> None:
    assert FALSE.draft is not None
    truth = replace(FALSE, draft=FALSE.draft.replace("was 7", "was 22"))
    metrics = copy / "metrics.om"
    text = metrics.read_text(encoding="utf-8")
    series = 'pg_stat_activity_connections{instance="orders-db",app="billing-report"} 22'
    assert series in text
    metrics.write_text(text.replace(series, series.replace(" 22", " 9")), encoding="utf-8")
    assert [verdict_of(one) for one in played(copy, trace, [truth])] == [Verdict.REJECT]


def test_a_rejected_draft_is_nowhere_in_the_reply(trace: Trace) -> None:
    rejected = played(incident_folder(), trace, [FALSE])[0]
    assert "was 7" not in rejected.turn.text
    assert "was 7" not in repr(rejected.turn)
