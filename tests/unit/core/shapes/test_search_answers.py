"""Elasticsearch and OpenSearch say what they did not see: time, shards, clusters, hits beyond the page."""

from __future__ import annotations

import pytest

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Outcome

SHARDS = {"total": 5, "successful": 5, "failed": 0}
REASON = {"reason": {"type": "circuit_breaking_exception", "reason": "data too large"}}


def search(*hits: object, total: object = None, **more: object) -> Outcome:
    found = {"total": len(hits) if total is None else total, "hits": list(hits)}
    return classify_output({"timed_out": False, "_shards": SHARDS, "hits": found, **more})


def marks(outcome: Outcome, /) -> tuple[str, ...]:
    assert isinstance(outcome, outcomes.Success)
    return outcome.partial


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, ()),
        ({"timed_out": True}, ("the search timed out",)),
        ({"terminated_early": True}, ("the search ended early, at its limit of documents",)),
        ({"_shards": {"total": 5, "failed": 1, "failures": [REASON]}}, ("1 shards failed: data too large",)),
        ({"_shards": {"total": 5, "skipped": 3, "failed": 0}}, ()),
        ({"_clusters": {"total": 3, "successful": 2, "skipped": 1}}, ("1 clusters did not answer whole",)),
        ({"total": 41}, ("1 of 41 hits are shown",)),
        ({"total": {"value": 10_000, "relation": "gte"}}, ("1 of at least 10,000 hits are shown",)),
        ({"total": {"value": 1, "relation": "eq"}}, ()),
    ],
)
def test_what_a_search_did_not_see_makes_it_partial(more: dict[str, object], words: tuple[str, ...]) -> None:
    assert marks(search({"_id": "1"}, **more)) == words


@pytest.mark.parametrize("more", [{"timed_out": True}, {"_shards": {"total": 5, "failed": 5}}])
def test_an_empty_search_that_was_not_whole_proves_nothing(more: dict[str, object]) -> None:
    outcome = search(**more)
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.PARTIAL_EMPTY


def test_an_empty_search_that_was_whole_is_no_evidence() -> None:
    """Field case C05: es_zero."""
    outcome = search(total={"value": 0, "relation": "eq"})
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.EMPTY_RESULT


def test_a_count_of_zero_is_a_value_unless_shards_are_missing() -> None:
    assert marks(classify_output({"count": 0, "_shards": SHARDS})) == ()
    assert isinstance(classify_output({"count": 0, "_shards": {"total": 2, "failed": 1}}), outcomes.NoEvidence)


@pytest.mark.parametrize(
    ("status", "kind"), [(404, FailureKind.ERROR), (429, FailureKind.RATE_LIMITED), (503, FailureKind.UNAVAILABLE)]
)
def test_an_error_is_a_failure_of_its_status(status: int, kind: FailureKind) -> None:
    outcome = classify_output({"error": {"type": "index_not_found_exception", "reason": "no x"}, "status": status})
    assert isinstance(outcome, outcomes.Failure)
    assert (outcome.kind, outcome.message) == (kind, f"status {status}: index_not_found_exception: no x")


def test_rows_under_columns_are_a_table() -> None:
    columns = [{"name": "app", "type": "keyword"}]
    assert marks(classify_output({"columns": columns, "values": [["cart"]], "is_partial": True})) == (
        "the server marks its answer as partial",
    )
    assert marks(classify_output({"columns": columns, "rows": [["cart"]], "cursor": "c1"})) == (
        "there is a further page",
    )
    assert isinstance(classify_output({"schema": columns, "datarows": [], "total": 0}), outcomes.NoEvidence)


def test_a_search_that_still_runs_is_partial() -> None:
    response = {"timed_out": False, "_shards": SHARDS, "hits": {"total": 1, "hits": [{"_id": "1"}]}}
    body = {"id": "x", "is_partial": True, "is_running": True, "response": response}
    assert marks(classify_output(body)) == ("the server marks its answer as partial", "the search was still running")


def test_of_several_searches_a_broken_one_makes_the_rest_partial() -> None:
    good = {"timed_out": False, "_shards": SHARDS, "hits": {"total": 1, "hits": [{"_id": "1"}]}}
    bad = {"error": {"type": "index_not_found_exception", "reason": "no x"}, "status": 404}
    assert marks(classify_output({"responses": [good, bad]})) == ("status 404: index_not_found_exception: no x",)
    assert isinstance(classify_output({"responses": [bad, bad]}), outcomes.Failure)


@pytest.mark.parametrize(
    ("aggregations", "kind"),
    [
        ({"by_host": {"doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": []}}, "no_evidence"),
        ({"slowest": {"value": None}}, "no_evidence"),
        ({"count": {"value": 0}}, "success"),
        ({"by_host": {"buckets": [{"key": "db-1", "doc_count": 0}]}}, "success"),
    ],
)
def test_aggregations_of_no_documents_hold_nothing_without_buckets_or_values(
    aggregations: dict[str, object], kind: str
) -> None:
    body = {
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "failed": 0},
        "hits": {"total": {"value": 0, "relation": "eq"}, "hits": []},
        "aggregations": aggregations,
    }
    assert outcomes.kind_of(classify_output(body)) == kind
