"""Coverage: found, empty, failed, never asked, one line a source, in plain words (DESIGN section 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.coverage import Covered, CoverState, ExpectedSource, coverage_of
from groundtrace.invocation import Invocation
from groundtrace.outcomes import FailureKind, NoEvidenceReason
from groundtrace_testing.gate_rows import deduped, failure, indirect, no_evidence, success

LOGS = ExpectedSource(tool_name="query_logs", source_name="app logs")
METRICS = ExpectedSource(tool_name="query_metrics", source_name="metrics")
KNOWLEDGE = ExpectedSource(tool_name="lookup_knowledge", source_name="")


def of_logs(*rows: Invocation) -> Covered:
    return coverage_of(rows, [LOGS])[0]


def test_each_source_has_one_line_in_the_order_expected() -> None:
    rows = (success(1), no_evidence(2, tool_name="query_metrics"))
    covered = coverage_of(rows, [KNOWLEDGE, METRICS, LOGS])
    assert [(one.name, one.state) for one in covered] == [
        ("lookup_knowledge", CoverState.NEVER_ASKED),
        ("query_metrics (metrics)", CoverState.EMPTY),
        ("query_logs (app logs)", CoverState.FOUND),
    ]
    assert covered[0].line == "lookup_knowledge: never asked."
    assert all("\n" not in one.line for one in covered)


def test_a_line_tells_what_was_asked_and_what_came_of_it() -> None:
    line = of_logs(
        success(1, input_params='{"pattern": "refused"}'),
        no_evidence(2, input_params='{"pattern": "oom"}'),
        failure(3, input_params='{"pattern": "panic"}'),
    ).line
    assert line == (
        "query_logs (app logs): asked, and it found something. Found 1: pattern=refused. "
        "Empty 1: pattern=oom: nothing matched. "
        "Failed 1: pattern=panic: it took too long (no answer after 30 s)."
    )


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ((success(1), no_evidence(2), failure(3)), CoverState.FOUND),
        ((failure(1), indirect(2)), CoverState.FOUND),
        ((no_evidence(1), failure(2)), CoverState.FAILED),
        ((failure(1),), CoverState.FAILED),
        ((no_evidence(1), no_evidence(2)), CoverState.EMPTY),
        ((deduped(1, tool_name="query_logs"),), CoverState.EMPTY),
        ((success(1), deduped(2, tool_name="query_logs")), CoverState.FOUND),
        ((failure(1), deduped(2, tool_name="query_logs")), CoverState.FAILED),
        ((), CoverState.NEVER_ASKED),
    ],
)
def test_a_source_asked_several_times_with_mixed_outcomes(rows: tuple[Invocation, ...], state: CoverState) -> None:
    """An empty answer beside a failure shows nothing: that source has failed."""
    assert of_logs(*rows).state is state


def test_a_repeat_is_told_apart_from_an_empty_answer() -> None:
    covered = coverage_of((no_evidence(1, tool_name="lookup_knowledge"), deduped(2)), [KNOWLEDGE])[0]
    assert (len(covered.empty), len(covered.repeats)) == (1, 1)
    assert "Repeated 1" in covered.line
    assert "asked before, nothing new" in covered.line


def test_partial_answers_are_told_as_such() -> None:
    covered = of_logs(
        indirect(1, partial=True),
        no_evidence(2, partial=True, reason=NoEvidenceReason.PARTIAL_EMPTY.value),
    )
    assert "only a part was seen" in covered.found[0]
    assert "no proof of absence" in covered.empty[0]


@pytest.mark.parametrize("reason", list(NoEvidenceReason))
def test_every_empty_reason_has_its_own_words(reason: NoEvidenceReason) -> None:
    words = {of_logs(no_evidence(1, reason=one.value)).empty[0] for one in NoEvidenceReason}
    assert len(words) == len(NoEvidenceReason)
    assert "nothing usable" not in of_logs(no_evidence(1, reason=reason.value)).line


@pytest.mark.parametrize("kind", list(FailureKind))
def test_every_failure_is_told_with_its_message(kind: FailureKind) -> None:
    covered = of_logs(failure(1, reason=kind.value, error_message="disk sdb gone"))
    assert covered.failed[0].endswith("(disk sdb gone)")


def test_reasons_written_by_others_still_give_words() -> None:
    assert of_logs(no_evidence(1, reason=None)).empty[0].endswith("nothing usable came back")
    assert of_logs(failure(1, reason="boom", error_message=None)).failed[0].endswith("it failed")


def test_a_tool_that_nobody_expected_is_told_too() -> None:
    covered = coverage_of((success(1, tool_name="kubectl"),), [LOGS])
    assert [(one.name, one.state) for one in covered] == [
        ("query_logs (app logs)", CoverState.NEVER_ASKED),
        ("kubectl", CoverState.FOUND),
    ]


def test_many_calls_are_counted_and_a_few_are_told() -> None:
    covered = of_logs(*(failure(number, input_params=f'{{"n": {number}}}') for number in range(1, 40)))
    assert "Failed 39: " in covered.line
    assert "and 34 more" in covered.line
    assert len(covered.line) < 3_000


@given(st.text(), st.text(), st.text())
def test_whatever_a_tool_is_called_or_says_stays_in_its_line(name: str, params: str, message: str) -> None:
    row = failure(1, tool_name=name or "x", input_params=params, error_message=message)
    for one in coverage_of((row,), [LOGS]):
        assert len(one.line.splitlines()) == 1
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in one.line)
