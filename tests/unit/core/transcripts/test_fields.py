"""Fields of a stranger's JSON: each is what it should be, or nothing."""

from datetime import UTC, datetime

import pytest

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.fields import moment_of

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)


@pytest.mark.parametrize("factor", [1, 10**3, 10**6, 10**9])
def test_a_number_is_a_time_in_the_unit_in_which_it_is_one(factor: int) -> None:
    assert moment_of(1_772_971_200 * factor) == NOON


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan"), 0, True, [], {}, "soon", "9" * 400])
def test_what_is_no_time_is_none(value: JsonValue) -> None:
    assert moment_of(value) is None
