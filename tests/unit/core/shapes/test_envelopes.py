"""Objects that declare themselves whole: errors that hold nothing else, Kubernetes lists, answers of trace stores."""

from __future__ import annotations

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
