"""A load in this process: a store, a sink and callers for as long as a block runs, and what they were told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.stores.opening import Store
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.durability.calls import RULES
from groundtrace_testing.durability.load import Load, Pace, Told
from groundtrace_testing.durability.places import sink_over, store_at
from groundtrace_testing.sinks import eventually

CALM = Pace(pause=0.005)
"""Fast enough that a fault never finds nobody at work, slow enough for a test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A load that runs; `told` grows."""

    load: Load
    told: list[Told] = field(default_factory=list)

    def until(self, place: str, /, *, rows: int = 20) -> None:
        """Wait until so many more rows have come to a place."""
        wanted = self._count(place) + rows
        assert eventually(lambda: self._count(place) >= wanted, seconds=40), (place, self.told[-3:])

    def _count(self, place: str) -> int:
        return sum(line[0] == place for line in list(self.told))


@contextmanager
def under_load(
    address: str,
    spool: Path,
    /,
    *,
    name: str,
    pace: Pace = CALM,
    store: Store | None = None,
    bounds: Bounds | None = None,
) -> Iterator[Running]:
    """Record while the block runs; after it each caller has been told of its rows, and all is closed."""
    opened = store or store_at(address)
    sink = sink_over(opened, spool, address=address, bounds=bounds)
    told: list[Told] = []
    recorder = ToolInvocationRecorder(sink, rules=RULES)
    load = Load(recorder, session_id=f"durable/{name}", pace=pace, say=told.append)
    load.start()
    try:
        yield Running(load=load, told=told)
    finally:
        if not pace.rows:
            load.stop()
        load.join()
        sink.close(deadline=10)
        opened.close()
