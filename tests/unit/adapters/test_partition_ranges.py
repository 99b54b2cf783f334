"""Months as ranges of ids: each id lies in exactly one, and a UUIDv7 in that of its own time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.row_ids import imported_id
from groundtrace_adapters.stores.partition_ranges import id_ranges, month_range, range_of

MICROSECOND = timedelta(microseconds=1)


def test_ranges_follow_each_other_without_gap_or_overlap() -> None:
    ranges = id_ranges()
    assert all(one.end == other.first for one, other in pairwise(ranges))
    assert (ranges[0].first, ranges[-1].end) == (None, None)
    assert [one.end for one in ranges[:-1]] == sorted(str(one.end) for one in ranges[:-1])
    assert len({one.table for one in ranges}) == len(ranges) == 362


@given(id=st.text() | st.uuids().map(str))
def test_every_text_lies_in_the_one_range_that_holds_it(id: str) -> None:
    found = range_of(id)
    assert [one for one in id_ranges() if (one.first or "") <= id and (one.end is None or id < one.end)] == [found]


@given(seconds=st.floats(0, 30 * 365 * 86_400), part=st.text())
def test_an_id_lies_in_the_month_of_its_time(seconds: float, part: str) -> None:
    at = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert range_of(imported_id(at, part)) == month_range(at.year, at.month)


@pytest.mark.parametrize(("year", "month"), [(2020, 1), (2024, 3), (2026, 12), (2049, 12)])
def test_a_month_begins_and_ends_to_the_millisecond(year: int, month: int) -> None:
    first = datetime(year, month, 1, tzinfo=UTC)
    assert range_of(imported_id(first)) == month_range(year, month)
    assert range_of(imported_id(first - MICROSECOND)) != month_range(year, month)


@pytest.mark.parametrize(
    ("id", "table"),
    [
        ("", "tool_invocation_before"),
        ("00000", "tool_invocation_before"),
        ("0173e1f0-0000-7000-8000-000000000000", "tool_invocation_2020_08"),
        ("call-1", "tool_invocation_after"),
        ("f47ac10b-58cc-4372-a567-0e02b2c3d479", "tool_invocation_after"),
        ("\U0001f525", "tool_invocation_after"),
        ("01990000", "tool_invocation_2025_08"),
    ],
)
def test_an_id_of_any_form_has_its_place(id: str, table: str) -> None:
    assert range_of(id).table == table


@pytest.mark.parametrize(("year", "month"), [(2019, 12), (2050, 1), (2026, 0), (2026, 13)])
def test_no_other_month_has_a_range(year: int, month: int) -> None:
    assert month_range(year, month) is None
