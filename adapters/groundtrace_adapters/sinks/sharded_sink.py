"""One sink for each server that keeps rows, behind one door: a server that is away holds up its own rows and no others.

Each lane has its own threads, pauses and spool. Nobody is asked where a row belongs, so that `put` waits for no server.
"""

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from typing_extensions import override

from groundtrace.invocation import Invocation
from groundtrace.pending_row import PendingRow
from groundtrace.ports import Flushed, InvocationStore, Receipt, RowSink
from groundtrace_adapters.forking import call_in_child
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import CLOSE_SECONDS, QueueSink
from groundtrace_adapters.sinks.spool import Spool

UNSORTED = ""
"""The lane of rows whose server was not known when they came; they wait until every server that they need is there."""


# The names of the foreign servers that `stores/sharded/fdw.sql` makes.
_LANES = "groundtrace_*"


class ShardedSink(RowSink):
    """A `RowSink` over others, its lanes: each row goes to the lane that `lane_of` names for its session."""

    def __init__(
        self,
        open_lane: Callable[[str], RowSink],
        /,
        *,
        lane_of: Callable[[str], str | None],
        lanes: Iterable[str] = (),
    ) -> None:
        """Open the lane `UNSORTED` and those named, which may have rows of an earlier run; others with their first row.

        `lane_of` answers at once, with None where it does not know.
        """
        self._open_lane = open_lane
        self._lane_of = lane_of
        self._closed = False
        self._lanes: dict[str, RowSink] = {name: open_lane(name) for name in sorted({UNSORTED, *lanes})}
        self._opening = threading.RLock()
        call_in_child(self._in_child)

    @override
    def put(self, row: Invocation | PendingRow, /) -> Receipt:
        return self._lane(self._lane_of(row.session_id) or UNSORTED).put(row)

    @override
    def flush(self, session_id: str, /, *, deadline: float) -> Flushed:
        # In whichever lane: a server may have become known between two rows of one session.
        until = time.monotonic() + deadline
        spooled: frozenset[str] = frozenset()
        lost: dict[str, str] = {}
        for lane in tuple(self._lanes.values()):
            told = lane.flush(session_id, deadline=max(0.0, until - time.monotonic()))
            spooled |= told.spooled
            lost.update(told.lost)
        return Flushed(spooled=spooled, lost=lost)

    @override
    def close(self, *, deadline: float = CLOSE_SECONDS) -> None:
        until = time.monotonic() + deadline
        with self._opening:
            self._closed = True
        lanes = tuple(self._lanes.values())
        for place, lane in enumerate(lanes):
            lane.close(deadline=max(0.0, until - time.monotonic()) / (len(lanes) - place))

    def _lane(self, name: str) -> RowSink:
        lane = self._lanes.get(name)
        if lane is not None:
            return lane
        with self._opening:
            if name not in self._lanes and not self._closed:
                opened = self._open_lane(name)
                # The garbage collector may put a row, and so open this very lane, in the middle of that.
                if self._lanes.setdefault(name, opened) is not opened:
                    opened.close(deadline=0)
            return self._lanes.get(name, self._lanes[UNSORTED])

    def _in_child(self) -> None:
        self._opening = threading.RLock()


def sharded_queue(
    store: InvocationStore, folder: Path, /, *, lane_of: Callable[[str], str | None], bounds: Bounds | None = None
) -> ShardedSink:
    """Return a queue for each server, all into `store`; `bounds` are each lane's own.

    `UNSORTED` spools into `folder` itself, as a store on one server does, the others into folders in it.
    """

    def opened(lane: str) -> QueueSink:
        return QueueSink(store, spool=Spool(folder / lane), bounds=bounds)

    earlier = (place.name for place in folder.glob(_LANES) if place.is_dir())
    return ShardedSink(opened, lane_of=lane_of, lanes=earlier)
