"""Times as files write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace_adapters.sources.timestamps import (
    Clockwork,
    epoch_micros,
    from_micros,
    leading_time,
    read_time,
    starts_with_time,
)

CLOCKWORK = Clockwork(zone=UTC, latest=datetime(2026, 11, 30, 18, tzinfo=UTC))
WHOLE = datetime(2026, 11, 30, 16, 50, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("2026-11-30T16:50:01Z up", WHOLE),
        ("2026-11-30 16:50:01 up", WHOLE),
        ("[2026-11-30 16:50:01] up", WHOLE),
        ("2026/11/30 16:50:01 [error] up", WHOLE),
        ("2026-11-30 16:50:01,250 up", WHOLE.replace(microsecond=250_000)),
        ("2026-11-30 16:50:01.123456789 UTC [7] up", WHOLE.replace(microsecond=123_456)),
        ("2026-11-30T18:50:01+02:00 up", WHOLE),
        ("2026-11-30T11:20:01-0530 up", WHOLE),
        ("2026-11-30 16:50:01 GMT up", WHOLE),
        ("2026-11-30T16:50Z up", WHOLE.replace(second=0)),
        ("2026-11-30T16:50:60Z leap", WHOLE.replace(second=59)),
        ('time="2026-11-30T16:50:01Z" level=info', WHOLE),
        ("ts=2026-11-30T16:50:01Z up", WHOLE),
        ("2026-11-30T16:50:01.000000000Z stdout F up", WHOLE),
        ('10.0.0.7 - - [30/Nov/2026:17:50:01 +0100] "GET / HTTP/1.1" 200', WHOLE),
        ("Nov 30 16:50:01 web1 sshd[7]: up", WHOLE),
        ("<34>Nov 30 16:50:01 web1 su: up", WHOLE),
        ("Dec  1 16:50:01 web1 up", datetime(2026, 12, 1, 16, 50, 1, tzinfo=UTC)),
        ("Dec  2 16:50:01 web1 up", datetime(2025, 12, 2, 16, 50, 1, tzinfo=UTC)),
        ("Feb 29 16:50:01 web1 up", datetime(2024, 2, 29, 16, 50, 1, tzinfo=UTC)),
        ("E1130 16:50:01.250000       1 main.go:7] up", WHOLE.replace(microsecond=250_000)),
    ],
)
def test_the_time_at_the_head_of_a_line_is_read(line: str, at: datetime) -> None:
    assert leading_time(line.encode(), CLOCKWORK) == at
    assert starts_with_time(line.encode(), 0)
    assert leading_time(b"x\n" + line.encode(), CLOCKWORK, at=2) == at


@pytest.mark.parametrize(
    "line", ["", "up", "  2026-11-30T16:50:01Z", "at 2026-11-30T16:50:01Z", "2026-11-30 up", "12:00:01 up"]
)
def test_a_time_elsewhere_or_in_part_is_none(line: str) -> None:
    assert leading_time(line.encode(), CLOCKWORK) is None
    assert not starts_with_time(line.encode(), 0)


@pytest.mark.parametrize(
    "line", ["2026-13-30T16:50:01Z", "2026-11-31T16:50:01Z", "2026-11-30T25:50:01Z", "0001-01-01T00:00:00+14:00"]
)
def test_an_impossible_time_is_none(line: str) -> None:
    assert leading_time(line.encode(), CLOCKWORK) is None


def test_a_zone_abbreviation_is_ambiguous_and_the_setting_decides() -> None:
    east = Clockwork(zone=timezone(timedelta(hours=8)), latest=WHOLE)
    assert leading_time(b"2026-11-30 16:50:01 CST up", east) == WHOLE - timedelta(hours=8)


@pytest.mark.parametrize(
    ("value", "at"),
    [
        (1796057401, WHOLE),
        (1796057401.0, WHOLE),
        ("1796057401", WHOLE),
        (1796057401000, WHOLE),
        ("1796057401000000", WHOLE),
        ("1796057401000000000", WHOLE),
        ("1796057401.25", WHOLE.replace(microsecond=250_000)),
        ("2026-11-30T16:50:01Z", WHOLE),
        ("2026-11-30 16:50:01.000000001 +0000 UTC m=+0.36", WHOLE),
        ("2026-11-30 16:50:01 +0100 CET", WHOLE - timedelta(hours=1)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_the_value_of_a_field_is_read(value: object, at: datetime) -> None:
    assert read_time(value, CLOCKWORK) == at


@pytest.mark.parametrize(
    "value",
    [None, True, "", "soon", -1, float("nan"), float("inf"), 10**40, "9" * 400, [], {}, "2026-11-30T16:50:01Z x"],
)
def test_what_is_no_time_is_none(value: object) -> None:
    assert read_time(value, CLOCKWORK) is None


@given(st.datetimes(timezones=st.just(UTC)))
def test_microseconds_go_there_and_back(moment: datetime) -> None:
    assert from_micros(epoch_micros(moment)) == moment


@given(
    st.datetimes(timezones=st.just(UTC)).filter(lambda moment: 1 < moment.year < 9999),
    st.integers(-1439, 1439),
)
def test_every_written_time_is_read_back(moment: datetime, minutes: int) -> None:
    there = moment.astimezone(timezone(timedelta(minutes=minutes)))
    assert leading_time(f"{there.isoformat()} up".encode(), CLOCKWORK) == moment
    assert read_time(there.isoformat(sep=" "), CLOCKWORK) == moment
