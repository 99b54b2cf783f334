"""A sink that tells telemetry: everything goes on to the other sink, and each receipt is told once."""

from __future__ import annotations

from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.pending_row import row_weight
from groundtrace.ports import Flushed, Receipt, Telemetry
from groundtrace_adapters.sinks.observed_sink import ObservedSink
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_testing.records import a_row


class Noting(Telemetry):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Receipt, int]] = []
        self.closed = False

    @override
    def recorded(self, receipt: Receipt, /, *, weight: int) -> None:
        self.told.append((receipt, weight))

    @override
    def decided(self, evaluation: Evaluation, /) -> None:
        raise AssertionError("a sink has no decisions")

    @override
    def flush(self, *, deadline: float) -> bool:
        return True

    @override
    def close(self, *, deadline: float) -> None:
        self.closed = True


def test_each_row_is_stored_and_told_once_with_its_weight() -> None:
    store, telemetry = MemoryStore(), Noting()
    sink = ObservedSink(QueueSink(store, spool=None), telemetry)
    receipt = sink.put(a_row())
    assert sink.flush("acme/outage", deadline=5) == Flushed()
    assert store.rows("acme/outage").unwrap() == (a_row(),)
    assert telemetry.told == [(receipt, row_weight(a_row()))]
    sink.close(deadline=5)
    assert not telemetry.closed
