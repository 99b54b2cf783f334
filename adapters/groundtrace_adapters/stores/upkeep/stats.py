"""What a SQL store holds: counted session by session while that is little, and estimated from there on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import StoreError
from groundtrace.upkeep import Certainty, Count, StoreStats
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.plain_values import INTEGERS, as_integer, as_time
from groundtrace_adapters.stores.upkeep.text import UpkeepStatements
from groundtrace_adapters.stores.work import Work

SESSIONS_AT_ONCE = 500
SESSIONS_COUNTED = 10_000
ROWS_COUNTED = 100_000
"""A store with more sessions or rows than these is estimated, unless the true count is asked for."""


@dataclass(slots=True, kw_only=True)
class _Counted:
    """What was counted so far; `after` is the last session of it, None once there is no other."""

    after: str | None = ""
    sessions: int = 0
    evaluations: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    times: list[datetime] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return self.outcomes.total()

    def seen(self, times: Sequence[object]) -> None:
        every = [*self.times, *(as_time(time) for time in times if time is not None)]
        self.times = [min(every), max(every)] if every else []


class SqlFigures:
    """The figures of one store, each read in a statement that is bounded."""

    def __init__(self, engine: Engine, sql: UpkeepStatements, /) -> None:
        self._engine = engine
        self._sql = sql

    def stats(self, *, exact: bool) -> Result[StoreStats, StoreError]:
        """Return the figures; `exact` counts to the end, in as many steps as it takes."""
        counted = _Counted()
        most = INTEGERS[-1] if exact else ROWS_COUNTED
        while counted.after is not None and (
            exact or (counted.sessions < SESSIONS_COUNTED and counted.rows < ROWS_COUNTED)
        ):
            step = self._engine.read("stats", lambda work: self._count(work, counted, most))
            if not is_successful(step):
                return result.Failure(step.failure())
        return self._engine.read("stats", lambda work: self._told(work, counted))

    def _count(self, work: Work, counted: _Counted, most: int) -> None:
        sessions = work.fetch(self._sql.sessions, {"after": counted.after, "most": SESSIONS_AT_ONCE})
        last = len(sessions) < SESSIONS_AT_ONCE
        if sessions:
            part = {"after": counted.after, "upto": sessions[-1][0], "most": most}
            looked = 0
            for outcome, number, first_at, last_at in work.fetch(self._sql.outcomes, part):
                counted.outcomes[str(outcome)] += as_integer(number)
                looked += as_integer(number)
                counted.seen((first_at, last_at))
            ((evaluations, *times),) = work.fetch(self._sql.evaluations, part)
            counted.evaluations += as_integer(evaluations)
            counted.seen(times)
            last = last and looked < most and as_integer(evaluations) < most
            counted.sessions += len(sessions)
        counted.after = None if last else str(sessions[-1][0])

    def _told(self, work: Work, counted: _Counted) -> StoreStats:
        whole = counted.after is None
        rows, evaluations, share = Count(number=counted.rows), Count(number=counted.evaluations), 1.0
        if not whole:
            rows = _estimate(work, self._sql.row_estimates, counted.rows)
            evaluations = _estimate(work, self._sql.evaluation_estimates, counted.evaluations)
            share = rows.number / max(counted.rows, 1)
            counted.seen([row[0] for row in work.fetch(self._sql.ends, {})])
        ((taken, free),) = work.fetch(self._sql.room, {})
        steps = work.fetch(self._sql.version, {})
        return StoreStats(
            rows=rows,
            sessions=_shared(counted.sessions, share, whole=whole),
            evaluations=evaluations,
            outcomes={word: _shared(counted.outcomes[word], share, whole=whole) for word in sorted(counted.outcomes)},
            first_at=counted.times[0] if counted.times else None,
            last_at=counted.times[-1] if counted.times else None,
            bytes=as_integer(taken),
            free_bytes=None if free is None else as_integer(free),
            version=as_integer(steps[0][0]) if steps else 0,
            step=str(steps[0][1]) if steps else "",
        )


def _estimate(work: Work, statements: Sequence[str], seen: int) -> Count:
    """Return the first estimate that is one, and at least as many as were seen."""
    told = (_number(work.fetch(statement, {})[0][0]) for statement in statements)
    return Count(number=max(seen, next((one for one in told if one), 0)), certainty=Certainty.ESTIMATE)


def _shared(number: int, share: float, *, whole: bool) -> Count:
    return Count(number=number) if whole else Count(number=round(number * share), certainty=Certainty.ESTIMATE)


def _number(told: object) -> int:
    """Return an estimate: a number, or the plan in which PostgreSQL says how many rows it expects."""
    if isinstance(told, list):
        told = told[0]["Plan"]["Plan Rows"]
    return as_integer(told)
