"""What the spool holds, brought back to the store a batch at a time."""

from groundtrace.invocation import Invocation
from groundtrace.ports import InvocationStore
from groundtrace_adapters.sinks.delivery import deliver
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.reports import report_pause
from groundtrace_adapters.sinks.set_aside import give_up_on
from groundtrace_adapters.sinks.spool import Spool

BATCH_ROWS = 500


class Replayer:
    """Replays a spool; one writer's thread steps it."""

    def __init__(self, store: InvocationStore, holding: Holding, spool: Spool, /) -> None:
        """Bring rows from `spool` to `store`, and tell `holding`."""
        self._store = store
        self._holding = holding
        self._spool = spool
        self._rows: tuple[Invocation, ...] = ()

    def step(self) -> None:
        """Bring one batch of the spool to the store, if there may be any."""
        if not self._rows and self._holding.claim_backlog():
            self._rows = self._spool.next_batch(BATCH_ROWS)
        if self._rows:
            self._deliver()

    def _deliver(self) -> None:
        delivery = deliver(self._store, self._rows)
        if delivery.answers:
            self._holding.store_answers()
        for row, why in zip(self._rows, delivery.answers, strict=False):
            if why is not None:
                give_up_on(row, why, aside=self._spool.aside, losses=self._holding.losses)
                self._holding.replay_refused(row, why)
        self._holding.replayed([row for row, why in zip(self._rows, delivery.answers, strict=False) if why is None])
        self._rows = self._rows[len(delivery.answers) :]
        self._holding.expect_backlog()
        if delivery.error is not None:
            self._holding.still_spooled(self._rows)
            report_pause(delivery.error, self._holding.stand_back())
