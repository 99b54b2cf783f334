"""Stores evaluations in batches; what the store does not take now waits in the spool, and nothing is silent."""

from groundtrace.evaluation import Evaluation
from groundtrace.ports import Fate
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
        fates = self._trace.store.upkeep().save_all(batch).value_or(None)
        if fates is None:
            for one in batch:
                self._alone(one)
            return
        for fate in fates:
            self._count(fate)

    def _alone(self, evaluation: Evaluation) -> None:
        """One that the store refuses costs its neighbours nothing; where the store is away, all are spooled."""
        fate = self._trace.store.save(evaluation).value_or(None)
        if fate is not None:
            self._count(fate)
            return
        kept = self._trace.keep_evaluation(evaluation).map(lambda _: True).value_or(False)
        self.spooled += kept
        self.lost += not kept

    def _count(self, fate: Fate) -> None:
        self.stored += fate is Fate.STORED
        self.known += fate is Fate.ID_CONFLICT
