"""The record of a verification: whole, bounded, enough to decide again, and silent on what was withheld (8 and 9)."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns import result
from returns.pipeline import is_successful

from groundtrace.decision import PassNeeds, decide, fallback
from groundtrace.disclosure import WITHHELD, public_view
from groundtrace.evaluation import RAW_BYTES, Evaluation
from groundtrace.explanation import explain
from groundtrace.judging import Judged, bounded_raw, evaluate, redecide
from groundtrace.reply import answer_withheld
from groundtrace.roles import Shown
from groundtrace.snapshot import Parsed, read_snapshot
from groundtrace.summary import entries_of, summarize
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict
from groundtrace.verdict_parser import parse_verdict
from groundtrace_testing.gate_rows import NOON, deduped, failure, indirect, no_evidence, shown, success

CANARY = "CANARY-93d0 the primary failed over"
ROWS = shown(success(1), failure(2), no_evidence(3), deduped(4), indirect(5), spooled=("call-5",))
PASSED = '{"verdict": "PASS", "confidence": 0.9, "evidence_ids": ["e1"], "reasons": ["e1 shows it"]}'


def hide(text: str) -> str:
    return text.replace("hunter2", "[redacted password 0a1b2c]")


def judged(raw: str | None, rows: tuple[Shown, ...] = ROWS, needs: PassNeeds = PassNeeds.ANY, **more: object) -> Judged:
    parsed = parse_verdict(raw)
    decision = decide(parsed, rows, pass_needs=needs)
    one = Judged(
        session_id="night-shift",
        id="evaluation-1",
        turn_id="turn-1",
        created_at=NOON + timedelta(minutes=1),
        question="Why did it fail over?",
        decision=decision,
        shown=rows,
        reply_text="what the user saw",
        withheld=answer_withheld(decision, rows),
        parsed=parsed,
        answer=CANARY,
        raw=raw,
        pass_needs=needs,
        entries=entries_of(summarize([shown_row.row for shown_row in rows])),
        coverage=("query_logs: asked, and it found something.",),
        model="verifier-x",
        prompt_version="verifier-1",
        prompt_sha256="cd" * 32,
        duration_ms=840,
        attempts=2,
    )
    return replace(one, **more)  # type: ignore[arg-type]


def recorded(raw: str | None, **more: object) -> Evaluation:
    return evaluate(judged(raw, **more), redact=hide)  # type: ignore[arg-type]


def test_a_verification_on_the_good_path_keeps_the_raw_text() -> None:
    """Field case E06 (pass)."""
    evaluation = recorded(PASSED)
    assert (evaluation.raw, evaluation.raw_cut, evaluation.given) == (PASSED, False, "PASS")
    assert (evaluation.decision, evaluation.cause, evaluation.fallback) == (Verdict.PASS, Cause.VERIFIED, False)
    assert (evaluation.cited, evaluation.reasons) == (("call-1",), ("e1 shows it",))
    assert (evaluation.duration_ms, evaluation.attempts, evaluation.model) == (840, 2, "verifier-x")


@pytest.mark.parametrize(
    ("raw", "cause", "given_word"),
    [
        (None, Cause.MISSING, None),
        ('{"verdict":', Cause.INVALID_JSON, None),
        ('{"verdict": "PERHAPS"}', Cause.UNKNOWN_VERDICT, "PERHAPS"),
        ("I will not judge this.", Cause.INVALID_JSON, None),
    ],
)
def test_a_verification_on_a_bad_path_keeps_cause_and_raw_text(
    raw: str | None, cause: Cause, given_word: str | None
) -> None:
    """Field cases E06 and A10 (garbage: the verdict as written)."""
    evaluation = recorded(raw)
    assert (evaluation.decision, evaluation.cause, evaluation.fallback) == (Verdict.LOW_CONFID, cause, True)
    assert (evaluation.raw, evaluation.given) == (raw, given_word)


@pytest.mark.parametrize("cause", [Cause.TIMED_OUT, Cause.VERIFIER_DISABLED, Cause.EXECUTOR_FAILED, Cause.CANCELLED])
def test_a_turn_without_any_reply_leaves_a_record_with_its_cause(cause: Cause) -> None:
    """Field case E06 (timeout, verifier_disabled)."""
    evaluation = recorded(None, parsed=None, decision=fallback(cause))
    assert (evaluation.cause, evaluation.raw, evaluation.decision) == (cause, None, Verdict.LOW_CONFID)
    assert redecide(evaluation).unwrap() == fallback(cause)
    assert explain(replace(evaluation, answer=None))[-1] == "The answer: there was none."


def test_every_text_is_cleaned_and_redacted() -> None:
    raw = '{"verdict": "hunter2", "evidence_ids": ["hunter2"], "reasons": ["hunter2 \\ud800"]}'
    low = '{"verdict": "PASS", "evidence_ids": ["hunter2"], "reasons": ["hunter2 \\ud800"], "a": "\x7f"}'
    texts = {"question": "is hunter2 ok?\x00", "answer": "hunter2\ud800", "reply_text": "hunter2", "model": "hunter2"}
    for evaluation in (recorded(raw, **texts), recorded(low, **texts)):
        whole = repr([getattr(evaluation, name) for name in Evaluation.__slots__])
        assert "hunter2" not in whole
        assert "[redacted password 0a1b2c]" in whole
        json.dumps(public_view(evaluation, reveal=True), ensure_ascii=False).encode("utf-8")


def test_raw_text_is_whole_up_to_64_kib_and_marked_when_cut() -> None:
    """Field case A17 (stored text bounded)."""
    fits = "x" * RAW_BYTES
    assert bounded_raw(fits, redact=hide) == (fits, False)
    for long in ("x" * (RAW_BYTES + 1), "\xe9" * RAW_BYTES, "\U0001f525" * 10_000_000):
        kept, was_cut = bounded_raw(long, redact=hide)
        assert was_cut
        assert RAW_BYTES - 4 <= len(kept.encode()) <= RAW_BYTES


@pytest.mark.parametrize("before", [RAW_BYTES - 3, RAW_BYTES, RAW_BYTES + 8_190, RAW_BYTES + 16_381])
def test_a_secret_across_a_cut_leaves_nothing(before: int) -> None:
    kept, was_cut = bounded_raw("x" * before + "hunter2" + "y" * 100_000, redact=hide)
    assert was_cut
    assert "hunt" not in kept


def test_the_evidence_is_strict_json_with_rows_entries_and_coverage() -> None:
    evidence = json.loads(recorded(PASSED).evidence)
    assert [(row["label"], row["outcome"], row["support"], row["state"]) for row in evidence["rows"]] == [
        ("e1", "success", "DIRECT", "stored"),
        ("e2", "failure", None, "stored"),
        ("e3", "no_evidence", None, "stored"),
        ("e4", "deduped", None, "stored"),
        ("e5", "success", "INDIRECT", "spooled"),
    ]
    assert evidence["entries"][1]["errors"] == ["no answer after 30 s"]
    assert evidence["coverage"] == ["query_logs: asked, and it found something."]
    assert evidence["pass_needs"] == "any"


REPLIES = [
    PASSED,
    '{"verdict": "PASS", "evidence_ids": ["e5"]}',
    '{"verdict": "PASS", "evidence_ids": ["e1", "e4"]}',
    '{"verdict": "PASS", "evidence_ids": ["nope", "e1", "hm\\u0000"]}',
    '{"verdict": "PASS", "evidence_ids": "e1"}',
    '{"verdict": "PASS", "evidence_ids": ["e1"], "confidence": 2}',
    '{"verdict": "PASS", "evidence_ids": ["e1"], "unsupported_claims": ["x"]}',
    '{"verdict": "LOW_CONFID", "evidence_ids": ["e1"]}',
    '{"verdict": "REJECT", "reasons": ["no"]}',
    "nothing of the kind",
]


@pytest.mark.parametrize("needs", list(PassNeeds))
@pytest.mark.parametrize("raw", REPLIES)
def test_the_record_alone_decides_again_and_alike(raw: str, needs: PassNeeds) -> None:
    one = judged(raw, needs=needs)
    assert redecide(evaluate(one, redact=hide)).unwrap() == one.decision


LABELS = st.sampled_from(["e1", "e2", "e5", "x", "y\x00"]) | st.text(max_size=300)
PARSED: st.SearchStrategy[Parsed] = st.builds(
    ParsedVerdict,
    verdict=st.sampled_from(Verdict),
    given=st.text(max_size=20),
    evidence_ids=st.none() | st.lists(LABELS, unique=True, max_size=60).map(tuple),
    lowered=st.sampled_from([None, Cause.CONTRADICTION, Cause.BAD_CONFIDENCE]),
).map(result.Success) | st.builds(UnusableReply, cause=st.sampled_from(Cause), given=st.none() | st.text()).map(
    result.Failure
)


@given(PARSED, st.sampled_from(PassNeeds), st.sampled_from([(), ("call-8",)]))
def test_deciding_again_is_deciding(parsed: Parsed, needs: PassNeeds, unstored: tuple[str, ...]) -> None:
    decision = decide(parsed, ROWS, pass_needs=needs, unstored=unstored)
    one = judged(None, parsed=parsed, decision=decision, pass_needs=needs, unstored=unstored)
    assert redecide(evaluate(one, redact=hide)).unwrap() == decision


def test_a_record_can_be_decided_again_under_another_setting() -> None:
    rows = shown(indirect(1))
    evaluation = recorded(PASSED, rows=rows)
    assert evaluation.decision is Verdict.PASS
    assert redecide(evaluation, pass_needs=PassNeeds.DIRECT).unwrap().verdict is Verdict.LOW_CONFID


@pytest.mark.parametrize("evidence", ["", "{}", "[]", "nonsense", '{"version": 99}', "[" * 5_000])
def test_a_damaged_record_is_a_problem_and_nothing_raises(evidence: str) -> None:
    evaluation = replace(recorded(PASSED), evidence=evidence)
    assert not is_successful(redecide(evaluation))
    assert not is_successful(read_snapshot(evidence))
    assert "cannot be read" in explain(evaluation)[0]
    assert isinstance(public_view(evaluation, reveal=False)["evidence"], dict)


LEAKING = [
    f'{{"verdict": "REJECT", "evidence_ids": ["{CANARY}"], "reasons": ["{CANARY}"]}}',
    f'{{"verdict": "{CANARY}"}}',
    f'{{"verdict": "PASS", "evidence_ids": ["e1", "{CANARY}"], "reasons": ["{CANARY}"]}}',
    f'{{"verdict": "PASS", "evidence_ids": ["e1"], "unsupported_claims": ["{CANARY}"]}}',
    f"{CANARY}",
    f'{{"verdict": "LOW_CONFID", "confidence": "{CANARY}"}}',
]


@pytest.mark.parametrize("raw", LEAKING)
def test_no_reader_sees_what_was_withheld(raw: str) -> None:
    """Field case E01 for the record: answer, raw text, reasons, claims and words that are not ours."""
    evaluation = recorded(raw)
    assert evaluation.withheld
    assert "CANARY" not in json.dumps(public_view(evaluation, reveal=False))
    assert "CANARY" not in "\n".join(explain(evaluation))
    assert "CANARY" not in repr(evaluation)
    revealed = public_view(evaluation, reveal=True)
    assert (revealed["answer"], revealed["raw"]) == (CANARY, raw)


def test_a_rejection_is_hidden_even_if_its_record_says_otherwise() -> None:
    evaluation = replace(recorded(LEAKING[0]), withheld=False)
    assert "CANARY" not in json.dumps(public_view(evaluation, reveal=False))


def test_what_is_hidden_leaves_a_mark_and_the_count() -> None:
    view = public_view(recorded(LEAKING[2]), reveal=False)
    assert (view["unknown"], view["given"], view["shown"]) == ([WITHHELD], "PASS", "what the user saw")
    assert public_view(recorded(LEAKING[1]), reveal=False)["given"] == WITHHELD


def test_a_shown_answer_is_shown_to_readers_too() -> None:
    for raw in (PASSED, '{"verdict": "LOW_CONFID", "reasons": ["only a part"]}'):
        view = public_view(recorded(raw), reveal=False)
        assert (view["answer"], view["raw"]) == (CANARY, raw)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (
            PASSED,
            [
                "own verdict is PASS",
                "e1, e5 found something",
                "Citation e1: a success with DIRECT",
                "no call",
                "PASS (verified)",
            ],
        ),
        (REPLIES[1], ["Citation e5: a success, but only spooled", "LOW_CONFID (evidence_not_stored)"]),
        (REPLIES[2], ["Citation e4: its outcome is deduped", "LOW_CONFID (citation_not_success)"]),
        (REPLIES[3], ["2 citations name no call", "LOW_CONFID (unknown_citation)"]),
        (REPLIES[4], ["The citations: none", "LOW_CONFID (no_citation)"]),
        (REPLIES[5], ["confidence was no number", "LOW_CONFID (bad_confidence)"]),
        (REPLIES[7], ["own verdict is LOW_CONFID", "never raises", "marked unverified"]),
        (REPLIES[8], ["own verdict is REJECT", "REJECT (verifier_reject)", "withheld"]),
        (REPLIES[9], ["not usable", "no valid JSON", "withheld"]),
    ],
)
def test_an_explanation_tells_rule_by_rule_why(raw: str, words: list[str]) -> None:
    told = "\n".join(explain(recorded(raw)))
    assert [word for word in words if word not in told] == []


def test_an_explanation_tells_lost_rows_the_setting_and_the_absence_of_evidence() -> None:
    lost = judged(PASSED, unstored=("call-9",), decision=decide(parse_verdict(PASSED), ROWS, unstored=["call-9"]))
    assert "1 call of this turn is neither stored nor spooled" in "\n".join(explain(evaluate(lost, redact=hide)))
    direct = recorded(PASSED, needs=PassNeeds.DIRECT)
    assert "DIRECT support; e1 has it" in "\n".join(explain(direct))
    assert "none of them found anything" in "\n".join(explain(recorded(PASSED, rows=shown(failure(1)))))
