"""Redaction takes linear time whatever the text is: each of these would take hours at its size, were it quadratic."""

import pytest

from groundtrace.redaction import Redactor

REDACTOR = Redactor(bytes(range(32)))
WHOLE = 1024 * 1024


@pytest.mark.parametrize(
    "piece", ["eyJsk-", "sk-eyJ", "-eyJ", "sk-=", "rk_~", "Bearer a.", "Basic =", "Basic eyJsk-", "[redacted keyeyJsk-"]
)
def test_half_secrets_side_by_side_take_linear_time(piece: str) -> None:
    text = piece * (WHOLE // len(piece))
    once = REDACTOR.text(text)
    assert REDACTOR.text(once) == once


@pytest.mark.parametrize("header", ["eyJ" + "hbGciOi" * times for times in (1, 72, 73, 74, 1_000)])
def test_a_token_is_found_however_long_its_first_part_is(header: str) -> None:
    shown = REDACTOR.text(f"got {header}.e30.c2ln from it")
    assert shown.startswith("got [redacted token ")
    assert shown.endswith("] from it")
