"""A row as one line of JSON and back, byte by byte (section 4)."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace import outcomes
from groundtrace.invocation import Invocation, OutputState, ToolCall
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.recording import RecordRules, record
from groundtrace.redaction import Redactor
from groundtrace.retrieval import Layer, Relevance
from groundtrace.row_json import row_from_json, row_to_json

START = datetime(2026, 3, 8, 12, 0, 0, 5, tzinfo=UTC)
ROW = record(
    ToolCall(
        session_id="s", id="c", tool_name="query_logs", input_params={"q": "x"}, started_at=START, duration_ms=None
    ),
    outcomes.Success(support=Support.DIRECT, output="line\u2028one\ntwo é \U0001f600"),
    rules=RecordRules(redactor=Redactor(b"k" * 32)),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
COUNT = st.none() | st.integers(0, 2**63 - 1)
ROWS = st.builds(
    Invocation,
    **{  # noqa: PIE804 - one column a line, as in the contract
        "session_id": TEXT,
        "id": TEXT,
        "turn_id": st.none() | TEXT,
        "seq": st.integers(-(2**63), 2**63 - 1),
        "tool_name": TEXT,
        "topic_domain": TEXT,
        "outcome": st.sampled_from(OutcomeKind),
        "support": st.none() | st.sampled_from(Support),
        "reason": st.none() | TEXT,
        "partial": st.booleans(),
        "basis": st.sampled_from(Basis),
        "input_params": TEXT,
        "input_fingerprint": TEXT,
        "started_at": st.datetimes(timezones=st.just(UTC)),
        "duration_ms": COUNT,
        "success": st.booleans(),
        "output_preview": st.none() | TEXT,
        "output_state": st.sampled_from(OutputState),
        "output_bytes": COUNT,
        "output_sha256": st.none() | TEXT,
        "error_message": st.none() | TEXT,
        "retrieval_layer": st.none() | st.sampled_from(Layer),
        "l0_count": COUNT,
        "l1_count": COUNT,
        "relevance_level": st.none() | st.sampled_from(Relevance),
        "retrieval_details": st.none() | TEXT,
        "dedup_reason": st.none() | TEXT,
        "details": TEXT,
    },
)


@given(ROWS)
def test_a_row_read_back_equals_the_row_written(row: Invocation) -> None:
    assert row_from_json(row_to_json(row)).unwrap() == row


def test_a_row_is_one_line_of_strict_json_under_the_names_of_the_columns() -> None:
    text = row_to_json(ROW)
    assert "\n" not in text
    told = json.loads(text)
    assert list(told) == [column.name for column in fields(Invocation)]
    assert (told["started_at"], told["outcome"], told["duration_ms"]) == (
        "2026-03-08T12:00:00.000005+00:00",
        "success",
        None,
    )


def test_words_come_back_as_words() -> None:
    row = row_from_json(row_to_json(ROW)).unwrap()
    assert (type(row.outcome), type(row.support), type(row.output_state)) == (OutcomeKind, Support, OutputState)
    assert row.started_at.tzinfo is UTC


def changed(**members: Any) -> str:
    return json.dumps(json.loads(row_to_json(ROW)) | members)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", ""),
        ("null", ""),
        ("[]", ""),
        (row_to_json(ROW)[:-20], ""),
        (row_to_json(ROW) + "x", ""),
        ("\ud83d", ""),
        ("[" * 100_000, ""),
        (changed(outcome="maybe"), "outcome"),
        (changed(partial="yes"), "partial"),
        (changed(seq="1"), "seq"),
        (changed(started_at="2026-03-08T12:00:00"), "started_at"),
        (changed(started_at="0001-01-01T00:00:00+08:00"), "started_at"),
        (changed(colour="red"), "colour"),
        (changed(details=None), "details"),
        ("{}", "session_id"),
    ],
)
def test_what_is_no_row_is_a_problem_that_names_the_place(text: str, where: str) -> None:
    read = row_from_json(text)
    assert not is_successful(read)
    assert read.failure().where == where
    assert read.failure().mend


def test_a_problem_holds_no_value_of_the_line() -> None:
    problem = row_from_json(changed(seq="hunter2", partial="hunter2", colour="hunter2")).failure()
    assert "hunter2" not in problem.line()
    assert "(and 2 more)" in problem.what


def test_nothing_is_lost_where_json_numbers_are_large() -> None:
    row = replace(ROW, output_bytes=2**62 + 1)
    assert row_from_json(row_to_json(row)).unwrap().output_bytes == 2**62 + 1
