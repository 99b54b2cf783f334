"""One JSON line of `groundtrace record`, strict in form and tolerant in text."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace import outcomes
from groundtrace.outcomes import DedupReason, FailureKind, NoEvidenceReason, OutcomeKind, Support
from groundtrace.problem import Problem
from groundtrace.record_input import RecordInput, parse_record, record_schema
from groundtrace.retrieval import Hit, Layer, Relevance, Retrieval

LINE: dict[str, Any] = {
    "session_id": "acme/s-1",
    "tool_name": "query_logs",
    "input_params": {"pattern": "timeout"},
    "started_at": "2026-03-08T13:00:00+01:00",
    "duration_ms": 12.4,
    "output": "3 lines",
    "outcome": {"kind": "success"},
}


def parsed(**changes: Any) -> RecordInput:
    return parse_record(json.dumps(LINE | changes), fallback_id="made").unwrap()


def refused(text: str) -> Problem:
    read = parse_record(text, fallback_id="made")
    assert not is_successful(read)
    return read.failure()


def test_a_line_becomes_a_call_and_its_outcome() -> None:
    call, outcome, retrieval = parsed()
    assert (call.session_id, call.id, call.turn_id, call.seq) == ("acme/s-1", "made", None, 0)
    assert (call.tool_name, call.input_params) == ("query_logs", {"pattern": "timeout"})
    assert (call.started_at, call.duration_ms) == (datetime(2026, 3, 8, 12, tzinfo=UTC), 12)
    assert outcome == outcomes.Success(support=Support.INDIRECT, output="3 lines")
    assert retrieval is None


def test_optional_keys_are_taken() -> None:
    call = parsed(id="c-1", turn_id="t-1", seq=3, topic_domain="cart", duration_ms=None).call
    assert (call.id, call.turn_id, call.seq, call.topic_domain, call.duration_ms) == ("c-1", "t-1", 3, "cart", None)


@pytest.mark.parametrize(
    ("told", "outcome"),
    [
        ({"kind": "success", "support": "DIRECT"}, outcomes.Success(support=Support.DIRECT, output="3 lines")),
        (
            {"kind": "success", "partial": ["limit hit"]},
            outcomes.Success(support=Support.INDIRECT, output="3 lines", partial=("limit hit",)),
        ),
        (
            {"kind": "no_evidence", "reason": "no_match"},
            outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH, output="3 lines"),
        ),
        (
            {"kind": "deduped", "reason": "same_query", "of": ["c-0"], "inherited": "success"},
            outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("c-0",), inherited=OutcomeKind.SUCCESS),
        ),
        (
            {"kind": "failure", "reason": "timeout", "message": "5 s"},
            outcomes.Failure(kind=FailureKind.TIMEOUT, message="5 s", retryable=True, output="3 lines"),
        ),
        (
            {"kind": "failure", "message": "broke"},
            outcomes.Failure(kind=FailureKind.ERROR, message="broke", output="3 lines"),
        ),
    ],
)
def test_each_outcome_has_its_form(told: dict[str, Any], outcome: outcomes.Outcome) -> None:
    assert parsed(outcome=told).outcome == outcome


def test_an_output_may_be_any_json() -> None:
    assert parsed(output=[{"b": 1, "a": None}]).outcome.output == '[{"b":1,"a":null}]'  # type: ignore[union-attr]  # a Success
    assert parsed(output=None, outcome={"kind": "no_evidence"}).outcome == outcomes.NoEvidence(
        reason=NoEvidenceReason.EMPTY_RESULT
    )


def test_a_retrieval_is_read() -> None:
    told = {
        "layer": "L1",
        "l0_count": 3,
        "l1_count": 1,
        "relevance": "high",
        "hits": [{"uri": "a.md", "layer": "L1", "score": 2}],
        "filters": {"tag": "db"},
    }
    assert parsed(retrieval=told).retrieval == Retrieval(
        layer=Layer.L1,
        l0_count=3,
        l1_count=1,
        relevance=Relevance.HIGH,
        hits=(Hit(uri="a.md", layer=Layer.L1, score=2.0, coverage=0.0, content_hash=""),),
        filters={"tag": "db"},
    )


def test_hostile_text_is_stored_visibly() -> None:
    """Field cases B01 and B03, through the command line's form."""
    line = r'{"session_id":"s","tool_name":"t","input_params":{"a":"\ud83d","b":"\u0000","c":NaN},"started_at":'
    read = parse_record(
        line + r'"2026-03-08T12:00:00Z","duration_ms":1,"output":"x\u0000","outcome":{"kind":"success"}}',
        fallback_id="i",
    ).unwrap()
    assert read.call.input_params == {"a": "\ufffd", "b": "\u2400", "c": "NaN"}
    assert read.outcome == outcomes.Success(support=Support.INDIRECT, output="x\u2400")


def test_a_number_that_the_interpreter_does_not_take_is_kept_as_its_digits() -> None:
    """Field case B04: JSON sets no end to its integers."""
    line = json.dumps(LINE | {"input_params": {"n": "N"}}).replace('"N"', "9" * 5_000)
    assert parse_record(line, fallback_id="i").unwrap().call.input_params == {"n": "9" * 5_000}


def without(name: str) -> str:
    return json.dumps({key: value for key, value in LINE.items() if key != name})


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "column 1", "this is no JSON"),
        ('{"session_id": "s"', "column 19", "this is no JSON"),
        ("[" * 100_000, "", "nested too deeply"),
        ("[]", "", "object"),
        ("1" * 5_000, "", "object"),
        (without("session_id"), "session_id", "this key is missing"),
        (without("started_at"), "started_at", "this key is missing"),
        (without("outcome"), "outcome", "this key is missing"),
        (without("output"), "", "a success needs an output"),
        (json.dumps(LINE | {"output": " \n"}), "", "a success needs an output"),
        (json.dumps(LINE | {"colour": 1}), "colour", "this key is not known"),
        (
            json.dumps(LINE | {"outcome": {"kind": "success", "why": 1}}),
            "outcome.why",
            "this key is not known; known are kind, support",
        ),
        (json.dumps(LINE | {"outcome": {"kind": "maybe"}}), "outcome", "known are 'success', 'no_evidence', 'deduped'"),
        (json.dumps(LINE | {"outcome": {}, "started_at": "x"}), "outcome", "its `kind` is missing (and 1 more)"),
        (json.dumps(LINE | {"outcome": {"kind": "failure", "failure": "timeout"}}), "outcome.failure", "`reason`"),
        (json.dumps(LINE | {"params": {}}), "params", "perhaps `input_params` is meant"),
        ("{\n", "column 2", "it does not end on this line"),
        (json.dumps(LINE | {"started_at": "yesterday"}), "started_at", "for example 2026-11-30T16:55:00Z"),
        (json.dumps(LINE | {"started_at": "2026-02-30T16:55:00Z"}), "started_at", "RFC 3339"),
        (json.dumps(LINE | {"outcome": {"kind": "failure", "message": " "}}), "", "not blank"),
        (json.dumps(LINE | {"outcome": {"kind": "deduped", "reason": "same_query", "of": []}}), "", "repeats"),
        (json.dumps(LINE | {"outcome": {"kind": "success", "support": "DIRECT", "partial": ["x"]}}), "", "partial"),
        (json.dumps(LINE | {"started_at": "2026-03-08T12:00:00"}), "started_at", "this time has no zone"),
        (json.dumps(LINE | {"started_at": "0001-01-01T00:00:00+09:00"}), "", "calendar"),
        (json.dumps(LINE | {"started_at": 1773000000}), "started_at", "RFC 3339"),
        (json.dumps(LINE | {"duration_ms": -1}), "duration_ms", ""),
        (json.dumps(LINE | {"duration_ms": "12"}), "duration_ms", ""),
        (json.dumps(LINE | {"session_id": " "}), "", "session id"),
        (json.dumps(LINE | {"session_id": "s" * 201}), "session_id", ""),
        (json.dumps(LINE | {"id": ""}), "", "id"),
        (json.dumps(LINE | {"id": "i" * 201}), "id", "200"),
        (json.dumps(LINE | {"seq": 2**63}), "seq", ""),
        (
            json.dumps(LINE | {"outcome": {"kind": "deduped", "reason": "same_query", "of": ["i" * 201]}}),
            "outcome.of.0",
            "200",
        ),
        (
            json.dumps(LINE | {"outcome": {"kind": "deduped", "reason": "same_query", "of": ["i"] * 51}}),
            "outcome.of",
            "50",
        ),
        (
            json.dumps(LINE | {"retrieval": {"layer": "L1", "l0_count": 2**63, "l1_count": 2, "relevance": "high"}}),
            "retrieval.l0_count",
            "",
        ),
        (
            json.dumps(LINE | {"retrieval": {"layer": "L1", "l0_count": 1, "l1_count": 2, "relevance": "high"}}),
            "",
            "l1_count",
        ),
    ],
)
def test_a_line_that_cannot_be_used_says_where_and_what(text: str, where: str, what: str) -> None:
    problem = refused(text)
    assert problem.where == where
    assert what in problem.what
    assert "record --schema" in problem.mend
    assert "\n" not in problem.line()


def test_a_problem_holds_no_value_of_the_line() -> None:
    for odd in ({"seq": "hunter2", "started_at": "hunter2"}, {"outcome": {"kind": "hunter2"}}, {"outcome": "hunter2"}):
        assert "hunter2" not in refused(json.dumps(LINE | odd)).line()


def test_the_schema_names_every_key_and_refuses_others() -> None:
    schema = record_schema()
    assert schema["additionalProperties"] is False
    assert {*LINE, "id", "turn_id", "retrieval"} <= set(schema["properties"])
    assert set(schema["required"]) == {*LINE} - {"output"}
    assert json.loads(json.dumps(schema)) == schema


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*LINE, "kind", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.text(st.characters())
    | st.dictionaries(st.sampled_from([*LINE, "id", "retrieval"]), JSON_VALUES).map(lambda odd: json.dumps(LINE | odd))
)
def test_parsing_is_total(text: str) -> None:
    read = parse_record(text, fallback_id="made")
    assert is_successful(read) or isinstance(read.failure(), Problem)
