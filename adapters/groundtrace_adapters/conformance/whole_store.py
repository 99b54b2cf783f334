"""A whole store, kept, read and pruned to the end, for the suites of its upkeep."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from returns import result

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, StoreUpkeep
from groundtrace.upkeep import Pruned, RecordKey, Selection
from groundtrace_adapters.conformance.records import a_row
from groundtrace_adapters.stores.opening import Store

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
ALL = Selection()
STRANGE = ["a", "acme/outage", "acme/outage 2", "B", "Z", "b", "\u00e9", "\U0001f525", "\uffee", "--help", "'; DROP"]


def keep(store: Store, rows: Sequence[Invocation] = (), evaluations: Sequence[Evaluation] = ()) -> None:
    assert set(store.append(rows).unwrap()) <= {Fate.STORED}
    for one in evaluations:
        assert store.save(one) == result.Success(Fate.STORED)


def every_row(upkeep: StoreUpkeep, chosen: Selection = ALL, *, limit: int = 1_000) -> list[Invocation]:
    found: list[Invocation] = []
    after: RecordKey | None = None
    for _ in range(200):
        page = upkeep.invocations(chosen, after=after, limit=limit).unwrap()
        assert len(page.records) <= limit
        found += page.records
        after = page.next
        if after is None:
            return found
    raise AssertionError("the pages do not end")


def every_evaluation(upkeep: StoreUpkeep, chosen: Selection = ALL, *, limit: int = 1_000) -> list[Evaluation]:
    found: list[Evaluation] = []
    after: RecordKey | None = None
    for _ in range(200):
        page = upkeep.evaluations(chosen, after=after, limit=limit).unwrap()
        found += page.records
        after = page.next
        if after is None:
            return found
    raise AssertionError("the pages do not end")


def all_steps(upkeep: StoreUpkeep, before: datetime, *, limit: int = 1_000, dry_run: bool = False) -> Pruned:
    """Prune to the end and return the sum of all steps."""
    told = Pruned(next="")
    for _ in range(200):
        step = upkeep.prune(before, after=told.next or "", limit=limit, dry_run=dry_run).unwrap()
        told = Pruned(
            sessions=told.sessions + step.sessions,
            rows=told.rows + step.rows,
            evaluations=told.evaluations + step.evaluations,
            kept_rows=told.kept_rows + step.kept_rows,
            next=step.next,
        )
        if told.next is None:
            return told
    raise AssertionError("the steps do not end")


def a_session(name: str, started_at: datetime, calls: int = 3) -> list[Invocation]:
    return [
        a_row(session_id=name, id=f"call-{number}", seq=number, started_at=started_at + number * timedelta(seconds=1))
        for number in range(calls)
    ]
