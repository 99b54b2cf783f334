"""A store whose mood a test sets: it works, fails, raises, hangs or refuses single rows, and then works again."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from enum import StrEnum

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.invocation import Invocation
from groundtrace.ports import SUMMED_ROWS, Fate, InvocationStore, SessionLine, StoreError, StoreFault


class Mood(StrEnum):
    """What the next `append` does."""

    WORKS = "works"
    FAILS = "fails"
    RAISES = "raises"
    HANGS = "hangs"
    MISCOUNTS = "miscounts"


class MoodyStore(InvocationStore):
    """Any store, with moods; only `append` has them. A hanging append goes on once the mood changes."""

    def __init__(self, inner: InvocationStore, /) -> None:
        """Begin as the inner store is."""
        self._inner = inner
        self._mood = Mood.WORKS
        self._goes_on = threading.Event()
        self.poison: frozenset[str] = frozenset()
        self.failures_left = 0
        self.fails_after: int | None = None
        self.batches: list[int] = []

    @property
    def mood(self) -> Mood:
        """What the next append does."""
        return self._mood

    @mood.setter
    def mood(self, mood: Mood) -> None:
        previous, self._mood = self._mood, mood
        if previous is Mood.HANGS:
            self._goes_on.set()
        if mood is Mood.HANGS:
            self._goes_on = threading.Event()

    @override
    def append(self, rows: Sequence[Invocation], /) -> Result[tuple[Fate, ...], StoreError]:
        self.batches.append(len(rows))
        if self._mood is Mood.HANGS:
            self._goes_on.wait(60)
        if self._mood is Mood.RAISES:
            raise ConnectionResetError("the server is gone, and took row secrets-in-here with it")
        if self.fails_after is not None and len(self.batches) > self.fails_after:
            self._mood = Mood.FAILS
        if self._mood is Mood.FAILS or self.failures_left:
            self.failures_left = max(0, self.failures_left - 1)
            return result.Failure(_error(StoreFault.UNAVAILABLE, "no server"))
        if any(row.id in self.poison for row in rows):
            return result.Failure(_error(StoreFault.REFUSED_ROW, "a value does not fit"))
        answer = self._inner.append(rows)
        return answer.map(lambda fates: fates[1:]) if self._mood is Mood.MISCOUNTS else answer

    @override
    def rows(
        self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[Invocation, ...], StoreError]:
        return self._inner.rows(session_id, after=after, limit=limit)

    @override
    def find(self, session_id: str, ids: Sequence[str], /) -> Result[tuple[Invocation, ...], StoreError]:
        return self._inner.find(session_id, ids)

    @override
    def entries(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        return self._inner.entries(session_id)

    @override
    def entries_within(
        self, scope: SummaryScope, /, *, most: int = SUMMED_ROWS
    ) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        return self._inner.entries_within(scope, most=most)

    @override
    def sessions(
        self, *, before: SessionLine | None = None, limit: int = 100
    ) -> Result[tuple[SessionLine, ...], StoreError]:
        return self._inner.sessions(before=before, limit=limit)


def _error(fault: StoreFault, message: str) -> StoreError:
    return StoreError(fault=fault, operation="append", message=message, retryable=fault is StoreFault.UNAVAILABLE)
