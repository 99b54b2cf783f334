"""The recorder itself: it fixes a call when it begins, never breaks it, and is never silent (DESIGN section 4)."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from groundtrace import outcomes
from groundtrace.invocation import ToolCall
from groundtrace.outcomes import NoEvidenceReason, Support
from groundtrace_testing.moody_store import Mood
from groundtrace_testing.recorder_bench import SESSION, RecorderBench, recorder_bench

FOUND = outcomes.Success(support=Support.DIRECT, output="3 lines")


@pytest.fixture
def bench() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


def test_the_id_is_made_before_the_call_and_is_the_rows(bench: RecorderBench) -> None:
    call = bench.recorder.open("query_logs", {}, session_id=SESSION)
    assert bench.rows() == []
    bench.recorder.record(call, FOUND)
    assert bench.row().id == call.id
    assert call.id[14] == "7"


@pytest.mark.parametrize(
    ("wall", "monotonic", "milliseconds"),
    [(-5, 3.2, 3_200), (3_600, 0.0004, 0), (0, 0.0006, 1), (0, -1.0, 0), (5, 5, 5_000)],
    ids=["wall_steps_back", "sub_millisecond", "rounded", "monotonic_that_is_not", "both"],
)
def test_a_duration_comes_from_the_monotonic_clock_and_is_never_negative(
    bench: RecorderBench, wall: float, monotonic: float, milliseconds: int
) -> None:
    """Field case B09, live_step_back and sub_millisecond."""
    begun = bench.clock.wall
    call = bench.recorder.open("query_logs", {}, session_id=SESSION)
    bench.clock.wall += timedelta(seconds=wall)
    bench.clock.seconds += monotonic
    bench.recorder.record(call, FOUND)
    assert (bench.row().started_at, bench.row().duration_ms) == (begun, milliseconds)


def test_what_the_tool_does_to_its_parameters_later_changes_no_row(bench: RecorderBench) -> None:
    """Field case B18."""
    params = {"filters": ["svc=api"], "opts": {"limit": 10}}
    call = bench.recorder.open("query_logs", params, session_id=SESSION)
    params["filters"].append("svc=db")  # type: ignore[attr-defined]
    params["opts"]["limit"] = 9_999  # type: ignore[index]
    bench.recorder.record(call, FOUND)
    assert json.loads(bench.row().input_params) == {"filters": ["svc=api"], "opts": {"limit": 10}}


@pytest.mark.parametrize("session", ["", "  ", "\u200b", "x" * 201, None, 7])
def test_a_session_that_cannot_be_stored_becomes_one_of_its_own(
    bench: RecorderBench, session: str, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = (bench.recorder.open("query_logs", {}, session_id=session) for _ in range(2))
    assert one.session_id != other.session_id
    bench.recorder.record(one, FOUND)
    assert [row.id for row in bench.rows(f"unassigned-{one.id}")] == [one.id]
    assert "cannot be stored" in caplog.text


def test_a_tool_without_a_name_is_recorded_as_unnamed(bench: RecorderBench) -> None:
    bench.recorder.record(bench.recorder.open(" ", {}, session_id=SESSION), FOUND)
    assert bench.row().tool_name == "unnamed"


def test_an_imported_call_is_recorded_as_it_is(bench: RecorderBench) -> None:
    imported = ToolCall(
        session_id=SESSION,
        id="call_abc",
        tool_name="grep",
        input_params={},
        started_at=bench.clock.wall,
        duration_ms=None,
    )
    bench.recorder.record(imported, outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH))
    assert (bench.row().id, bench.row().duration_ms) == ("call_abc", None)


def test_what_is_no_outcome_is_reported_and_breaks_nothing(
    bench: RecorderBench, caplog: pytest.LogCaptureFixture
) -> None:
    call = bench.recorder.open("query_logs", {}, session_id=SESSION)
    assert bench.recorder.record(call, "found it") is None  # type: ignore[arg-type]
    assert f"call {call.id} of session '{SESSION}' was not recorded" in caplog.text
    assert bench.rows() == []


@pytest.mark.parametrize("mood", [Mood.RAISES, Mood.HANGS, Mood.FAILS])
def test_a_store_on_a_bad_day_holds_no_caller_and_the_barrier_names_the_row(bench: RecorderBench, mood: Mood) -> None:
    """Field case B12."""
    bench.store.mood = mood
    begun = time.monotonic()
    receipt = bench.recorder.record(bench.recorder.open("query_logs", {}, session_id=SESSION), FOUND)
    assert time.monotonic() - begun < 0.25
    assert receipt is not None
    assert set(bench.sink.flush(SESSION, deadline=0.2).lost) == {receipt.row.id}


def test_positions_are_distinct_under_many_threads(bench: RecorderBench) -> None:
    ready = threading.Barrier(4)

    def record_some(_: int) -> None:
        ready.wait()
        for _ in range(50):
            bench.recorder.record(bench.recorder.open("query_logs", {}, session_id=SESSION), FOUND)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(record_some, range(4)))
    assert sorted(row.seq for row in bench.rows()) == list(range(1, 201))
