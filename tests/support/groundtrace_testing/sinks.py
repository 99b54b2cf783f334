"""The ways to a store under one contract: each opened over a store that a test may put into any mood."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from groundtrace.invocation import Invocation
from groundtrace.ports import InvocationStore, RowSink
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.stores import StoreCase, stores_of


def _queue(store: InvocationStore, folder: Path, bounds: Bounds) -> RowSink:
    return QueueSink(store, spool=Spool(folder), bounds=bounds)


def _overlapping_queue(store: InvocationStore, folder: Path, bounds: Bounds) -> RowSink:
    return QueueSink(store, spool=Spool(folder), bounds=bounds, overlap=3)


OPENERS: dict[str, Callable[[InvocationStore, Path, Bounds], RowSink]] = {
    "queue": _queue,
    "overlapping-queue": _overlapping_queue,
}
"""Every adapter of RowSink by name: given a store, a folder for what the store does not take, and the bounds."""

PATIENCE = 20.0
"""Seconds that a test waits for what happens by itself, such as a replay."""


class OpenSink(Protocol):
    """Opens a sink that spools what the store does not take within some seconds."""

    def __call__(self, *, seconds: float = 0.3) -> RowSink: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkCase:
    """A sink over a store: `open` opens one more over the same store and folder, as a next start would."""

    open: OpenSink
    store: MoodyStore
    place: StoreCase

    def kept(self, session_id: str = "acme/outage") -> tuple[Invocation, ...]:
        """Return what the store has of a session."""
        return self.place.reopen().rows(session_id, limit=100_000).unwrap()


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


def eventually(condition: Callable[[], bool], /, *, seconds: float = PATIENCE) -> bool:
    """Wait until a condition holds; tell whether it ever did."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
