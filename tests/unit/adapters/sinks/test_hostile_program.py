"""A sink inside a program that means it no good: its log handlers, signals, policies and deadlines cost no row."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.invocation import Invocation
from groundtrace.outcomes import Support
from groundtrace.ports import Acknowledgement, Flushed, Place, Receipt
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace.topics import TopicPolicy
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.records import a_row

SESSION = "acme/outage"
STORED = Acknowledgement(place=Place.STORED)
SPOOLED = Acknowledgement(place=Place.SPOOLED)
SOON = 10.0


@pytest.fixture
def store() -> MoodyStore:
    return MoodyStore(MemoryStore())


@pytest.fixture
def sink(store: MoodyStore, tmp_path: Path) -> Iterator[QueueSink]:
    opened = QueueSink(store, spool=Spool(tmp_path / "spool"), bounds=Bounds(seconds=0.2))
    yield opened
    store.mood = Mood.WORKS
    opened.close(deadline=5)


@contextmanager
def handling(act: Callable[[logging.LogRecord], object]) -> Iterator[None]:
    """A handler of the program's own, which calls a function with each record."""

    class Handler(logging.Handler):
        @override
        def emit(self, record: logging.LogRecord) -> None:
            act(record)

    handler, log = Handler(), logging.getLogger("groundtrace")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def breaking(_: logging.LogRecord) -> None:
    raise ConnectionResetError("the log server is gone")


class TestALogHandlerThatRaises:
    @pytest.fixture(autouse=True)
    def _handler(self) -> Iterator[None]:
        with handling(breaking):
            yield

    def test_costs_no_row_that_is_spooled(self, store: MoodyStore, sink: QueueSink) -> None:
        store.mood = Mood.FAILS
        assert sink.put(a_row(id="1")).wait(deadline=SOON) == SPOOLED
        assert sink.put(a_row(id="2")).wait(deadline=SOON) == SPOOLED

    def test_costs_no_neighbour_of_a_refused_row(self, store: MoodyStore, sink: QueueSink) -> None:
        store.poison = frozenset({"poison"})
        refused = sink.put(a_row(id="poison")).wait(deadline=SOON)
        assert refused is not None
        assert refused.place is Place.REFUSED
        assert sink.put(a_row(id="2")).wait(deadline=SOON) == STORED

    def test_reaches_no_caller(self, sink: QueueSink) -> None:
        sink.close(deadline=1)
        refused = sink.put(a_row()).wait(deadline=0)
        assert refused is not None
        assert refused.place is Place.REFUSED


def test_a_log_handler_that_records_what_it_is_told_does_not_come_back_to_itself_without_end(sink: QueueSink) -> None:
    sink.close(deadline=1)
    told: list[str] = []

    def record(line: logging.LogRecord) -> None:
        told.append(line.getMessage())
        sink.put(a_row(id=f"log-{len(told)}"))

    with handling(record):
        sink.put(a_row(id="call-1"))
    assert len(told) == 1
    assert set(sink.flush(SESSION, deadline=0).lost) == {"call-1", "log-1"}


def test_a_signal_handler_that_records_in_the_middle_of_a_flush_breaks_neither(sink: QueueSink) -> None:
    signalled: list[Invocation] = []

    def record(*_: object) -> None:
        signalled.append(a_row(id=f"signal-{len(signalled)}"))
        sink.put(signalled[-1])

    before = signal.signal(signal.SIGALRM, record)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        for number in range(1_500):
            sink.put(a_row(id=str(number)))
            if not number % 10:
                sink.flush(SESSION, deadline=SOON)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert signalled
    assert sink.flush(SESSION, deadline=SOON) == Flushed()


class Interrupt(BaseException):
    """What a signal handler raises, as Ctrl-C does."""


@pytest.mark.parametrize("with_spool", [True, False])
def test_an_exception_of_a_signal_handler_in_the_middle_of_anything_leaves_a_sink_that_works(
    store: MoodyStore, tmp_path: Path, *, with_spool: bool
) -> None:
    sink = QueueSink(store, spool=Spool(tmp_path / "spool") if with_spool else None)
    chance, receipts, interrupts, armed = random.Random(7), list[Receipt](), 0, False

    def interrupt(*_: object) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise Interrupt

    def record_until_interrupted() -> None:
        # A function of its own: between two rounds of a loop an exception may count as raised outside of its `try`.
        nonlocal armed
        armed = True
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.00002, 0.0005))
        while armed:
            receipts.append(sink.put(a_row(id=str(len(receipts)))))
            receipts[-1].wait(deadline=0.001)

    before, until = signal.signal(signal.SIGALRM, interrupt), time.monotonic() + 0.3
    try:
        while time.monotonic() < until:
            try:
                record_until_interrupted()
            except Interrupt:
                interrupts += 1
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts > 10
    assert sink.put(a_row(id="next")).wait(deadline=SOON) == STORED
    assert all(receipt.wait(deadline=SOON) for receipt in receipts)
    sink.close(deadline=5)


class TestADeadlineWithoutEnd:
    def test_waits_for_a_receipt(self, sink: QueueSink) -> None:
        assert sink.put(a_row()).wait(deadline=math.inf) == STORED

    def test_waits_for_a_session(self, sink: QueueSink) -> None:
        sink.put(a_row())
        assert sink.flush(SESSION, deadline=math.inf) == Flushed()

    def test_waits_for_the_close(self, store: MoodyStore, sink: QueueSink) -> None:
        sink.put(a_row())
        sink.close(deadline=math.inf)
        assert store.rows(SESSION).unwrap() == (a_row(),)


def raising(fault: BaseException) -> TopicPolicy:
    def policy(*_: object) -> str:
        raise fault

    return policy


def recorded(sink: QueueSink, policy: TopicPolicy) -> Acknowledgement | None:
    rules = RecordRules(redactor=Redactor(bytes(32)), topic_policy=policy)
    recorder = ToolInvocationRecorder(sink, rules=rules)
    call = recorder.open("query_logs", {"service": "checkout"}, session_id=SESSION)
    receipt = recorder.record(call, outcomes.Success(support=Support.DIRECT, output="3 lines"))
    assert receipt is not None
    return receipt.wait(deadline=SOON)


@pytest.mark.parametrize(
    "fault", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()], ids=repr
)
def test_a_topic_policy_that_raises_whatever_it_may_ends_no_thread(sink: QueueSink, fault: BaseException) -> None:
    recorded(sink, raising(fault))
    assert sink.put(a_row(id="next")).wait(deadline=SOON) == STORED


def test_a_topic_policy_that_hangs_keeps_nobody_longer_than_is_said_and_its_rows_are_told_as_lost(
    store: MoodyStore, caplog: pytest.LogCaptureFixture
) -> None:
    goes_on = threading.Event()

    def hanging(*_: object) -> str:
        goes_on.wait(60)
        return "services/checkout"

    sink = QueueSink(store, spool=None)
    recorder = ToolInvocationRecorder(sink, rules=RecordRules(redactor=Redactor(bytes(32)), topic_policy=hanging))
    call = recorder.open("query_logs", {"service": "checkout"}, session_id=SESSION)
    begun = time.monotonic()
    recorder.record(call, outcomes.Success(support=Support.DIRECT, output="3 lines"))
    sink.put(a_row(id="behind"))
    assert sink.flush(SESSION, deadline=0.1).lost.keys() == {call.id, "behind"}
    sink.close(deadline=0.1)
    goes_on.set()
    assert time.monotonic() - begun < 5
    assert f"row {call.id} of session 'acme/outage' is not stored: the sink was closed before" in caplog.text


class TestALostRow:
    def test_that_is_put_again_and_stored_is_no_longer_named(self, store: MoodyStore, tmp_path: Path) -> None:
        store.mood = Mood.HANGS
        sink = QueueSink(store, spool=None, bounds=Bounds(rows=1))
        sink.put(a_row(id="1"))
        assert sink.put(a_row(id="2")).wait(deadline=0) != STORED
        assert set(sink.flush(SESSION, deadline=0).lost) == {"1", "2"}
        store.mood = Mood.WORKS
        assert sink.flush(SESSION, deadline=SOON).lost.keys() == {"2"}
        assert sink.put(a_row(id="2")).wait(deadline=SOON) == STORED
        assert sink.flush(SESSION, deadline=SOON) == Flushed()
        sink.close(deadline=5)

    def test_whose_key_another_content_has_stays_named(self, sink: QueueSink) -> None:
        sink.put(a_row(id="1"))
        sink.put(a_row(id="1", output_preview="4 lines"))
        sink.put(a_row(id="1")).wait(deadline=SOON)
        assert sink.flush(SESSION, deadline=SOON) == Flushed(lost={"1": "id_conflict"})
