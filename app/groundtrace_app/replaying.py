"""Every decision of a store made again under today's rules: page by page, in constant memory, without a model."""

from collections.abc import Iterator
from dataclasses import dataclass

from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.decision import PassNeeds
from groundtrace.evaluation import Evaluation
from groundtrace.ports import StoreError
from groundtrace.problem import Problem
from groundtrace.replaying import Replayed, replay, shown_ids
from groundtrace.upkeep import RecordKey, Selection
from groundtrace_adapters.stores.opening import Store

PAGE_RECORDS = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A few decisions made again, and what could not be: records whose evidence, or that themselves, cannot be read."""

    decisions: tuple[Replayed, ...]
    unreadable: tuple[str, ...]


def replayed(
    store: Store, chosen: Selection, /, *, pass_needs: PassNeeds | None = None, page_records: int = PAGE_RECORDS
) -> Iterator[Result[Again, StoreError]]:
    """Yield the chosen decisions made again, in the order of their keys; a fault of the store ends it and is told."""
    after: RecordKey | None = None
    upkeep = store.upkeep()
    while True:
        page = upkeep.evaluations(chosen, after=after, limit=page_records)
        again = page.bind(lambda read: _again(store, read.records, read.unreadable, pass_needs))
        yield again
        if not is_successful(again) or page.unwrap().next is None:
            return
        after = page.unwrap().next


def _again(
    store: Store, evaluations: tuple[Evaluation, ...], unreadable: tuple[str, ...], pass_needs: PassNeeds | None
) -> Result[Again, StoreError]:
    decisions: list[Replayed] = []
    unread = list(unreadable)

    def keep(told: Result[Replayed, Problem], one: Evaluation) -> None:
        told.map(decisions.append).alt(lambda problem: unread.append(_named(one, problem)))

    for one in evaluations:
        found = store.find(one.session_id, shown_ids(one))
        if not is_successful(found):
            return Result.from_failure(found.failure())
        keep(replay(one, {row.id: row for row in found.unwrap()}, pass_needs=pass_needs), one)
    return Result.from_value(Again(decisions=tuple(decisions), unreadable=tuple(unread)))


def _named(one: Evaluation, problem: Problem) -> str:
    return f"decision {one.id!r} of session {one.session_id!r}: {problem.line()}"
