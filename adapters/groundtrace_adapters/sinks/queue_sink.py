"""QueueSink: a bounded queue and a writer between the recorder and a store, with a spooler for bad days.

Batches grow with the load: a row that comes alone leaves alone, and what comes meanwhile shares the next commit. No
caller ever waits for the store or the disk, unless it asks its receipt. Rows that wait while the store does not answer
for a second are spooled and replayed once it does; one that it refuses for good is set aside alone. Nothing is dropped
in silence.
"""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from typing_extensions import override

from groundtrace.invocation import Invocation
from groundtrace.pending_row import PendingRow
from groundtrace.ports import Flushed, InvocationStore, Receipt, RowSink
from groundtrace_adapters.forking import call_at_exit, call_in_child
from groundtrace_adapters.sinks.held import LONGEST_WAIT, Bounds, Held
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.replayer import Replayer
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.sinks.spooler import Spooler
from groundtrace_adapters.sinks.writer import Writer

PUT_SECONDS = 0.16
"""The longest a caller is held where there is no room, below the contract's 250 ms."""

CLOSE_SECONDS = 5.0
"""How long the end of the interpreter may take to store or spool what is held."""

JOIN_SECONDS = 0.5
"""How long a close waits for a thread to end once each row has its place."""


class QueueSink(RowSink):
    """The `RowSink` that ships: one instance a store and process, made anew in a forked child.

    What it holds is stored or spooled when the interpreter ends, whether it was closed or not.
    """

    _holding: Holding
    _threads: tuple[threading.Thread, ...]
    _started: bool
    _no_exit_call: Callable[[], None]

    def __init__(
        self, store: InvocationStore, /, *, spool: Spool | None, bounds: Bounds | None = None, overlap: int = 1
    ) -> None:
        """Write into `store`; without a `spool`, rows that the store does not take wait in memory only.

        So many batches as `overlap` says are on their way at once, for a store that takes several side by side.
        """
        self._store = store
        self._overlap = overlap
        self._spool = spool
        self._bounds = bounds or Bounds()
        self._start_anew(closed=False)
        self._run()
        call_in_child(self._in_child)

    @override
    def put(self, row: Invocation | PendingRow, /) -> Receipt:
        if not self._started:
            self._run()
        held = Held(row)
        why = self._holding.put(held, patience=PUT_SECONDS)
        if why is not None:
            self._holding.losses.tell([held], why)
        return held

    @override
    def flush(self, session_id: str, /, *, deadline: float) -> Flushed:
        return self._holding.flush(session_id, seconds=deadline)

    @override
    def close(self, *, deadline: float = CLOSE_SECONDS) -> None:
        deadline = min(deadline, LONGEST_WAIT)
        until = time.monotonic() + deadline
        self._holding.close(seconds=deadline)
        lost = self._holding.give_up("the sink was closed before it could be stored or spooled")
        self._holding.losses.tell(lost, "the sink was closed before it could be stored or spooled")
        for thread in self._threads:
            # One that hangs in the store is left behind: all that it holds is spooled.
            thread.join(max(0.0, min(JOIN_SECONDS, until - time.monotonic())))
        if self._spool is not None:
            self._spool.close(seconds=until - time.monotonic())
        self._holding.losses.tell_rest()
        self._no_exit_call()

    def _run(self) -> None:
        """Start the threads, unless somebody else was quicker, or does so already."""
        with self._starting:
            if self._started or self._holding.closing:
                return
            self._started = True
        # Not under the lock: the garbage collector may put a row in the middle of it.
        self._threads = tuple(
            threading.Thread(target=part.run, name=f"groundtrace-{type(part).__name__.lower()}", daemon=True)
            for part in self._parts()
        )
        for thread in self._threads:
            thread.start()
        self._no_exit_call = call_at_exit(self.close)

    def _parts(self) -> "tuple[_Part, ...]":
        aside = None if self._spool is None else self._spool.aside
        others = [Writer(self._store, self._holding, aside=aside, replayer=None) for _ in range(self._overlap - 1)]
        if self._spool is None:
            return (Writer(self._store, self._holding, aside=None, replayer=None), *others)
        replayer = Replayer(self._store, self._holding, self._spool)
        writer = Writer(self._store, self._holding, aside=aside, replayer=replayer)
        return (writer, Spooler(self._holding, self._spool), *others)

    def _start_anew(self, *, closed: bool) -> None:
        self._holding = Holding(self._bounds, spool=self._spool is not None)
        self._threads = ()
        self._started = False
        self._starting = threading.RLock()
        self._no_exit_call = lambda: None
        if closed:
            self._holding.close(seconds=0.0)

    def _in_child(self) -> None:
        """Hold nothing: the parent still has the threads and stores what it holds. Threads start with the first row."""
        self._start_anew(closed=self._holding.closing)


class _Part(Protocol):
    def run(self) -> None: ...
