"""`query_metrics`: untrusted parameters in, one true outcome out."""

import asyncio
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.material import read_material
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Support
from groundtrace.sources import Series, SourceError
from groundtrace_adapters.sources.metric_files import FileMetricSource
from groundtrace_adapters.sources.metric_files.answer import MetricBounds
from groundtrace_adapters.sources.metric_memory import MemoryMetricSource
from groundtrace_app.tools.answer import EvidenceTool, ToolAnswer
from groundtrace_app.tools.query_metrics import QueryMetricsTool

START = datetime(2026, 11, 30, 16, 50, tzinfo=UTC)


def series(name: str, *values: float, **labels: str) -> Series:
    points = tuple((START + timedelta(seconds=30 * at), value) for at, value in enumerate(values))
    return Series(name=name, labels=labels, points=points)


SERIES = (
    series("requests_total", 10.0, 40.0, 100.0, pod="api-0"),
    series("requests_total", 7.0, 7.0, 7.0, pod="api-1"),
    series("error_rate", 0.0, 0.0, 0.0, pod="api-0"),
    series("latency_seconds", math.nan, math.nan, math.nan, pod="api-0"),
    series("mixed", 1.0, math.nan, pod="api-0"),
)


def run(params: Mapping[str, object], source: MemoryMetricSource | FileMetricSource | None = None) -> ToolAnswer:
    tool: EvidenceTool = QueryMetricsTool(source or MemoryMetricSource(SERIES))
    return asyncio.run(tool.run(params, session_id="s", call_id="c"))


def success(answer: ToolAnswer) -> outcomes.Success:
    assert isinstance(answer.outcome, outcomes.Success)
    return answer.outcome


def empty(answer: ToolAnswer) -> outcomes.NoEvidence:
    assert isinstance(answer.outcome, outcomes.NoEvidence)
    return answer.outcome


def failure(answer: ToolAnswer) -> outcomes.Failure:
    assert isinstance(answer.outcome, outcomes.Failure)
    return answer.outcome


def notes(answer: ToolAnswer) -> str:
    return "\n".join(str(line["note"]) for line in read_material(answer.text) if "note" in line)


def test_a_complete_answer_is_direct_and_its_output_is_the_material() -> None:
    answer = run({"selector": 'requests_total{pod="api-0"}', "aggregate": "increase"})
    outcome = success(answer)
    assert (outcome.support, outcome.partial, outcome.basis) == (Support.DIRECT, (), Basis.DECLARED)
    assert outcome.output == answer.text
    assert read_material(answer.text) == (
        {
            "metric": "requests_total",
            "labels": {"pod": "api-0"},
            "aggregate": "increase",
            "points": [["2026-11-30T16:51:00Z", 90.0]],
        },
    )


def test_zero_is_a_value() -> None:
    """Field case C05: a measured 0."""
    answer = run({"selector": "error_rate", "aggregate": "max"})
    assert success(answer).support is Support.DIRECT
    assert read_material(answer.text)[0]["points"] == [["2026-11-30T16:50:00Z", 0.0]]


def test_an_unknown_series_is_no_match_and_says_from_when_to_when_there_are_data() -> None:
    answer = run({"selector": "no_such", "start": "2026-11-30T16:50:00Z"})
    outcome = empty(answer)
    assert (outcome.reason, outcome.partial) == (NoEvidenceReason.NO_MATCH, ())
    assert "reaches from 2026-11-30T16:50:00Z to 2026-11-30T16:51:00Z" in notes(answer)


def test_a_known_series_outside_of_the_window_is_no_match() -> None:
    answer = run({"selector": "error_rate", "start": "2026-11-30T20:00:00Z"})
    assert empty(answer).reason is NoEvidenceReason.NO_MATCH


@pytest.mark.parametrize("aggregate", ["last", "min", "max", "avg", "rate", "increase"])
def test_nothing_but_nan_is_not_a_number(aggregate: str) -> None:
    answer = run({"selector": "latency_seconds", "aggregate": aggregate})
    assert empty(answer).reason is NoEvidenceReason.NOT_A_NUMBER


def test_a_value_beside_nan_is_a_value_and_the_nan_is_shown() -> None:
    answer = run({"selector": "mixed", "step": 30})
    assert success(answer).support is Support.DIRECT
    assert read_material(answer.text)[0]["points"] == [["2026-11-30T16:50:00Z", 1.0], ["2026-11-30T16:50:30Z", "NaN"]]
    assert empty(run({"selector": "mixed"})).reason is NoEvidenceReason.NOT_A_NUMBER


def test_a_rate_of_one_point_is_an_empty_result() -> None:
    answer = run({"selector": "requests_total", "start": "2026-11-30T16:51:00Z", "aggregate": "rate"})
    outcome = empty(answer)
    assert outcome.reason is NoEvidenceReason.EMPTY_RESULT
    assert "fewer than two points" in notes(answer)


def test_an_empty_answer_that_did_not_see_all_is_no_proof_of_absence() -> None:
    """Field case C08."""
    answer = run({"selector": "no_such"}, MemoryMetricSource(SERIES, unseen=("store 7 was unavailable",)))
    outcome = empty(answer)
    assert (outcome.reason, outcome.partial) == (NoEvidenceReason.PARTIAL_EMPTY, ("store 7 was unavailable",))
    assert "no proof" in notes(answer)


def test_series_found_beside_something_unseen_are_indirect() -> None:
    """Field case C08."""
    answer = run({"selector": "error_rate"}, MemoryMetricSource(SERIES, unseen=("store 7 was unavailable",)))
    assert success(answer).support is Support.INDIRECT
    assert "store 7 was unavailable" in notes(answer)


@pytest.mark.parametrize("bounds", [MetricBounds(series=1), MetricBounds(points=2)])
def test_a_bound_makes_the_answer_indirect_and_says_what_was_left_out(bounds: MetricBounds) -> None:
    answer = run({"selector": "requests_total", "step": 60}, MemoryMetricSource(SERIES, bounds=bounds))
    outcome = success(answer)
    assert outcome.support is Support.INDIRECT
    assert "only the first 1 of 2 series are shown" in outcome.partial[0]


@pytest.mark.parametrize("kind", list(FailureKind))
def test_an_error_of_the_source_is_a_failure_of_its_kind(kind: FailureKind) -> None:
    outcome = failure(run({"selector": "a"}, MemoryMetricSource(broken=SourceError(kind=kind, message="gone"))))
    assert (outcome.kind, outcome.message, outcome.retryable) == (kind, "gone", False)


def test_a_missing_folder_is_a_failure_that_says_how_to_mend_it(tmp_path: Path) -> None:
    outcome = failure(run({"selector": "a"}, FileMetricSource([tmp_path / "absent"])))
    assert outcome.kind is FailureKind.UNAVAILABLE
    assert "correct the path" in outcome.message


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "selector"),
        ({"selector": ""}, "selector"),
        ({"selector": 7}, "selector"),
        ({"selector": "a", "query": "b"}, "unknown parameter 'query'"),
        ({"selector": "a", "aggregate": "sum"}, "aggregate"),
        ({"selector": "a", "step": 0}, "step"),
        ({"selector": "a", "step": -30}, "step"),
        ({"selector": "a", "step": "1m"}, "step"),
        ({"selector": "a", "step": True}, "step"),
        ({"selector": "a", "step": float("inf")}, "step"),
        ({"selector": "a", "start": "2026-11-30T16:50:00"}, "start: has no zone"),
        ({"selector": "a", "start": 2, "end": 1}, "end"),
        ({"selector": "rate(a[5m])"}, "aggregate"),
        ({"selector": "a{"}, "character 3"),
        ({"selector": 'a{b=~"("}'}, "character 1"),
    ],
)
def test_bad_parameters_are_one_line_that_names_them(params: dict[str, object], words: str) -> None:
    outcome = failure(run(params))
    assert outcome.kind is FailureKind.ERROR
    assert words in outcome.message
    assert "\n" not in outcome.message


@pytest.mark.parametrize(
    "selector", ["requests_total", "requests_total{}", 'requests_total{pod=~"api.*"}', '{"requests_total",}']
)
def test_an_entity_may_be_a_parameter_of_its_own(selector: str) -> None:
    answer = run({"selector": selector, "pod": "api-1"})
    assert [line["labels"] for line in read_material(answer.text)] == [{"pod": "api-1"}]


def test_an_entity_with_marks_in_its_name_stays_one_value() -> None:
    name = 'a"b\\c\n{d}'
    answer = run({"selector": "up", "job": name}, MemoryMetricSource([series("up", 1.0, job=name)]))
    assert read_material(answer.text)[0]["labels"] == {"job": name}


def test_a_description_tells_parameters_and_what_the_source_holds() -> None:
    tool = QueryMetricsTool(MemoryMetricSource(SERIES))
    spec = asyncio.run(tool.describe())
    assert (spec.name, tool.retrieves) == ("query_metrics", False)
    assert {"selector", "start", "end", "step", "aggregate", "service"} <= set(spec.parameters)
    assert spec.source.metrics == ("error_rate", "latency_seconds", "mixed", "requests_total")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.text('a{}",=~!(x) \\', max_size=12) | JSON,
    st.dictionaries(st.sampled_from(["start", "end", "step", "aggregate", "pod", "x"]), JSON, max_size=4),
)
def test_whatever_the_parameters_are_there_is_one_outcome(selector: object, params: dict[str, object]) -> None:
    answer = run({"selector": selector, **params})
    assert isinstance(answer.outcome, outcomes.Success | outcomes.NoEvidence | outcomes.Failure)
    assert answer.text
