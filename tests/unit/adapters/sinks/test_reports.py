"""What the log is told of lost rows: each kind, by name and then by number, in few lines whatever an outage costs."""

from __future__ import annotations

import logging

import pytest

from groundtrace_adapters.sinks.reports import KINDS, NAMED, Losses
from groundtrace_testing.records import a_row

ROW = a_row(id="row-1", session_id="acme/outage")


@pytest.fixture(autouse=True)
def told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="groundtrace.sink")


def counts(caplog: pytest.LogCaptureFixture, /) -> list[str]:
    return [line for line in caplog.messages if " in all " in line]


def test_the_first_lost_rows_are_named_and_the_others_are_counted_each_time_they_have_doubled(
    caplog: pytest.LogCaptureFixture,
) -> None:
    losses = Losses()
    for _ in range(100):
        losses.tell([ROW], "the queue is full")
    assert caplog.messages[:NAMED] == ["row row-1 of session 'acme/outage' is not stored: the queue is full"] * NAMED
    assert caplog.messages[NAMED:] == [
        f"{count} rows in all are not stored: the queue is full" for count in (20, 40, 80)
    ]


def test_the_last_count_is_the_whole_one(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    losses.tell([ROW] * 33, "id_conflict")
    losses.tell_rest()
    losses.tell_rest()
    assert counts(caplog) == [
        "20 rows in all are not stored: id_conflict",
        "33 rows in all are not stored: id_conflict",
    ]


def test_rows_that_were_all_named_are_not_counted_too(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    losses.tell([ROW] * NAMED, "id_conflict")
    losses.tell_rest()
    assert len(caplog.messages) == NAMED


def test_a_million_lost_rows_are_few_lines(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    for number in range(20):
        losses.tell([ROW] * 1_000, f"refused_row: line {number}")
    losses.tell_rest()
    assert len(caplog.messages) < 2 * NAMED + 10
    assert counts(caplog)[-1] == "20000 rows in all are not stored: refused_row"


def test_a_loss_after_a_quiet_time_is_named_again(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses(quiet=-1)
    losses.tell([ROW] * (NAMED + 5), "id_conflict")
    assert len(caplog.messages) == NAMED + 5
    assert not counts(caplog)


def test_each_kind_of_loss_is_named_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    losses.tell([ROW] * 50, "the queue is full")
    losses.tell([ROW], "id_conflict")
    assert caplog.messages[-1].endswith("is not stored: id_conflict")


def test_kinds_without_end_are_no_silence_and_no_memory_without_end(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses()
    losses.tell([ROW] * 15, "kind 0")
    for number in range(1, 2 * KINDS):
        losses.tell([ROW], f"kind {number}")
    assert counts(caplog) == ["15 rows in all are not stored: kind 0"]
    assert caplog.messages[-1].endswith(f"kind {2 * KINDS - 1}")
