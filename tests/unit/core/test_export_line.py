"""A record as one flat line of an export and back: the same columns, one type a column, nothing withheld."""

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.evaluation import Evaluation
from groundtrace.export_columns import COLUMNS, ColumnType, export_schema
from groundtrace.export_line import LeftOut, cursor_of, line_of, record_of
from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace.problem import Problem
from groundtrace.upkeep import Cursor, RecordKey, RecordKind
from groundtrace.verdict import Cause, Verdict
from groundtrace_testing.records import NOON, STORABLE, a_failure, a_knowledge_row, a_row, an_evaluation, summed_rows

SECRET = "CANARY-71 the disk was swapped"

OPEN: list[Invocation | Evaluation] = [
    a_row(),
    a_failure(turn_id=None, duration_ms=None),
    a_knowledge_row(),
    a_row(outcome=OutcomeKind.DEDUPED, support=None, reason="same_query", dedup_reason="same_query"),
    an_evaluation(),
    an_evaluation(decision=Verdict.LOW_CONFID, cause=Cause.TIMED_OUT, given=None, raw=None, answer=None, reasons=()),
]
HIDDEN = [
    an_evaluation(
        decision=verdict,
        cause=cause,
        withheld=withheld,
        given=SECRET,
        raw=SECRET,
        reasons=(SECRET,),
        unknown=(SECRET,),
        answer=SECRET,
        evidence=json.dumps({"version": 1, "reply": {"given": SECRET}, "finish_reason": SECRET, "rows": []}),
    )
    for verdict, cause, withheld in (
        (Verdict.REJECT, Cause.VERIFIER_REJECT, True),
        (Verdict.REJECT, Cause.VERIFIER_REJECT, False),
        (Verdict.LOW_CONFID, Cause.PROSE_AROUND_JSON, True),
    )
]
_FITS = {
    ColumnType.TEXT: lambda value: isinstance(value, str),
    ColumnType.NUMBER: lambda value: type(value) is int,
    ColumnType.FLAG: lambda value: isinstance(value, bool),
    ColumnType.TIME: lambda value: datetime.fromisoformat(value).utcoffset() == timedelta(0) and len(value) == 27,
    ColumnType.JSON: lambda value: isinstance(json.loads(value), dict | list),
}


def members(record: Invocation | Evaluation, *, reveal: bool = False) -> dict[str, Any]:
    line = line_of(record, reveal=reveal)
    assert "\n" not in line
    read: dict[str, Any] = json.loads(line)
    return read


def changed(base: Invocation | Evaluation = OPEN[0], /, **changes: object) -> str:
    return json.dumps({**members(base), **changes})


@pytest.mark.parametrize("record", [*OPEN, *HIDDEN])
def test_a_revealed_record_comes_back_equal(record: Invocation | Evaluation) -> None:
    assert record_of(line_of(record, reveal=True)).unwrap() == record


@pytest.mark.parametrize("record", OPEN)
def test_a_record_without_anything_withheld_comes_back_equal(record: Invocation | Evaluation) -> None:
    assert record_of(line_of(record, reveal=False)).unwrap() == record


@given(summed_rows())
def test_every_row_comes_back_equal(rows: list[Invocation]) -> None:
    assert [record_of(line_of(row, reveal=False)).unwrap() for row in rows] == rows


@given(st.lists(STORABLE, max_size=3), STORABLE, STORABLE)
def test_every_text_of_an_evaluation_comes_back_equal(words: list[str], question: str, shown: str) -> None:
    one = an_evaluation(question=question, shown=shown, answer=shown, reasons=tuple(words), cited=tuple(words))
    assert record_of(line_of(one, reveal=False)).unwrap() == one


@pytest.mark.parametrize("record", [*OPEN, *HIDDEN])
@pytest.mark.parametrize("reveal", [False, True])
def test_every_line_has_the_same_columns_and_one_type_a_column(
    record: Invocation | Evaluation, *, reveal: bool
) -> None:
    line = members(record, reveal=reveal)
    assert list(line) == list(COLUMNS)
    assert {name for name, value in line.items() if value is not None and not _FITS[COLUMNS[name]](value)} == set()


def test_the_schema_names_each_column_and_its_type() -> None:
    schema = export_schema()
    properties: Any = schema["properties"]
    assert list(properties) == schema["required"] == list(COLUMNS)
    assert properties["record"]["enum"] == ["invocation", "evaluation"]
    assert properties["duration_ms"]["type"] == ["integer", "null"]
    assert properties["left_out"]["type"] == "boolean"
    assert properties["started_at"]["format"] == "date-time"
    assert properties["cited"]["contentMediaType"] == "application/json"


def test_a_time_of_any_zone_is_written_in_utc_with_microseconds() -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=-7)))
    assert members(a_row(started_at=elsewhere))["started_at"] == "2026-03-08T12:00:00.000000Z"


@pytest.mark.parametrize("record", HIDDEN)
def test_what_was_withheld_is_left_out_and_the_line_says_so(record: Evaluation) -> None:
    """Field case E01: an export is a reader like any other."""
    line = line_of(record, reveal=False)
    assert "CANARY" not in line
    told = json.loads(line)
    assert (told["left_out"], told["decision"], told["shown"]) == (True, record.decision.value, record.shown)
    assert record_of(line).unwrap() == LeftOut(key=RecordKey(session_id=record.session_id, id=record.id))


def test_a_line_from_which_nothing_was_left_out_says_so() -> None:
    assert {members(record, reveal=True)["left_out"] for record in (*OPEN, *HIDDEN)} == {False}


@pytest.mark.parametrize(
    ("line", "where", "what"),
    [
        ("", "", "no JSON"),
        ("[]", "", "no JSON object"),
        (line_of(OPEN[0], reveal=False)[:-9], "", "only a part of it"),
        ("[" * 100_000, "", "no JSON"),
        (changed(seq=float("nan")), "", "no JSON"),
        (json.dumps({"record": "invocation"}), "session_id", "missing"),
        (changed(more=1), "", "columns that this release does not know"),
        (changed(record="verdict"), "record", "`invocation` or `evaluation`"),
        (changed(record=["invocation"]), "record", "`invocation` or `evaluation`"),
        (changed(decision="PASS"), "decision", "no invocation has this column"),
        (changed(an_evaluation(), success=True), "success", "no evaluation has this column"),
        (changed(left_out=None), "left_out", "neither true nor false"),
        (changed(left_out=True), "left_out", "nothing is left out of an invocation"),
        (changed(seq="1"), "seq", "integer"),
        (changed(outcome="failed"), "outcome", ""),
        (changed(started_at="2026-03-08T12:00:00"), "started_at", "no zone"),
        (changed(started_at="0001-01-01T00:00:00+14:00"), "started_at", "outside the calendar"),
        (changed(an_evaluation(), decision="pass"), "decision", ""),
        (changed(an_evaluation(), created_at="noon"), "created_at", "no time"),
        (changed(an_evaluation(), created_at="9999-12-31T23:59:59-14:00"), "created_at", "outside the calendar"),
        (changed(an_evaluation(), cited="call-1"), "cited", "no JSON"),
        (changed(an_evaluation(), cited='["call-1", 2]'), "cited.1", "string"),
        (changed(an_evaluation(), left_out=True, id=None), "id", "no text"),
    ],
)
def test_what_is_no_line_is_a_problem_that_names_the_column(line: str, where: str, what: str) -> None:
    problem = record_of(line).failure()
    assert problem.where == where
    assert what in problem.what
    assert problem.mend


@given(st.text() | st.recursive(st.none() | st.booleans() | st.text(), st.lists).map(json.dumps))
def test_no_text_makes_reading_raise(text: str) -> None:
    assert isinstance(record_of(text).failure(), Problem)


@given(st.sampled_from(list(COLUMNS)), st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just([[]]))
def test_no_value_of_a_column_makes_reading_raise(column: str, value: object) -> None:
    for record in (OPEN[0], OPEN[4]):
        told = record_of(json.dumps({**members(record), column: value}))
        assert isinstance(told.value_or(record), Invocation | Evaluation | LeftOut)


def test_a_place_is_behind_any_line_or_its_three_names() -> None:
    behind = Cursor(kind=RecordKind.EVALUATION, key=RecordKey(session_id="acme/outage", id="eval-1"))
    assert cursor_of(line_of(HIDDEN[0], reveal=False)).unwrap() == behind
    assert cursor_of('{"record": "evaluation", "session_id": "acme/outage", "id": "eval-1"}').unwrap() == behind


@pytest.mark.parametrize(
    "text", ["", "7", '{"record": "evaluation"}', '{"record": "x", "session_id": "s", "id": "i"}', "torn {"]
)
def test_what_names_no_place_is_a_problem(text: str) -> None:
    assert cursor_of(text).failure().mend
