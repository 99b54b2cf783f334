"""ToolTraceSummaryService: reads a session's rows and sums them up by the core's rules (DESIGN section 7).

A thin shell: reading is the store's, summing up is `groundtrace.summary`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from returns import result
from returns.result import Result

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.invocation import Invocation
from groundtrace.outcomes import Deduped
from groundtrace.ports import InvocationStore, StoreError
from groundtrace.recording import outcome_of
from groundtrace.summary import entries_of, summarize

PAGE_ROWS = 1_000
EARLIER_ROWS = 10_000
"""At most so many rows of a session, the oldest first, are summed up as `earlier`; they carry nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTrace:
    """What the store holds for one turn: its rows, the rows that its repeats refer to, and the session's other rows.

    `earlier` sums the session's other rows up.
    """

    rows: tuple[Invocation, ...]
    repeated: tuple[Invocation, ...]
    earlier: tuple[EvidenceEntry, ...]


class ToolTraceSummaryService:
    """Sums up what is stored; keeps nothing itself."""

    def __init__(self, store: InvocationStore, /) -> None:
        """Read from `store`."""
        self._store = store

    def session(self, session_id: str, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        """Return the entries of a whole session, computed where the rows are."""
        return self._store.entries(session_id)

    def within(self, scope: SummaryScope, /) -> Result[tuple[EvidenceEntry, ...], StoreError]:
        """Return the entries of many sessions or of a time as one, computed where the rows are."""
        return self._store.entries_within(scope)

    def turn(self, session_id: str, ids: Sequence[str], /) -> Result[TurnTrace, StoreError]:
        """Return what a turn with these rows may rest on, and what came before it."""
        return self._store.find(session_id, ids).bind(
            lambda rows: self._store.find(session_id, _references(rows)).bind(
                lambda repeated: read_rows(self._store, session_id, most=EARLIER_ROWS).map(
                    lambda all_rows: _joined(rows, repeated, all_rows)
                )
            )
        )


def read_rows(store: InvocationStore, session_id: str, /, *, most: int) -> Result[tuple[Invocation, ...], StoreError]:
    """Return a session's rows in their order, page by page, the first `most` of them."""
    found: list[Invocation] = []
    while len(found) < most:
        limit = min(PAGE_ROWS, most - len(found))
        page = store.rows(session_id, after=found[-1] if found else None, limit=limit)
        read = page.value_or(None)
        if read is None:
            return page
        found.extend(read)
        if len(read) < limit:
            break
    return result.Success(tuple(found))


def repeated_ids(row: Invocation, /) -> tuple[str, ...]:
    """Return the ids of the calls that a Deduped row repeats; none for any other row."""
    outcome = outcome_of(row)
    return outcome.of if isinstance(outcome, Deduped) else ()


def _joined(
    rows: tuple[Invocation, ...], repeated: tuple[Invocation, ...], all_rows: tuple[Invocation, ...]
) -> TurnTrace:
    shown = {row.id for row in chain(rows, repeated)}
    return TurnTrace(
        rows=rows,
        repeated=repeated,
        earlier=entries_of(summarize(row for row in all_rows if row.id not in shown)),
    )


def _references(rows: Sequence[Invocation]) -> tuple[str, ...]:
    own = {row.id for row in rows}
    return tuple({reference: None for row in rows for reference in repeated_ids(row) if reference not in own})
