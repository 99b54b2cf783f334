"""A row that cannot be built or written: it is refused and named, and costs neither its neighbours nor a thread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.outcomes import Support
from groundtrace.ports import Acknowledgement, Place, Receipt
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.records import a_row

PLACES = {Mood.WORKS: Place.STORED, Mood.FAILS: Place.SPOOLED}


class BrokenRedactor(Redactor):
    """A redactor with a bug in it."""

    @override
    def text(self, text: str, /) -> str:
        if "poison" in text:
            raise RuntimeError(f"no idea what to do with {text}")
        return super().text(text)


@pytest.fixture(params=PLACES)
def mood(request: pytest.FixtureRequest) -> Mood:
    chosen: Mood = request.param
    return chosen


@pytest.fixture
def recorder(mood: Mood, tmp_path: Path) -> Iterator[ToolInvocationRecorder]:
    store = MoodyStore(MemoryStore())
    store.mood = mood
    sink = QueueSink(store, spool=Spool(tmp_path / "spool"))
    yield ToolInvocationRecorder(sink, rules=RecordRules(redactor=BrokenRedactor(bytes(32))))
    sink.close(deadline=5)


def put(recorder: ToolInvocationRecorder, output: str, /) -> Receipt:
    call = recorder.open("query_logs", {"limit": 100}, session_id="acme/outage")
    receipt = recorder.record(call, outcomes.Success(support=Support.DIRECT, output=output))
    assert receipt is not None
    return receipt


def test_a_row_that_cannot_be_built_is_refused_and_costs_no_other(
    recorder: ToolInvocationRecorder, mood: Mood, caplog: pytest.LogCaptureFixture
) -> None:
    receipts = [put(recorder, output) for output in ("3 lines", "a poison in it", "4 lines", "5 lines")]
    told = [receipt.wait(deadline=10) for receipt in receipts]
    safe = Acknowledgement(place=PLACES[mood])
    refused = Acknowledgement(place=Place.REFUSED, why="its row could not be built (RuntimeError)")
    assert told == [safe, refused, safe, safe]
    assert "poison" not in caplog.text
    assert put(recorder, "6 lines").wait(deadline=10) == safe


def test_a_row_that_nothing_can_hold_is_refused_and_costs_no_other(mood: Mood, tmp_path: Path) -> None:
    """A caller of the port may make a row that the recorder would not: here a text with half of a surrogate pair."""
    store = MoodyStore(MemoryStore())
    store.mood = mood
    sink = QueueSink(store, spool=Spool(tmp_path / "spool"))
    receipts = [sink.put(row) for row in (a_row(id="1"), a_row(id="2", output_preview="\ud800"), a_row(id="3"))]
    places = [told.place for receipt in receipts if (told := receipt.wait(deadline=10)) is not None]
    assert places == [PLACES[mood], Place.REFUSED, PLACES[mood]]
    assert sink.put(a_row(id="4")).wait(deadline=10) == Acknowledgement(place=PLACES[mood])
    sink.close(deadline=5)
