"""A result whose own field declares what the call amounted to decides before anything else (section 3)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import Basis, FailureKind, NoEvidenceReason, Support


def prometheus(result: object, kind: str = "vector", /, **more: object) -> dict[str, object]:
    return {"status": "success", "data": {"resultType": kind, "result": result}, **more}


def a_sample(value: str) -> dict[str, object]:
    return {"metric": {"pod": "checkout-1"}, "value": [1773000000.5, value]}


def mcp(*texts: str, **more: object) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


def search(*hits: object, **more: object) -> dict[str, object]:
    return {"timed_out": False, "_shards": {"total": 5, "failed": 0}, "hits": {"total": 0, "hits": list(hits)}, **more}


FAILURES = [
    pytest.param(mcp("No such tool: query_traces", isError=True), "No such tool", id="mcp"),
    pytest.param(mcp("it failed", "no route to host", isError=True), "no route to host", id="mcp_two_texts"),
    pytest.param(mcp(isError=True), "without a text", id="mcp_nothing_said"),
    pytest.param(mcp(isError=True, structuredContent={"rows": []}), "without a text", id="mcp_structured"),
    pytest.param(mcp("writing is switched off", is_error=True), "switched off", id="mcp_snake_case"),
    pytest.param(
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}, "Method", id="rpc"
    ),
    pytest.param({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601}}, "-32601", id="rpc_code_alone"),
    pytest.param({"jsonrpc": "2.0", "id": 1, "result": mcp("denied", isError=True)}, "denied", id="mcp_in_rpc"),
    pytest.param({"status": "error", "errorType": "bad_data", "error": "parse error"}, "parse error", id="prometheus"),
]


@pytest.mark.parametrize(("body", "words"), FAILURES)
def test_a_declared_error_is_a_failure_with_its_message(body: dict[str, object], words: str) -> None:
    """Field case C01."""
    for value in (body, json.dumps(body), json.dumps(body).encode()):
        outcome = classify_output(value)
        assert isinstance(outcome, outcomes.Failure)
        assert outcome.kind is FailureKind.ERROR
        assert words in outcome.message
        assert outcome.basis is Basis.DECLARED


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("timeout", FailureKind.TIMEOUT),
        ("canceled", FailureKind.CANCELLED),
        ("unavailable", FailureKind.UNAVAILABLE),
        ("execution", FailureKind.ERROR),
    ],
)
def test_the_type_of_a_metric_error_is_its_kind(word: str, kind: FailureKind) -> None:
    outcome = classify_output({"status": "error", "errorType": word, "error": "query timed out"})
    assert isinstance(outcome, outcomes.Failure)
    assert (outcome.kind, outcome.message) == (kind, f"{word}: query timed out")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(prometheus([]), id="vector"),
        pytest.param(prometheus([], "matrix"), id="matrix"),
        pytest.param(prometheus([], "streams"), id="streams"),
        pytest.param(prometheus([{"stream": {"app": "cart"}, "values": []}], "streams"), id="stream_without_lines"),
        pytest.param(search(), id="elasticsearch"),
        pytest.param(mcp(isError=False), id="mcp"),
    ],
)
def test_a_declared_empty_result_is_no_evidence(body: dict[str, object]) -> None:
    """Field case C05."""
    for value in (body, json.dumps(body)):
        outcome = classify_output(value)
        assert isinstance(outcome, outcomes.NoEvidence)
        assert (outcome.reason, outcome.basis) == (NoEvidenceReason.EMPTY_RESULT, Basis.DECLARED)


@pytest.mark.parametrize("values", [["NaN"], ["NaN", "NaN"]])
def test_stale_series_are_no_number(values: list[str]) -> None:
    outcome = classify_output(prometheus([a_sample(value) for value in values]))
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.NOT_A_NUMBER


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(prometheus([a_sample("0")]), id="zero"),
        pytest.param(prometheus([a_sample("NaN"), a_sample("3")]), id="beside_nan"),
        pytest.param(prometheus([1773000000, "1.5"], "scalar"), id="scalar"),
        pytest.param(prometheus([{"metric": {}, "values": [[1, "2"]]}], "matrix"), id="matrix"),
        pytest.param(prometheus([{"metric": {}, "histogram": [1, {"count": "2"}]}]), id="histogram"),
        pytest.param(prometheus([{"stream": {}, "values": [["1", "level=error"]]}], "streams"), id="lines"),
        pytest.param(prometheus([{"stream": {}, "values": [["1", "NaN"]]}], "streams"), id="a_line_that_says_nan"),
        pytest.param(prometheus([a_sample("3")], infos=["might not be a counter"], warnings=[]), id="infos"),
        pytest.param(mcp('level=error msg="no connection left"', isError=False), id="a_word_in_a_text"),
        pytest.param(mcp("3 lines", isError="false"), id="a_flag_that_is_none"),
        pytest.param(search({"_id": "1"}), id="elasticsearch"),
        pytest.param(search(hits={"total": {"value": 41, "relation": "eq"}, "hits": []}), id="elasticsearch_count"),
        pytest.param({"status": "error", "message": "a row of a table"}, id="no_shape_of_theirs"),
    ],
)
def test_what_declares_a_result_is_a_success_and_whole(body: dict[str, object]) -> None:
    """Field cases C01 and C08."""
    outcome = classify_output(body)
    assert isinstance(outcome, outcomes.Success)
    assert (outcome.support, outcome.partial) == (Support.INDIRECT, ())


@pytest.mark.parametrize(
    ("more", "mark"),
    [({"warnings": ["store 10.0.0.9 does not answer"]}, "does not answer"), ({"isPartial": True}, "as partial")],
    ids=["warning", "flag"],
)
def test_a_warning_makes_a_result_partial_and_an_empty_one_no_proof(more: dict[str, object], mark: str) -> None:
    """Field case C08."""
    found, empty = classify_output(prometheus([a_sample("12")], **more)), classify_output(prometheus([], **more))
    assert isinstance(found, outcomes.Success)
    assert isinstance(empty, outcomes.NoEvidence)
    assert empty.reason is NoEvidenceReason.PARTIAL_EMPTY
    assert all(mark in one.partial[0] for one in (found, empty))


@pytest.mark.parametrize(
    ("body", "mark"),
    [(search(timed_out=True), "timed out"), (search(_shards={"total": 5, "failed": 2}), "2 shards failed")],
    ids=["time", "shards"],
)
def test_a_search_that_was_not_whole_is_no_proof_of_absence(body: dict[str, object], mark: str) -> None:
    outcome = classify_output(body)
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.PARTIAL_EMPTY
    assert mark in outcome.partial[0]


class Opaque:
    """An object that shows nothing of itself."""


@pytest.mark.parametrize("value", [object(), Opaque(), lambda: None], ids=["object", "instance", "function"])
def test_an_object_that_cannot_be_read_is_no_evidence(value: object) -> None:
    outcome = classify_output(value)
    assert isinstance(outcome, outcomes.NoEvidence)
    assert outcome.reason is NoEvidenceReason.PARTIAL_EMPTY
    assert "cannot be read" in outcome.partial[0]


@pytest.mark.parametrize("text", ["<object>", "<html>"])
def test_a_text_in_angle_brackets_is_a_text(text: str) -> None:
    assert isinstance(classify_output(text), outcomes.Success)


NAMES = st.sampled_from(
    "status data result resultType error errorType warnings isError content hits _shards jsonrpc".split()
)
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from(["success", "error", "2.0", "vector", "NaN", ""])
)
BODIES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=5))
)


@given(st.dictionaries(NAMES, BODIES, max_size=6))
def test_whatever_stands_in_the_fields_there_is_one_outcome_and_its_text_agrees(body: dict[str, object]) -> None:
    of_value, of_text = classify_output(body), classify_output(json.dumps(body))
    assert outcomes.kind_of(of_value) is outcomes.kind_of(of_text)
