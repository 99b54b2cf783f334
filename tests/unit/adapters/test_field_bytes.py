"""Fields of a binary COPY as PostgreSQL's manual writes them, and what no store can hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace_adapters.stores.columns import Kind
from groundtrace_adapters.stores.field_bytes import CHECKS, COLUMNS, FIELDS, NULL, UNSTORABLE, json_field, text_field
from groundtrace_adapters.stores.plain_values import as_json, is_storable
from groundtrace_adapters.stores.record_codec import INVOCATIONS
from groundtrace_testing.records import a_row

_EAST = timezone(timedelta(hours=1))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("kind", "value", "field"),
    [
        (Kind.TEXT, "", b"\0\0\0\0"),
        (Kind.TEXT, "\u00e9", b"\0\0\0\x02\xc3\xa9"),
        (Kind.NAME, "query_logs", b"\0\0\0\x0aquery_logs"),
        (Kind.WORD, OutcomeKind.SUCCESS, b"\0\0\0\x07success"),
        (Kind.NUMBER, -1, b"\0\0\0\x08" + b"\xff" * 8),
        (Kind.NUMBER, 2**63 - 1, b"\0\0\0\x08\x7f" + b"\xff" * 7),
        (Kind.FLAG, True, b"\0\0\0\x01\x01"),
        (Kind.FLAG, False, b"\0\0\0\x01\x00"),
        (Kind.TIME, datetime(2000, 1, 1, 0, 0, 1, tzinfo=UTC), b"\0\0\0\x08\0\0\0\0\x00\x0f\x42\x40"),
        (Kind.TIME, datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), b"\0\0\0\x08" + b"\xff" * 8),
        (Kind.JSON, "{}", b"\0\0\0\x02{}"),
        (Kind.WORDS, ("e1", '"'), b'\0\0\0\x0c["e1", "\\""]'),
    ],
)
def test_a_value_is_its_length_and_its_bytes(kind: Kind, value: object, field: bytes) -> None:
    assert FIELDS[kind](value) == field
    assert COLUMNS[kind]([value, None, value]) == [field, NULL, field]


@pytest.mark.parametrize("size", [0, 1, 4_095, 4_096, 70_000])
def test_a_text_of_any_size_says_how_long_it_is(size: int) -> None:
    assert text_field("x" * size) == size.to_bytes(4, "big") + b"x" * size


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Kind.TEXT, "a\0b"),
        (Kind.TEXT, "half \ud83d"),
        (Kind.TEXT, 7),
        (Kind.NUMBER, 2**63),
        (Kind.NUMBER, 1.5),
        (Kind.FLAG, "yes"),
        (Kind.TIME, datetime(2026, 1, 1)),  # noqa: DTZ001 - what is tested
        (Kind.TIME, datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
        (Kind.TIME, datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5)))),
        (Kind.JSON, '{"a": NaN}'),
        (Kind.JSON, "[" * 100_000),
        (Kind.WORDS, ("\0", "\ud83d")),
    ],
)
def test_what_no_store_can_hold_is_refused(kind: Kind, value: object) -> None:
    with pytest.raises(UNSTORABLE):
        FIELDS[kind](value)
    with pytest.raises(UNSTORABLE):
        COLUMNS[kind]([None, value])
    with pytest.raises(UNSTORABLE):
        CHECKS[kind]([None, value])


_VALUES: dict[Kind, st.SearchStrategy[object]] = {
    Kind.TEXT: st.text() | st.just("\ud83d\ude00") | st.integers(),
    Kind.NAME: st.text() | st.sampled_from(["\ud83d", "\ude00"]),
    Kind.WORD: st.sampled_from([*OutcomeKind, "\0", 1]),
    Kind.NUMBER: st.integers(-(2**64), 2**64) | st.sampled_from([1.5, "1", True]),
    Kind.FLAG: st.sampled_from([True, False, 1, "yes"]),
    Kind.TIME: st.datetimes(timezones=st.none() | st.timezones()) | st.just(datetime(1, 1, 1, tzinfo=_EAST)),
    Kind.JSON: _JSON.map(json.dumps) | st.sampled_from(['{"a": NaN}', "[", '"\ud83d"', '"\0"']),
    Kind.WORDS: st.tuples(st.text()) | st.just(("\ud83d",)),
}


@given(data=st.data())
def test_a_column_is_refused_by_its_check_exactly_where_it_has_no_fields(data: st.DataObject) -> None:
    for kind, values in _VALUES.items():
        column = data.draw(st.lists(st.none() | values, min_size=1, max_size=4))
        assert _refuses(CHECKS[kind], column) == _refuses(COLUMNS[kind], column), (kind, column)


def _refuses(way: Callable[[Sequence[object]], object], column: Sequence[object]) -> bool:
    try:
        way(column)
    except UNSTORABLE:
        return True
    return False


@given(texts=st.lists(st.text()))
def test_one_text_that_cannot_be_stored_refuses_its_column(texts: list[str]) -> None:
    try:
        taken = COLUMNS[Kind.TEXT](texts)
    except UNSTORABLE:
        assert not all(map(is_storable, texts))
    else:
        assert taken == list(map(text_field, texts))


@given(text=st.text())
def test_a_text_is_refused_exactly_if_it_cannot_be_stored(text: str) -> None:
    try:
        text_field(text)
    except UNSTORABLE:
        assert not is_storable(text)
    else:
        assert is_storable(text)


@given(
    text=_JSON.map(json.dumps) | st.text(st.sampled_from('{}[]",:\\ue01-+.nulNaIfity \t\n\r\b\x7f\u00a0'), max_size=12)
)
def test_the_quick_check_takes_no_json_that_the_strict_one_refuses(text: str) -> None:
    try:
        taken = json_field(text)
    except UNSTORABLE:
        with pytest.raises((ValueError, RecursionError)):
            as_json(text)
    else:
        assert as_json(text) == text
        assert taken == text_field(text)


@pytest.mark.parametrize("text", ['"\\ud83d"', "9" * 5_000, "1e400", '{"a": 1, "a": 2}', " [] ", "[" * 300 + "]" * 300])
def test_what_the_quick_check_may_refuse_is_kept_all_the_same(text: str) -> None:
    assert json_field(text) == text_field(text)


def test_the_same_content_has_the_same_digest_and_other_content_another() -> None:
    def digest(**changes: object) -> object:
        return INVOCATIONS.encode(a_row(**changes), operation="append").unwrap()["row_digest"]

    noon = datetime(2026, 3, 8, 12, tzinfo=UTC)
    assert digest(started_at=noon) == digest(started_at=noon.astimezone(timezone(timedelta(hours=9))))
    different: list[dict[str, object]] = [
        {},
        {"turn_id": None},
        {"turn_id": ""},
        {"reason": "turn-1", "turn_id": None},
        {"seq": 1},
    ]
    assert len({digest(**changes) for changes in different}) == len(different)


@given(rows=st.lists(st.builds(a_row, seq=st.integers(0, 9), turn_id=st.none() | st.text(max_size=3)), max_size=9))
def test_rows_are_written_together_as_each_of_them_alone(rows: list[Invocation]) -> None:
    alone = [INVOCATIONS.as_binary([row], operation="append") for row in rows]
    together = INVOCATIONS.as_binary(rows, operation="append")
    if all(map(is_successful, alone)):
        assert together.unwrap() == b"".join(one.unwrap() for one in alone)
    else:
        assert not is_successful(together)
