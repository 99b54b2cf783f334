"""Upkeep of a store on several PostgreSQL servers, as far as it differs from that of one database.

It is right and reads every server. Where much is to be kept up, do it on each data server, which is a store by itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from returns.result import Result
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.ports import Fate, StoreError
from groundtrace_adapters.stores.sql_store import Engine
from groundtrace_adapters.stores.upkeep.sql import SqlUpkeep

_ROOM = "SELECT bytes, NULL FROM groundtrace_room"

SaveAll: TypeAlias = Callable[[Sequence[Evaluation]], Result[tuple[Fate, ...], StoreError]]


class ShardedUpkeep(SqlUpkeep):
    """StoreUpkeep over the entry."""

    def __init__(self, engine: Engine, /, *, save_all: SaveAll) -> None:
        """Read through `engine`; evaluations are kept as the store keeps them."""
        super().__init__(engine)
        self._sql = replace(self._sql, room=_ROOM)
        self._save_all = save_all

    @override
    def save_all(self, evaluations: Sequence[Evaluation], /) -> Result[tuple[Fate, ...], StoreError]:
        return self._save_all(evaluations)
