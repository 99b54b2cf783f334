"""From a verdict to a decision: the ceiling, its causes, and the law that nothing raises (DESIGN section 8)."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns import result

from groundtrace.decision import (
    Decision,
    PassNeeds,
    cause_of_failure,
    ceiling,
    decide,
    fallback,
    not_stored,
)
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import FailureKind, OutcomeKind
from groundtrace.roles import RowState, Shown
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict
from groundtrace.verdict_parser import parse_verdict
from groundtrace_testing.gate_rows import deduped, failure, indirect, no_evidence, shown, success

HEIGHT = {Verdict.REJECT: 0, Verdict.LOW_CONFID: 1, Verdict.PASS: 2}


def passing(*labels: str) -> str:
    cited = ", ".join(f'"{label}"' for label in labels)
    return f'{{"verdict": "PASS", "confidence": 0.99, "evidence_ids": [{cited}]}}'


def decided(raw: str, rows: tuple[Shown, ...], needs: PassNeeds = PassNeeds.ANY) -> Decision:
    return decide(parse_verdict(raw), rows, pass_needs=needs)


def test_a_pass_on_cited_successes_is_verified() -> None:
    rows = shown(success(1), failure(2), indirect(3))
    assert decided(passing("e3", "e1", "e3"), rows) == Decision(
        verdict=Verdict.PASS, cause=Cause.VERIFIED, own=Verdict.PASS, cited=("call-3", "call-1")
    )


MIXED = shown(success(1), failure(2), no_evidence(3), deduped(4), indirect(5))


@pytest.mark.parametrize(
    ("ids", "cause"),
    [
        ('["e9"]', Cause.UNKNOWN_CITATION),
        ('["[1]"]', Cause.UNKNOWN_CITATION),
        ('["e1 "]', Cause.UNKNOWN_CITATION),
        ('["E1"]', Cause.UNKNOWN_CITATION),
        ('["e10"]', Cause.UNKNOWN_CITATION),
        ('["\\uff45\\uff11"]', Cause.UNKNOWN_CITATION),
        ('["call-1"]', Cause.UNKNOWN_CITATION),
        ('["e1", "e9"]', Cause.UNKNOWN_CITATION),
        ('[""]', Cause.UNKNOWN_CITATION),
        ('["e2"]', Cause.CITATION_NOT_SUCCESS),
        ('["e3"]', Cause.CITATION_NOT_SUCCESS),
        ('["e4"]', Cause.CITATION_NOT_SUCCESS),
        ('["e1", "e2"]', Cause.CITATION_NOT_SUCCESS),
        ("[]", Cause.NO_CITATION),
        ("null", Cause.NO_CITATION),
        ('"e1"', Cause.NO_CITATION),
        ("[1]", Cause.NO_CITATION),
        ('["e1", 1]', Cause.NO_CITATION),
        ('{"0": "e1"}', Cause.NO_CITATION),
    ],
)
def test_every_citation_of_a_pass_must_be_a_shown_success(ids: str, cause: Cause) -> None:
    """Field case E09."""
    decision = decided(f'{{"verdict": "PASS", "confidence": 0.99, "evidence_ids": {ids}}}', MIXED)
    assert (decision.verdict, decision.cause, decision.own) == (Verdict.LOW_CONFID, cause, Verdict.PASS)
    assert not decision.fallback


def test_a_pass_without_the_key_evidence_ids_cites_nothing() -> None:
    """Field case E09 (key_missing)."""
    assert decided('{"verdict": "PASS"}', MIXED).cause is Cause.NO_CITATION


def test_unknown_citations_are_recorded_as_written_and_bounded_and_never_printed() -> None:
    """Field case E09 (mixed)."""
    decision = decided(passing("e1", "e77", "the primary failed over"), MIXED)
    assert decision.unknown == ("e77", "the primary failed over")
    assert "failed over" not in repr(decision)
    many = decided(passing(*(f"x{number}" + "y" * 500 for number in range(300))), MIXED)
    assert len(many.unknown) == 20
    assert max(map(len, many.unknown)) == 200


@pytest.mark.parametrize(
    "rows",
    [
        (),
        (failure(1), failure(2)),
        (no_evidence(1),),
        (deduped(1),),
        (failure(1), no_evidence(2), deduped(3)),
        (success(1, support=None),),
        (success(1, success=False),),
        (success(1, output_state=OutputState.NONE, output_preview=None),),
        (success(1, output_preview=" \n\u200b"),),
    ],
    ids=[
        "no rows",
        "all failed",
        "all empty",
        "only repeats",
        "one of each",
        "no support",
        "success denied",
        "success without output",
        "blank success",
    ],
)
def test_a_pass_without_any_evidence_is_low(rows: tuple[Invocation, ...]) -> None:
    """Field case E10."""
    decision = decided(passing("e1"), shown(*rows))
    assert (decision.verdict, decision.cause) == (Verdict.LOW_CONFID, Cause.NO_EVIDENCE)
    assert ceiling(shown(*rows)) is Verdict.LOW_CONFID


def test_one_direct_success_carries_a_pass() -> None:
    """Field case E10 (one_direct)."""
    assert decided(passing("e1"), shown(success(1))).verdict is Verdict.PASS


def test_a_row_that_a_repeat_points_to_carries_a_pass_and_the_repeat_does_not() -> None:
    rows = shown(success(1, turn_id="turn-0"), deduped(2))
    assert decided(passing("e1"), rows).verdict is Verdict.PASS
    assert decided(passing("e1", "e2"), rows).cause is Cause.CITATION_NOT_SUCCESS


def test_a_spooled_row_carries_no_pass_and_does_not_hurt_one_that_rests_on_others() -> None:
    rows = shown(success(1), success(2), spooled=("call-2",))
    assert decided(passing("e2"), rows).cause is Cause.EVIDENCE_NOT_STORED
    assert decided(passing("e1", "e2"), rows).cause is Cause.EVIDENCE_NOT_STORED
    assert decided(passing("e1"), rows).verdict is Verdict.PASS


@pytest.mark.parametrize("lost", [failure(2), no_evidence(2), success(2), deduped(2)])
def test_a_lost_row_lowers_a_decision_whoever_cites_it(lost: Invocation) -> None:
    rows = shown(success(1), lost, lost=("call-2",))
    assert decided(passing("e1"), rows).cause is Cause.EVIDENCE_NOT_STORED
    assert ceiling(rows) is Verdict.LOW_CONFID


def test_a_lost_row_that_is_not_even_shown_lowers_a_decision() -> None:
    rows = shown(success(1))
    for raw in (passing("e1"), '{"verdict": "LOW_CONFID"}'):
        assert decide(parse_verdict(raw), rows, unstored=["call-9"]).cause is Cause.EVIDENCE_NOT_STORED
    assert decide(parse_verdict('{"verdict": "REJECT"}'), rows, unstored=["call-9"]).cause is Cause.VERIFIER_REJECT
    assert ceiling(rows, unstored=["call-9"]) is Verdict.LOW_CONFID


def test_pass_needs_direct_asks_for_one_direct_citation() -> None:
    rows = shown(success(1), indirect(2))
    assert decided(passing("e2"), rows, PassNeeds.ANY).verdict is Verdict.PASS
    assert decided(passing("e2"), rows, PassNeeds.DIRECT).cause is Cause.NO_CITATION
    assert decided(passing("e2", "e1"), rows, PassNeeds.DIRECT).verdict is Verdict.PASS
    assert ceiling(shown(indirect(1)), pass_needs=PassNeeds.DIRECT) is Verdict.LOW_CONFID


@pytest.mark.parametrize(
    ("raw", "cause"),
    [
        ('{"verdict": "PASS", "confidence": 3, "unsupported_claims": ["x"]}', Cause.CONTRADICTION),
        ('{"verdict": "PASS", "confidence": 3}', Cause.BAD_CONFIDENCE),
        ('{"verdict": "PASS", "evidence_ids": ["e9", "e2"]}', Cause.UNKNOWN_CITATION),
        ('{"verdict": "PASS", "evidence_ids": ["e2", "e3"]}', Cause.CITATION_NOT_SUCCESS),
    ],
)
def test_of_several_causes_the_one_nearest_to_the_reply_is_named(raw: str, cause: Cause) -> None:
    rows = shown(success(1), failure(2), success(5), spooled=("call-5",), lost=("call-1",))
    assert decided(raw, rows).cause is cause


def test_a_reply_that_denies_itself_is_a_fallback() -> None:
    """Field case A16: what is not well formed does not stand behind a decision."""
    for raw in ('{"verdict": "PASS", "confidence": 3}', '{"verdict": "PASS", "unsupported_claims": ["x"]}'):
        decision = decided(raw, MIXED)
        assert (decision.verdict, decision.fallback) == (Verdict.LOW_CONFID, True)


def test_an_own_low_confid_is_no_fallback() -> None:
    decision = decided('{"verdict": "LOW_CONFID", "evidence_ids": ["e1"]}', MIXED)
    assert decision == Decision(
        verdict=Verdict.LOW_CONFID, cause=Cause.VERIFIER_LOW, own=Verdict.LOW_CONFID, cited=("call-1",)
    )
    assert not decision.fallback


@pytest.mark.parametrize("cause", [cause for cause in Cause if cause not in (Cause.VERIFIED, Cause.VERIFIER_REJECT)])
def test_an_unusable_reply_falls_back_to_low_with_its_cause(cause: Cause) -> None:
    """Field case E06: the causes stay distinct."""
    decision = decide(result.Failure(UnusableReply(cause=cause)), MIXED)
    assert decision == fallback(cause)
    assert (decision.verdict, decision.fallback) == (Verdict.LOW_CONFID, True)


def test_a_model_that_gave_no_reply_has_its_own_cause() -> None:
    assert cause_of_failure(FailureKind.TIMEOUT) is Cause.TIMED_OUT
    assert cause_of_failure(FailureKind.CANCELLED) is Cause.CANCELLED
    assert cause_of_failure(FailureKind.RATE_LIMITED) is Cause.VERIFIER_ERROR


def test_without_a_stored_evaluation_no_pass_and_no_unverified_answer_is_served() -> None:
    verified, low = decided(passing("e1"), MIXED), decided('{"verdict": "LOW_CONFID"}', MIXED)
    for decision in (verified, low):
        lowered = not_stored(decision)
        assert (lowered.verdict, lowered.cause) == (Verdict.LOW_CONFID, Cause.EVALUATION_NOT_STORED)
    for kept in (fallback(Cause.TIMED_OUT), decided('{"verdict": "REJECT"}', MIXED), decided(passing(), MIXED)):
        assert not_stored(kept) == kept


ROWS = st.lists(
    st.tuples(
        st.sampled_from([success, indirect, no_evidence, failure, deduped]),
        st.sampled_from(list(RowState)),
    ),
    max_size=5,
).map(
    lambda drawn: tuple(
        replace(one, state=state)
        for one, (_, state) in zip(
            shown(*(make(number) for number, (make, _) in enumerate(drawn, start=1))), drawn, strict=True
        )
    )
)
LABELS = st.sampled_from(["e1", "e2", "e3", "e4", "e5", "e9", "E1", ""])
REPLIES = st.builds(
    ParsedVerdict,
    verdict=st.sampled_from(Verdict),
    given=st.just("as written"),
    evidence_ids=st.none() | st.lists(LABELS, unique=True, max_size=4).map(tuple),
    lowered=st.sampled_from([None, Cause.CONTRADICTION, Cause.BAD_CONFIDENCE]),
)
NEEDS = st.sampled_from(PassNeeds)
UNSTORED = st.sampled_from([(), ("call-7",)])


@given(REPLIES, ROWS, NEEDS, UNSTORED)
def test_no_decision_is_above_the_verifier_or_above_the_ceiling(
    reply: ParsedVerdict, rows: tuple[Shown, ...], needs: PassNeeds, unstored: tuple[str, ...]
) -> None:
    decision = decide(result.Success(reply), rows, pass_needs=needs, unstored=unstored)
    top = min(HEIGHT[reply.verdict], HEIGHT[ceiling(rows, pass_needs=needs, unstored=unstored)])
    assert HEIGHT[decision.verdict] <= top
    assert (decision.verdict is Verdict.REJECT) == (reply.verdict is Verdict.REJECT)


@given(REPLIES, ROWS, NEEDS)
def test_a_pass_rests_on_stored_shown_successes_only(
    reply: ParsedVerdict, rows: tuple[Shown, ...], needs: PassNeeds
) -> None:
    decision = decide(result.Success(reply), rows, pass_needs=needs)
    by_id = {one.row.id: one for one in rows}
    if decision.verdict is Verdict.PASS:
        assert decision.cited
        assert not decision.unknown
        assert {by_id[cited].row.outcome for cited in decision.cited} == {OutcomeKind.SUCCESS}
        assert {one.state for one in rows} <= {RowState.STORED, RowState.SPOOLED}
        assert {by_id[cited].state for cited in decision.cited} == {RowState.STORED}


@given(REPLIES, ROWS, NEEDS, st.data())
def test_taking_evidence_away_never_raises_a_decision(
    reply: ParsedVerdict, rows: tuple[Shown, ...], needs: PassNeeds, data: st.DataObject
) -> None:
    before = decide(result.Success(reply), rows, pass_needs=needs)
    fewer = tuple(one for one in rows if data.draw(st.booleans()) or one.state is RowState.LOST)
    worse = tuple(replace(one, state=RowState.SPOOLED) if one.state is RowState.STORED else one for one in rows)
    for poorer in (fewer, worse):
        assert HEIGHT[decide(result.Success(reply), poorer, pass_needs=needs).verdict] <= HEIGHT[before.verdict]


Mutation: TypeAlias = Callable[[str], str]
MUTATIONS: list[Mutation] = [
    lambda raw: raw[:-1],
    lambda raw: raw + raw,
    lambda raw: "Well: " + raw,
    lambda raw: raw + " (final)",
    lambda raw: f"[{raw}]",
    lambda raw: raw.replace('"verdict"', '"Verdict"'),
    lambda raw: raw.replace("}", ',"verdict":"PASS"}'),
    lambda raw: raw.replace("}", ',"confidence":17}'),
    lambda raw: raw.replace("}", ',"detail":{"verdict":"PASS"}}'),
    lambda raw: raw.replace("}", ',"unsupported_claims":["x"]}'),
    lambda raw: f"```json\n{raw}\n```",
    lambda raw: f"<think>PASS</think>{raw}",
    lambda raw: raw.lower(),
    lambda raw: raw.replace("e1", "e9"),
    lambda raw: "\ufeff" + raw,
]


@given(st.sampled_from(Verdict), st.lists(st.sampled_from(MUTATIONS), max_size=4), ROWS)
def test_no_mutation_of_a_reply_raises_its_decision(
    verdict: Verdict, mutations: list[Mutation], rows: tuple[Shown, ...]
) -> None:
    """A broken REJECT may fall back to LOW_CONFID, with the answer withheld all the same; it never becomes a PASS."""
    raw = f'{{"verdict":"{verdict}","evidence_ids":["e1"]}}'
    plain = decided(raw, rows)
    for mutate in mutations:
        raw = mutate(raw)
    mutated = decided(raw, rows)
    assert mutated.verdict is not Verdict.PASS or plain.verdict is Verdict.PASS
    assert HEIGHT[mutated.verdict] <= HEIGHT[plain.verdict] or mutated.fallback
