"""Decisions made again under today's rules: equal where no rule changed, and otherwise with the rule named."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace.decision import PassNeeds, decide, not_stored
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.judging import Judged, evaluate
from groundtrace.outcomes import OutcomeKind
from groundtrace.replaying import Replayed, replay, shown_ids
from groundtrace.reply import answer_withheld
from groundtrace.verdict import Cause, Verdict
from groundtrace.verdict_parser import parse_verdict
from groundtrace_testing.gate_rows import NOON, deduped, failure, indirect, no_evidence, shown, success

ROWS = shown(success(1), failure(2), no_evidence(3), deduped(4), indirect(5), spooled=("call-5",))
STORED = {one.row.id: one.row for one in ROWS}
PASSED = '{"verdict": "PASS", "evidence_ids": ["e1"]}'


def hide(text: str) -> str:
    return text.replace("hunter2", "[redacted password 0a1b2c]")


def recorded(
    raw: str | None, *, finish_reason: str | None = None, needs: PassNeeds = PassNeeds.ANY, unsaved: bool = False
) -> Evaluation:
    parsed = parse_verdict(raw, finish_reason=finish_reason)
    decision = decide(parsed, ROWS, pass_needs=needs)
    decision = not_stored(decision) if unsaved else decision
    judged = Judged(
        session_id="night-shift",
        id="evaluation-1",
        turn_id="turn-1",
        created_at=NOON,
        question="Why did it fail over?",
        decision=decision,
        shown=ROWS,
        reply_text="what the user saw",
        withheld=answer_withheld(decision, ROWS),
        parsed=parsed,
        answer="CANARY-71 the primary failed over",
        raw=raw,
        finish_reason=finish_reason,
        pass_needs=needs,
    )
    return evaluate(judged, redact=hide)


def replayed(one: Evaluation, rows: dict[str, Invocation] | None = None, needs: PassNeeds | None = None) -> Replayed:
    return replay(one, STORED if rows is None else rows, pass_needs=needs).unwrap()


@pytest.mark.parametrize(
    ("raw", "finish_reason"),
    [
        (PASSED, None),
        (PASSED, "stop"),
        (PASSED, "length"),
        (PASSED, "content_filter"),
        ('{"verdict": "PASS", "evidence_ids": ["e2"]}', None),
        ('{"verdict": "PASS", "evidence_ids": ["e5"]}', None),
        ('{"verdict": "PASS", "evidence_ids": ["nobody"]}', None),
        ('{"verdict": "REJECT"}', None),
        ("the verdict is PASS", None),
        (PASSED[:-4], None),
        (None, None),
        ('{"verdict": "PASS", "evidence_ids": ["e1"], "note": "hunter2"}', None),
        ('{"verdict": "PASS", "evidence_ids": ["e1"], "note": "\0"}', None),
        (PASSED + " " * 70_000, None),
    ],
)
def test_a_record_replayed_under_its_own_rules_gives_its_own_decision(
    raw: str | None, finish_reason: str | None
) -> None:
    for one in (recorded(raw, finish_reason=finish_reason), recorded(raw, needs=PassNeeds.DIRECT)):
        told = replayed(one)
        assert not told.changed
        assert (told.now.verdict, told.now.cause, told.rules) == (one.decision, one.cause, ())


@given(raw=st.one_of(st.text(max_size=60), st.text(alphabet='{}[]":,PASREJCTverdict \0\ud800', max_size=60)))
def test_any_reply_is_decided_again_as_it_was(raw: str) -> None:
    assert not replayed(recorded(raw)).changed


def test_a_row_that_is_gone_is_counted_and_its_record_stands_for_it() -> None:
    told = replayed(recorded(PASSED), rows={})
    assert (told.changed, told.missing) == (False, 5)


def test_a_reply_that_was_read_otherwise_names_the_reading_that_changed() -> None:
    """A record of a release whose parser took two equal keys for one."""
    one = recorded(PASSED)
    lenient = replace(one, raw='{"verdict": "REJECT", "verdict": "PASS", "evidence_ids": ["e1"]}')
    told = replayed(lenient)
    assert (told.now.verdict, told.now.cause) == (Verdict.LOW_CONFID, Cause.DUPLICATE_KEYS)
    assert told.rules == ("the reply was read as PASS, and is read as unusable (duplicate_keys)",)


def test_a_row_that_is_read_otherwise_names_the_row() -> None:
    """A record of a release that took an empty answer for a success."""
    empty = replace(STORED["call-1"], outcome=OutcomeKind.NO_EVIDENCE, support=None, reason="empty_result")
    told = replayed(recorded(PASSED), rows={**STORED, "call-1": empty})
    assert (told.now.verdict, told.now.cause) == (Verdict.LOW_CONFID, Cause.CITATION_NOT_SUCCESS)
    assert told.rules == ("e1 carried DIRECT, and carries nothing",)


def test_another_setting_is_named_as_the_rule() -> None:
    raw = '{"verdict": "PASS", "evidence_ids": ["e1"]}'
    indirect_rows = shown(indirect(1))
    parsed = parse_verdict(raw)
    judged = Judged(
        session_id="s",
        id="e",
        turn_id="t",
        created_at=NOON,
        question="?",
        decision=decide(parsed, indirect_rows),
        shown=indirect_rows,
        reply_text="",
        withheld=False,
        parsed=parsed,
        raw=raw,
    )
    told = replayed(evaluate(judged, redact=hide), rows={}, needs=PassNeeds.DIRECT)
    assert (told.verdict, told.now.verdict) == (Verdict.PASS, Verdict.LOW_CONFID)
    assert told.rules == ("pass_needs was any, and is direct",)


def test_a_ceiling_that_was_missing_is_named_by_its_cause() -> None:
    """A record of a release that let a PASS without a citation through."""
    one = replace(recorded('{"verdict": "PASS", "evidence_ids": []}'), decision=Verdict.PASS, cause=Cause.VERIFIED)
    told = replayed(one)
    assert (told.now.verdict, told.now.cause) == (Verdict.LOW_CONFID, Cause.NO_CITATION)
    assert told.rules == ("the ceiling: today the verifier named no call that the answer may rest on",)


def test_a_decision_lowered_because_its_record_was_not_stored_stays_lowered() -> None:
    told = replayed(recorded(PASSED, unsaved=True))
    assert (told.changed, told.now.cause) == (False, Cause.EVALUATION_NOT_STORED)


def test_a_row_that_was_only_spooled_then_does_not_carry_a_pass_today() -> None:
    told = replayed(recorded('{"verdict": "PASS", "evidence_ids": ["e5"]}'))
    assert told.now.cause is Cause.EVIDENCE_NOT_STORED


def test_a_redacted_or_cut_reply_is_not_read_again() -> None:
    assert replayed(recorded(PASSED)).reread
    assert not replayed(recorded('{"verdict": "PASS", "evidence_ids": ["e1"], "note": "hunter2"}')).reread
    assert not replayed(recorded(PASSED + " " * 70_000)).reread


def test_a_damaged_record_is_a_problem_and_shows_no_ids() -> None:
    broken = replace(recorded(PASSED), evidence="{")
    assert not is_successful(replay(broken, STORED))
    assert shown_ids(broken) == ()
    assert shown_ids(recorded(PASSED)) == tuple(STORED)


def test_nothing_of_the_answer_or_the_reply_is_in_a_replay() -> None:
    told = replayed(recorded('{"verdict": "REJECT", "reasons": ["CANARY-71"], "evidence_ids": ["CANARY-71"]}'))
    assert "CANARY" not in json.dumps({"told": repr(told)})
