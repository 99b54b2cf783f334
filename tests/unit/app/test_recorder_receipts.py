"""What the recorder hands back: a receipt at once, and a row that nobody can change between the call and the store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from groundtrace import outcomes
from groundtrace.outcomes import Support
from groundtrace.ports import Acknowledgement, Place
from groundtrace_testing.moody_store import Mood
from groundtrace_testing.recorder_bench import SESSION, RecorderBench, recorder_bench

FOUND = outcomes.Success(support=Support.DIRECT, output="login with password=hunter2hunter2")


@pytest.fixture
def bench() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


def test_a_recorded_call_gives_its_receipt_at_once(bench: RecorderBench) -> None:
    bench.store.mood = Mood.HANGS
    receipt = bench.recorder.record(bench.recorder.open("query_logs", {}, session_id=SESSION), FOUND)
    assert receipt is not None
    assert receipt.wait(deadline=0) is None
    bench.store.mood = Mood.WORKS
    assert receipt.wait(deadline=20) == Acknowledgement(place=Place.STORED)


def test_a_receipt_is_awaited_in_an_event_loop(bench: RecorderBench) -> None:
    receipt = bench.recorder.record(bench.recorder.open("query_logs", {}, session_id=SESSION), FOUND)
    assert receipt is not None
    assert asyncio.run(asyncio.wait_for(receipt.placed(), 20)).place is Place.STORED


def test_the_receipts_row_is_the_stored_one_and_holds_no_secret(bench: RecorderBench) -> None:
    receipt = bench.recorder.record(bench.recorder.open("query_logs", {"n": 1}, session_id=SESSION), FOUND)
    assert receipt is not None
    assert receipt.row == bench.row()
    assert "hunter2" not in str(receipt.row)


def test_a_receipt_shows_no_secret_before_its_row_is_built(bench: RecorderBench) -> None:
    bench.store.mood = Mood.HANGS
    receipt = bench.recorder.record(bench.recorder.open("query_logs", {}, session_id=SESSION), FOUND)
    assert "hunter2" not in f"{receipt!r}{receipt}"
    bench.store.mood = Mood.WORKS
