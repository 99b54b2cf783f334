"""Ids of imported rows: RFC 9562, version 7, at the row's own time, equal for equal input."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import RFC_4122, UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.row_ids import imported_id

NOON = datetime(2026, 3, 8, 12, 0, 0, 123_456, tzinfo=UTC)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
SINCE_1970 = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
PARTS = st.lists(st.text(st.characters(), max_size=12), max_size=4)


def _milliseconds(text: str) -> int:
    return UUID(text).int >> 80


def test_an_id_is_this_one() -> None:
    assert imported_id(NOON, "acme/outage", "span-7") == "019ccd51-8e7b-7ed3-ae6e-81848a43e935"


@given(TIMES, PARTS)
def test_an_id_is_a_uuid_of_version_7_in_its_usual_form(started_at: datetime, parts: list[str]) -> None:
    text = imported_id(started_at, *parts)
    read = UUID(text)
    assert (str(read), read.version, read.variant) == (text, 7, RFC_4122)


@given(SINCE_1970, PARTS)
def test_an_id_holds_its_own_start_in_milliseconds(started_at: datetime, parts: list[str]) -> None:
    since = started_at - datetime(1970, 1, 1, tzinfo=UTC)
    assert _milliseconds(imported_id(started_at, *parts)) == since // timedelta(milliseconds=1)


@given(TIMES, PARTS, TIMES, PARTS)
def test_ids_sort_as_their_times_do(first: datetime, one: list[str], second: datetime, other: list[str]) -> None:
    early, late = sorted((imported_id(first, *one), imported_id(second, *other)))
    assert _milliseconds(early) <= _milliseconds(late)
    if abs(first - second) >= timedelta(milliseconds=1) and min(first, second).year >= 1970:
        assert (imported_id(first, *one) < imported_id(second, *other)) == (first < second)


@given(TIMES, PARTS)
def test_equal_input_gives_an_equal_id_in_any_zone(started_at: datetime, parts: list[str]) -> None:
    elsewhere = started_at.astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert imported_id(started_at, *parts) == imported_id(elsewhere, *parts)


@given(TIMES, PARTS, PARTS)
def test_other_parts_give_another_id(started_at: datetime, one: list[str], other: list[str]) -> None:
    assert (imported_id(started_at, *one) == imported_id(started_at, *other)) == (one == other)


def test_where_a_part_ends_counts() -> None:
    ids = {imported_id(NOON, *parts) for parts in (("a", "bc"), ("ab", "c"), ("abc",), ("abc", ""), ("", "abc"))}
    assert len(ids) == 5


def test_a_microsecond_tells_two_calls_apart() -> None:
    assert imported_id(NOON, "s") != imported_id(NOON + timedelta(microseconds=1), "s")


@pytest.mark.parametrize("year", [1, 1601, 1969])
def test_a_time_before_1970_is_the_first_millisecond_of_it(year: int) -> None:
    assert _milliseconds(imported_id(datetime(year, 6, 1, tzinfo=UTC), "s")) == 0


def test_the_last_time_of_the_calendar_fits() -> None:
    last = datetime.max.replace(tzinfo=UTC)
    assert _milliseconds(imported_id(last, "s")) == 253_402_300_799_999


def test_a_time_without_a_zone_is_a_bug() -> None:
    with pytest.raises(ValueError, match="needs a time zone"):
        imported_id(NOON.replace(tzinfo=None), "s")
