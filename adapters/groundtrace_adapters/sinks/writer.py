"""The thread between what is held and the store: batches of new rows, and between them what the spool brings back."""

from collections.abc import Sequence

from groundtrace.ports import InvocationStore
from groundtrace_adapters.sinks.building import built
from groundtrace_adapters.sinks.delivery import deliver
from groundtrace_adapters.sinks.held import Held
from groundtrace_adapters.sinks.holding import Holding
from groundtrace_adapters.sinks.replayer import Replayer
from groundtrace_adapters.sinks.reports import report_pause
from groundtrace_adapters.sinks.set_aside import SetAside, give_up_on

BATCH_ROWS = 500


class Writer:
    """Brings rows to the store, a batch at a time; several may overlap where the store takes several at once."""

    def __init__(
        self, store: InvocationStore, holding: Holding, /, *, aside: SetAside | None, replayer: Replayer | None
    ) -> None:
        """Write what `holding` holds, and with a `replayer` what that brings back; `run` is the thread's body."""
        self._store = store
        self._holding = holding
        self._aside = aside
        self._replayer = replayer
        holding.writer_begins()

    def run(self) -> None:
        """Write until the sink closes and the store has taken what it will."""
        while self._step():
            pass
        self._holding.writer_ends()

    def _step(self) -> bool:
        """Bring one batch of new rows and one of the spool to the store; tell whether there is more to do."""
        batch = self._holding.take(BATCH_ROWS, backlog=self._replayer is not None)
        works = not batch or self._write(batch)
        if self._holding.closing:
            return bool(batch) and works
        if works and self._replayer is not None:
            self._replayer.step()
        return True

    def _write(self, batch: Sequence[Held]) -> bool:
        try:
            good = built(batch, self._holding)
            return not good or self._deliver(good, again=True)
        finally:
            self._holding.bring_back(batch)

    def _deliver(self, batch: Sequence[Held], *, again: bool) -> bool:
        delivery = deliver(self._store, [held.row for held in batch])
        if delivery.answers:
            self._holding.store_answers()
            self._settle(batch, delivery.answers)
        if delivery.error is None:
            return True
        if again and delivery.error.retryable and not self._holding.stands_back:
            # A connection that broke while it was idle is no outage, and must not cost an answer its evidence.
            return self._deliver(batch[len(delivery.answers) :], again=False)
        report_pause(delivery.error, self._holding.stand_back())
        return False

    def _settle(self, batch: Sequence[Held], answers: Sequence[str | None]) -> None:
        self._holding.stored([held for held, why in zip(batch, answers, strict=False) if why is None])
        for held, why in zip(batch, answers, strict=False):
            if why is not None:
                give_up_on(held.row, why, aside=self._aside, losses=self._holding.losses)
                self._holding.refused(held, why)
