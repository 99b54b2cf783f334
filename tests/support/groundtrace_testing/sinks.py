"""The ways to a store under one contract: each opened over a store that a test may put into any mood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundtrace.ports import InvocationStore, RowSink
from groundtrace_adapters.conformance.cases import SinkCase, eventually
from groundtrace_adapters.conformance.moody_store import Mood, MoodyStore
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_testing.stores import stores_of


def _queue(store: InvocationStore, folder: Path, bounds: Bounds) -> RowSink:
    return QueueSink(store, spool=Spool(folder), bounds=bounds)


def _overlapping_queue(store: InvocationStore, folder: Path, bounds: Bounds) -> RowSink:
    return QueueSink(store, spool=Spool(folder), bounds=bounds, overlap=3)


OPENERS: dict[str, Callable[[InvocationStore, Path, Bounds], RowSink]] = {
    "queue": _queue,
    "overlapping-queue": _overlapping_queue,
}
"""Every adapter of RowSink by name: given a store, a folder for what the store does not take, and the bounds."""

__all__ = ["OPENERS", "SinkCase", "eventually", "sinks_of"]


def sinks_of(request: pytest.FixtureRequest, sink: str, tmp_path: Path) -> Iterator[SinkCase]:
    """Open the store that `request.param` names, for sinks of the kind named; everything opened is closed."""
    opened: list[RowSink] = []
    folder = tmp_path.with_name(tmp_path.name + "-spool")
    for place in stores_of(request, tmp_path):
        store = MoodyStore(place.store)

        def open_one(*, seconds: float = 0.3, store: MoodyStore = store) -> RowSink:
            opened.append(OPENERS[sink](store, folder, Bounds(seconds=seconds)))
            return opened[-1]

        yield SinkCase(open=open_one, store=store, place=place)
        store.mood = Mood.WORKS
        for one in opened:
            one.close(deadline=5)
