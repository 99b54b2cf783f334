"""What a plain return value amounts to when nobody declared it (section 3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.emptiness import NO_RESULT_TEXTS, is_empty
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Support

EMPTY: list[JsonValue] = [
    None,
    "",
    " \n\t",
    "\u00a0\u200b",
    [],
    {},
    [None],
    ["", "  "],
    [[], {}],
    {"results": []},
    {"results": [], "total": 0},
    {"hits": 0, "rows": [], "Count": 0.0, "size": 0, "next": None, "cursor": ""},
    {"data": {"rows": []}},
    {"rows": [{}]},
]
VALUES: list[JsonValue] = [
    0,
    False,
    0.0,
    [0],
    [False],
    "x",
    {"count": 0},
    {"error_rate": 0},
    {"value": None},
    {"value": ""},
    {"results": [], "page": 0},
    {"results": [], "total": False},
    {"results": [], "total": 3},
    {"results": [], "took": 12},
    {"results": [0], "total": 0},
    {"results": [], "message": "quota"},
]


@pytest.mark.parametrize("value", EMPTY, ids=repr)
def test_what_holds_nothing_is_empty(value: JsonValue) -> None:
    assert is_empty(value)
    outcome = classify_output(value)
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.EMPTY_RESULT
    assert outcome.basis is Basis.DECLARED


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_zero_and_false_and_named_numbers_are_values(value: JsonValue) -> None:
    assert not is_empty(value)
    outcome = classify_output(value)
    assert isinstance(outcome, outcomes.Success)
    assert outcome.support is Support.INDIRECT


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        " null\n",
        "None",
        '""',
        '{"results":[],"total":0}',
        '["", "  "]',
        "No results found",
        "No results found.",
        "no matches",
        "(no output)",
        "(0 rows)",
        '"No results found"',
        "No logs found for service 'cart' in namespace 'shop'",
        "No resources found in shop namespace.",
        b"[]",
        b"no matches",
    ],
)
def test_a_whole_text_from_the_table_or_of_empty_json_is_no_evidence(text: str | bytes) -> None:
    """Field case C05."""
    assert classify_output(text) == outcomes.NoEvidence(
        reason=NoEvidenceReason.EMPTY_RESULT, output=text, basis=Basis.INFERRED
    )


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "false",
        "[0]",
        '{"error_rate":0}',
        "Runbook: if the page says 'No results found', check the index alias first.",
        "No results found. Try another index: audit-2026",
        "No results found\nbut see audit-2026",
        "No errors found",
        'level=error msg="connection refused" svc=api',
        'Traceback (most recent call last):\n  File "w.py", line 3\nValueError: bad',
        "Error: ECONNREFUSED - meaning and fixes",
        "401 Unauthorized user=u-17 path=/login (12 events)",
        "error_budget_remaining 0.97",
        '{"rows":[{"v":1},{"v"',
        "[" * 100_000,
    ],
)
def test_a_part_of_a_text_never_decides(text: str) -> None:
    """Field cases C05 and C06."""
    assert classify_output(text) == outcomes.Success(support=Support.INDIRECT, output=text)


@pytest.mark.parametrize(
    "value", [float("nan"), [float("nan")], {"p99": float("nan")}, [[1, float("nan")][1:], None], "NaN", "[NaN]"]
)
def test_where_only_nan_stands_there_is_no_number(value: object) -> None:
    outcome = classify_output(value)
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.NOT_A_NUMBER


def test_a_number_beside_nan_is_evidence() -> None:
    assert isinstance(classify_output([1.0, float("nan")]), outcomes.Success)


def test_no_return_value_is_no_evidence_and_no_output() -> None:
    assert classify_output(None) == outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT)


def test_an_outcome_that_the_tool_returned_is_taken_as_it_is() -> None:
    own = outcomes.Failure(kind=FailureKind.DENIED, message="no")
    assert classify_output(own) is own


@given(st.sampled_from(sorted(NO_RESULT_TEXTS)), st.sampled_from(["{}", " {}.\n", "({})", "[{}]", "{}!"]))
def test_the_table_is_compared_without_case_brackets_and_full_stop(text: str, form: str) -> None:
    for spelled in (text, text.upper(), text.title()):
        assert isinstance(classify_output(form.format(spelled)), outcomes.NoEvidence)


def test_deep_values_take_linear_time() -> None:
    value: object = float("nan")
    for _ in range(60):
        value = [value]
    assert isinstance(classify_output(value), outcomes.NoEvidence)
