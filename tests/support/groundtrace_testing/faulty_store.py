"""A store that breaks where it is told to: fails, raises or hangs; elsewhere it is the memory store."""

import time
from collections.abc import Sequence

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, StoreError, StoreFault
from groundtrace_adapters.stores.memory import MemoryStore

HANG_SECONDS = 60.0


class FaultyStore(MemoryStore):
    """Breaks in the methods named in `broken`."""

    def __init__(self, *, broken: frozenset[str], raises: bool = False, hangs: bool = False) -> None:
        super().__init__()
        self._broken = broken
        self._raises = raises
        self._hangs = hangs

    def _fault(self, operation: str) -> StoreError | None:
        if operation not in self._broken:
            return None
        if self._hangs:
            time.sleep(HANG_SECONDS)
        if self._raises:
            raise OSError("the store is gone")
        return StoreError(
            fault=StoreFault.UNAVAILABLE, operation=operation, message="the store is gone", retryable=True
        )

    @override
    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        fault = self._fault("append")
        return super().append(rows) if fault is None else result.Failure(fault)

    @override
    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        fault = self._fault("rows")
        return super().rows(session_id, after=after, limit=limit) if fault is None else result.Failure(fault)

    @override
    def find(self, session_id: str, ids: Sequence[str], /) -> Result[tuple[Invocation, ...], StoreError]:
        fault = self._fault("find")
        return super().find(session_id, ids) if fault is None else result.Failure(fault)

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        fault = self._fault("save")
        return super().save(evaluation) if fault is None else result.Failure(fault)

    @override
    def evaluations(
        self, session_id: str, /, *, latest: int | None = None
    ) -> Result[tuple[Evaluation, ...], StoreError]:
        fault = self._fault("evaluations")
        return super().evaluations(session_id, latest=latest) if fault is None else result.Failure(fault)


class LateStore(MemoryStore):
    """Takes its first evaluation, and says so too late."""

    def __init__(self, *, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        saved = super().save(evaluation)
        seconds, self._seconds = self._seconds, 0.0
        time.sleep(seconds)
        return saved
