"""Objects that declare themselves whole: errors that hold nothing else, Kubernetes lists, answers of trace stores."""

from __future__ import annotations

import json

import pytest

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import FailureKind, OutcomeKind


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ({"error": "no such pod"}, FailureKind.ERROR, "no such pod"),
        ({"error": "no such pod", "result": None, "rows": []}, FailureKind.ERROR, "no such pod"),
        ({"error": {"code": 403, "message": "not for you"}}, FailureKind.DENIED, "not for you"),
        ({"success": False, "message": "the quota is spent"}, FailureKind.ERROR, "the quota is spent"),
        ({"ok": False, "error": "ratelimited"}, FailureKind.ERROR, "ratelimited"),
        ({"errors": [{"message": "no field x"}], "data": None}, FailureKind.ERROR, "no field x"),
        (
            {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "pods is forbidden", "code": 403},
            FailureKind.DENIED,
            "status 403: pods is forbidden",
        ),
        ({"data": None, "total": 0, "errors": [{"code": 500, "msg": "no index"}]}, FailureKind.ERROR, "no index"),
    ],
)
def test_an_object_that_says_that_it_failed_and_holds_nothing_is_a_failure(
    body: dict[str, object], kind: FailureKind, words: str
) -> None:
    outcome = classify_output(body)
    assert isinstance(outcome, outcomes.Failure)
    assert (outcome.kind, outcome.message) == (kind, words)


@pytest.mark.parametrize(
    "body",
    [
        {"error": "refused", "pod": "cart-0"},
        {"error": "refused", "count": 12},
        {"error": "refused", "rows": [1]},
        {"error": None, "rows": [1]},
        {"error": "", "response": "3 lines"},
        {"errors": 41},
        {"errors": ["E1", 2]},
        {"success": False},
        {"success": False, "pod": "cart-0", "message": "x"},
        {"level": "error", "message": "refused"},
        {"kind": "Pod", "status": "Failure"},
        {"error_rate": 0.5},
    ],
)
def test_an_object_that_tells_of_errors_and_holds_more_is_data(body: dict[str, object]) -> None:
    """Field case C06."""
    assert isinstance(classify_output(body), outcomes.Success)


@pytest.mark.parametrize(
    ("body", "kind", "partial"),
    [
        ({"kind": "PodList", "items": [], "metadata": {"resourceVersion": "71"}}, OutcomeKind.NO_EVIDENCE, ()),
        ({"kind": "List", "apiVersion": "v1", "items": [{"kind": "Pod"}], "metadata": {}}, OutcomeKind.SUCCESS, ()),
        (
            {"kind": "PodList", "items": [{}], "metadata": {"continue": "t", "remainingItemCount": 9}},
            OutcomeKind.SUCCESS,
            ("9 more items are not in it",),
        ),
        (
            {"kind": "PodList", "items": [{}], "metadata": {"continue": "t"}},
            OutcomeKind.SUCCESS,
            ("there is a further page",),
        ),
        ({"traces": [], "metrics": {"completedJobs": 3}}, OutcomeKind.NO_EVIDENCE, ()),
        ({"traces": [{"traceID": "1"}], "metrics": {}}, OutcomeKind.SUCCESS, ()),
        ({"data": [], "total": 0, "limit": 20, "offset": 0, "errors": None}, OutcomeKind.NO_EVIDENCE, ()),
        ({"data": [{"traceID": "1"}], "total": 1, "errors": None}, OutcomeKind.SUCCESS, ()),
    ],
)
def test_figures_beside_an_empty_list_are_no_evidence(
    body: dict[str, object], kind: OutcomeKind, partial: tuple[str, ...]
) -> None:
    outcome = classify_output(body)
    assert (outcomes.kind_of(outcome), getattr(outcome, "partial", ())) == (kind, partial)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ({"error": True, "message": "no such pod"}, FailureKind.ERROR, "no such pod"),
        ({"status": "error", "message": "no index", "data": None}, FailureKind.ERROR, "no index"),
        ({"status": "fail", "data": {}, "message": "bad range"}, FailureKind.ERROR, "bad range"),
        ({"code": 503, "msg": "restarting", "data": None}, FailureKind.UNAVAILABLE, "restarting"),
        ({"type": "about:blank", "title": "Gone", "status": 404, "detail": "no dash"}, FailureKind.ERROR, "no dash"),
        ({"Error": {"Code": "AccessDenied", "Message": "not yours"}}, FailureKind.ERROR, "AccessDenied: not yours"),
        ({"__type": "ThrottlingException", "message": "slow down"}, FailureKind.ERROR, "slow down"),
        ({"errorMessages": ["no such issue"], "errors": {}}, FailureKind.ERROR, "no such issue"),
    ],
)
def test_the_refusals_of_other_services_are_failures_too(
    body: dict[str, object], kind: FailureKind, words: str
) -> None:
    outcome = classify_output(body)
    assert isinstance(outcome, outcomes.Failure)
    assert (outcome.kind, outcome.message) == (kind, words)


@pytest.mark.parametrize(
    "body",
    [
        {"error": True},
        {"status": "error", "message": "disk full"},
        {"code": 404, "description": "not found"},
        {"code": 404, "msg": "seen 12 times", "data": [1]},
        {"title": "Gone", "status": 404, "host": "db-1"},
        {"__type": "PodException", "message": "x", "pod": "cart-0"},
        {"errorMessages": ["a row", 2]},
    ],
)
def test_an_object_like_a_refusal_that_may_be_a_row_is_data(body: dict[str, object]) -> None:
    """Field case C06."""
    assert isinstance(classify_output(body), outcomes.Success)


@pytest.mark.parametrize(
    "body",
    [
        {"ok": True, "pods": []},
        {"success": True, "data": None, "message": ""},
        {"success": True, "result": "No matches."},
        {"status": "success", "data": None},
        {"status": "OK", "results": [], "error": None, "total": 0},
        {"code": 0, "msg": "success", "data": []},
        {"ok": True, "messages": [], "has_more": False},
        {"success": True, "data": {"items": [], "total": 0}},
    ],
)
def test_an_envelope_that_says_that_it_went_well_holds_nothing_by_that(body: dict[str, object]) -> None:
    """Field case C05: nested empty answers."""
    assert isinstance(classify_output(body), outcomes.NoEvidence)
    assert isinstance(classify_output(json.dumps(body)), outcomes.NoEvidence)


@pytest.mark.parametrize(
    "body",
    [
        {"ok": True},
        {"success": True, "warnings": []},
        {"success": True, "deleted": 0},
        {"success": True, "result": 0},
        {"status": "ok", "error": None},
        {"ok": True, "max": None},
        {"code": 7, "data": []} | {"pod": "cart-0"},
        {"success": True, "data": [0]},
    ],
)
def test_an_envelope_around_a_value_or_around_nothing_at_all_is_a_value(body: dict[str, object]) -> None:
    outcome = classify_output(body)
    assert isinstance(outcome, outcomes.Success)
    assert outcome.partial == ()


def test_a_list_of_kubernetes_without_items_is_null_or_a_table_without_rows() -> None:
    empty: list[dict[str, object]] = [
        {"kind": "PodList", "items": None},
        {"kind": "Table", "columnDefinitions": [{"name": "Name"}], "rows": []},
        {"kind": "Table", "columnDefinitions": [{"name": "Name"}], "rows": None},
    ]
    assert {outcomes.kind_of(classify_output(body)) for body in empty} == {OutcomeKind.NO_EVIDENCE}
    table = {"kind": "Table", "columnDefinitions": [{"name": "Name"}], "rows": [{"cells": ["cart-0"]}]}
    assert isinstance(classify_output(table), outcomes.Success)
