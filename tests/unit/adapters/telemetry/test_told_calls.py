"""A row as a span, and a decision as an event: values in, values out; no SDK is loaded."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.telemetry.calls import call_attributes, error_type, span_name, span_times
from groundtrace_adapters.telemetry.decisions import decision_attributes
from groundtrace_testing.records import a_failure, a_knowledge_row, a_row, an_evaluation

NOTHING = a_row(outcome=OutcomeKind.NO_EVIDENCE, support=None, reason="no_match")
REPEAT = a_row(outcome=OutcomeKind.DEDUPED, support=None, reason="same_query", dedup_reason="same_query")


def test_a_success_is_told_with_its_level() -> None:
    assert call_attributes(a_row(), content=False) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "query_logs",
        "gen_ai.conversation.id": "acme/outage",
        "groundtrace.invocation.id": "call-1",
        "groundtrace.turn.id": "turn-1",
        "groundtrace.outcome": "success",
        "groundtrace.evidence.level": "DIRECT",
        "groundtrace.basis": "declared",
        "groundtrace.partial": False,
        "groundtrace.output.state": "full",
        "groundtrace.output.bytes": 7,
    }


@pytest.mark.parametrize("row", [a_row(), NOTHING, REPEAT], ids=["success", "no_evidence", "deduped"])
def test_only_a_failure_is_an_error(row: Invocation) -> None:
    assert error_type(row) is None
    assert "error.type" not in call_attributes(row, content=True)


def test_a_failure_is_an_error_of_its_kind() -> None:
    told = call_attributes(a_failure(), content=False)
    assert (told["error.type"], told["groundtrace.reason"]) == ("timeout", "timeout")
    assert "groundtrace.failure.message" not in told
    assert error_type(a_failure(reason=None)) == "_OTHER"


def test_nothing_found_is_told_apart_from_a_repeat() -> None:
    told = [call_attributes(row, content=False) for row in (NOTHING, REPEAT)]
    assert [(one["groundtrace.outcome"], one["groundtrace.reason"]) for one in told] == [
        ("no_evidence", "no_match"),
        ("deduped", "same_query"),
    ]
    assert {one["groundtrace.evidence.level"] for one in told} == {"NONE"}


def test_what_the_tool_was_given_and_returned_goes_out_on_request_only() -> None:
    row = a_failure(output_preview="half of it", topic_domain="payroll")
    told = call_attributes(row, content=False)
    assert not any(word in str(told) for word in ("checkout", "half of it", "payroll", "5 s"))
    more = call_attributes(row, content=True)
    assert more["gen_ai.tool.call.arguments"] == row.input_params
    assert (more["gen_ai.tool.call.result"], more["groundtrace.topic_domain"]) == ("half of it", "payroll")
    assert more["groundtrace.failure.message"] == "TimeoutError: 5 s"


def test_a_lookup_is_told_with_what_it_considered_and_delivered() -> None:
    told = call_attributes(a_knowledge_row(), content=False)
    assert told["groundtrace.retrieval.layer"] == "L1"
    assert (told["groundtrace.retrieval.l0_count"], told["groundtrace.retrieval.l1_count"]) == (9, 3)
    assert told["groundtrace.retrieval.relevance"] == "medium"


def test_a_span_has_the_times_of_its_row() -> None:
    row = a_row(started_at=datetime(2026, 3, 8, 12, 0, 0, 123_457, tzinfo=UTC), duration_ms=1_500)
    assert span_times(row) == (1_772_971_200_123_457_000, 1_772_971_201_623_457_000)
    assert span_name(row) == "execute_tool query_logs"


@pytest.mark.parametrize("moment", [datetime(1969, 12, 31, tzinfo=UTC), datetime.min.replace(tzinfo=UTC)])
def test_a_time_that_cannot_be_written_is_the_first_one(moment: datetime) -> None:
    assert span_times(a_row(started_at=moment, duration_ms=None)) == (0, 0)


def test_a_decision_is_told_with_its_label_and_a_sentence_of_ours() -> None:
    told = decision_attributes(an_evaluation(), content=False)
    assert told["gen_ai.evaluation.name"] == "groundtrace.decision"
    assert told["gen_ai.evaluation.score.label"] == "PASS"
    assert told["gen_ai.evaluation.explanation"] == "every cited call found evidence and is stored"
    assert (told["groundtrace.cause"], told["groundtrace.cited"], told["groundtrace.withheld"]) == (
        "verified",
        1,
        False,
    )
    assert "error.type" not in told


def test_the_reasons_for_an_answer_that_was_shown_go_out_on_request() -> None:
    told = decision_attributes(an_evaluation(), content=True)
    assert str(told["gen_ai.evaluation.explanation"]).endswith("; e1 shows the pool exhausted")


@pytest.mark.parametrize("content", [False, True])
@pytest.mark.parametrize(
    ("decision", "cause", "withheld"),
    [
        (Verdict.REJECT, Cause.VERIFIER_REJECT, True),
        (Verdict.REJECT, Cause.VERIFIER_REJECT, False),
        (Verdict.LOW_CONFID, Cause.INVALID_JSON, True),
    ],
)
def test_nothing_that_was_withheld_is_told(
    content: bool,  # noqa: FBT001 - a parameter of the test
    decision: Verdict,
    cause: Cause,
    withheld: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    secret = "the intern deleted the table"
    evaluation = an_evaluation(
        decision=decision,
        cause=cause,
        withheld=withheld,
        given=secret,
        raw=secret,
        reasons=(secret,),
        unknown=(secret,),
        answer=secret,
        evidence=f'{{"shown": ["{secret}"]}}',
    )
    told = decision_attributes(evaluation, content=content)
    assert secret not in str(told)
    assert (told["gen_ai.evaluation.score.label"], told["groundtrace.withheld"]) == (decision.value, True)


def test_a_verification_that_broke_is_an_error() -> None:
    broken = an_evaluation(decision=Verdict.LOW_CONFID, cause=Cause.TIMED_OUT, fallback=True)
    assert decision_attributes(broken, content=False)["error.type"] == "timed_out"
    low = an_evaluation(decision=Verdict.LOW_CONFID, cause=Cause.NO_CITATION)
    assert "error.type" not in decision_attributes(low, content=False)
