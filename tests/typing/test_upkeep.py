"""Looking after a store as an adapter's author would write it, typed by the public names alone."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import assert_type

from returns import result
from returns.result import Result

import groundtrace

AT = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)


class NothingHeld:
    """Looks after a store that holds nothing."""

    def invocations(
        self, chosen: groundtrace.Selection, /, *, after: groundtrace.RecordKey | None = None, limit: int = 1_000
    ) -> Result[groundtrace.Page[groundtrace.Invocation], groundtrace.StoreError]:
        return result.Success(groundtrace.Page(records=()))

    def evaluations(
        self, chosen: groundtrace.Selection, /, *, after: groundtrace.RecordKey | None = None, limit: int = 1_000
    ) -> Result[groundtrace.Page[groundtrace.Evaluation], groundtrace.StoreError]:
        return result.Success(groundtrace.Page(records=()))

    def save_all(
        self, evaluations: Sequence[groundtrace.Evaluation], /
    ) -> Result[tuple[groundtrace.Fate, ...], groundtrace.StoreError]:
        return result.Success((groundtrace.Fate.STORED,) * len(evaluations))

    def prune(
        self, before: datetime, /, *, after: str = "", limit: int = 1_000, dry_run: bool = False
    ) -> Result[groundtrace.Pruned, groundtrace.StoreError]:
        return result.Success(groundtrace.Pruned())

    def stats(self, *, exact: bool = False) -> Result[groundtrace.StoreStats, groundtrace.StoreError]:
        none = groundtrace.Count(number=0, certainty=groundtrace.Certainty.EXACT)
        return result.Success(
            groundtrace.StoreStats(
                rows=none,
                sessions=none,
                evaluations=none,
                first_at=None,
                last_at=None,
                bytes=None,
                version=0,
                step="",
                months=(groundtrace.Month(name="2026-11", rows=none),),
                servers=(groundtrace.DataServer(name="one"), groundtrace.DataServer(name="two", away="refused")),
            )
        )


def rows_of(upkeep: groundtrace.StoreUpkeep, session_id: str) -> list[groundtrace.Invocation]:
    found: list[groundtrace.Invocation] = []
    after: groundtrace.RecordKey | None = None
    while True:
        page = upkeep.invocations(groundtrace.Selection(session_id=session_id), after=after).unwrap()
        found += page.records
        after = page.next
        if after is None:
            return found


def test_a_store_is_looked_after_by_public_names_alone() -> None:
    upkeep: groundtrace.StoreUpkeep = NothingHeld()
    assert rows_of(upkeep, "s") == []
    assert upkeep.evaluations(groundtrace.Selection(since=AT)).unwrap().records == ()
    assert upkeep.save_all([]).unwrap() == ()
    held = upkeep.stats().unwrap()
    assert [(month.name, month.rows.number) for month in held.months] == [("2026-11", 0)]
    assert [server.name for server in held.servers if server.away] == ["two"]
    assert upkeep.prune(AT).unwrap().next is None
    assert upkeep.stats().unwrap().rows.number == 0


def test_an_imported_call_has_an_id_of_its_own_time() -> None:
    assert_type(groundtrace.imported_id(AT, "s", "span-1"), str)
    assert groundtrace.imported_id(AT, "s", "span-1") == groundtrace.imported_id(AT, "s", "span-1")
