"""Upkeep of a store on several PostgreSQL servers, as far as it differs from that of one database.

It is right and reads every server. Where much is to be kept up, do it on each data server, which is a store by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.ports import Fate, StoreError, StoreFault
from groundtrace.upkeep import DataServer, StoreStats
from groundtrace_adapters.stores.engine import Engine
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.plain_values import as_text
from groundtrace_adapters.stores.sharded.entry_text import keys_of, remove, younger
from groundtrace_adapters.stores.upkeep.sql import SqlUpkeep
from groundtrace_adapters.stores.upkeep.text import TIMES
from groundtrace_adapters.stores.work import Work

_ROOM = "SELECT bytes, NULL FROM groundtrace_room"

Servers: TypeAlias = Callable[[], Result[tuple[DataServer, ...], StoreError]]
SaveAll: TypeAlias = Callable[[Sequence[Evaluation]], Result[tuple[Fate, ...], StoreError]]


class ShardedUpkeep(SqlUpkeep):
    """StoreUpkeep over the entry."""

    def __init__(self, engine: Engine, /, *, save_all: SaveAll, servers: Servers) -> None:
        """Read through `engine`; evaluations are kept, and servers asked, as the store does it."""
        super().__init__(engine)
        self._sql = replace(self._sql, room=_ROOM)
        self._save_all = save_all
        self._servers = servers

    @override
    def save_all(self, evaluations: Sequence[Evaluation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._save_all(evaluations)

    @override
    def stats(self, *, exact: bool = False) -> Result[StoreStats, StoreError]:
        # First, so that one that hangs is named within seconds, and not found by the first count that waits for it.
        return self._servers().bind(_all_there).bind(lambda asked: self._stats_over(asked, exact=exact))

    def _stats_over(self, asked: tuple[DataServer, ...], *, exact: bool) -> Result[StoreStats, StoreError]:
        return super().stats(exact=exact).map(lambda told: replace(told, servers=asked))

    @override
    def _removed(
        self, work: Work, sessions: Sequence[str], before: datetime, limit: int
    ) -> tuple[Sequence[object], Sequence[object]]:
        went_on = {
            row[0]
            for table, time in TIMES.items()
            for row in work.fetch(younger(table, time, len(sessions)), {**_named(sessions), "before": before})
        }
        old = [session for session in sessions if session not in went_on]
        if not old:
            return [], []
        evaluations = _remove(work, "verifier_evaluation", old, limit)
        return evaluations, _remove(work, "tool_invocation", old, limit - len(evaluations))


def _all_there(servers: tuple[DataServer, ...]) -> Result[tuple[DataServer, ...], StoreError]:
    away = [server.name for server in servers if server.away is not None]
    if not away:
        return result.Success(servers)
    what = f"figures need every data server, and {', '.join(away)} of {len(servers)} did not answer"
    mend = "`groundtrace doctor` says why"
    return result.Failure(store_error(StoreFault.UNAVAILABLE, "stats", what, mend=mend))


def _remove(work: Work, table: str, sessions: Sequence[str], limit: int) -> Sequence[object]:
    """Remove the first records of sessions that all go; an id that two of them have goes in both."""
    keys = work.fetch(keys_of(table, len(sessions)), {**_named(sessions), "limit": limit})
    # Those alone that have such a record: whoever has none left is not asked.
    named = sorted({as_text(key[0]) for key in keys})
    if not named:
        return []
    ids = [as_text(key[1]) for key in keys]
    return [row[0] for row in work.fetch(remove(table, len(named)), {**_named(named), "ids": ids})]


def _named(sessions: Sequence[str]) -> Mapping[str, object]:
    return {f"session_{place}": session for place, session in enumerate(sessions)}
