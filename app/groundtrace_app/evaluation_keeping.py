"""Stores evaluations in batches; what the store does not take now waits in the spool, and nothing is silent."""

from returns.pipeline import is_successful

from groundtrace.evaluation import Evaluation
from groundtrace.ports import Fate, StoreFault
from groundtrace_app.trace import Trace

BATCH = 100


class EvaluationKeeping:
    """Evaluations on their way, and how many ended where; `known` were there already, told otherwise."""

    def __init__(self, trace: Trace, /) -> None:
        """Keep none yet."""
        self._trace = trace
        self._batch: list[Evaluation] = []
        self.stored = 0
        self.known = 0
        self.spooled = 0
        self.lost = 0

    def keep(self, evaluation: Evaluation, /) -> None:
        """Take one; a full batch is stored."""
        self._batch.append(evaluation)
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Store what waits."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        saved = self._trace.store.upkeep().save_all(batch)
        for fate in saved.value_or(()):
            self._count(fate)
        if not is_successful(saved):
            # One that the store refuses costs its neighbours nothing; a store that is away is not asked for each.
            for one in batch:
                self._alone(one) if saved.failure().fault is StoreFault.REFUSED_ROW else self._spool(one)

    def _alone(self, evaluation: Evaluation) -> None:
        fate = self._trace.store.save(evaluation).value_or(None)
        if fate is None:
            self._spool(evaluation)
        else:
            self._count(fate)

    def _spool(self, evaluation: Evaluation) -> None:
        kept = self._trace.keep_evaluation(evaluation).map(lambda _: True).value_or(False)
        self.spooled += kept
        self.lost += not kept

    def _count(self, fate: Fate) -> None:
        self.stored += fate is Fate.STORED
        self.known += fate is Fate.ID_CONFLICT
