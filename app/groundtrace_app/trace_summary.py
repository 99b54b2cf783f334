"""ToolTraceSummaryService: reads a session's rows and sums them up by the core's rules (DESIGN section 7).

A thin shell: reading is the store's, summing up is `groundtrace.summary`.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from returns import result
from returns.result import Result

from groundtrace.entries import EvidenceEntry, SummaryScope
from groundtrace.invocation import Invocation
from groundtrace.outcomes import Deduped
from groundtrace.ports import InvocationStore, StoreError, StoreFault
from groundtrace.recording import outcome_of
from groundtrace.summary import entries_of, summarize

PAGE_ROWS = 1_000
EARLIER_ROWS = 10_000
"""At most so many rows of a session, the oldest first, are summed up as `earlier`; they carry nothing."""

WALKED_ROWS = 200_000
"""The longest session that is looked through for the rows of one turn."""


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

    def recorded(self, session_id: str, ids: Sequence[str], /, *, turn_id: str | None) -> Result[TurnTrace, StoreError]:
        """Return what a turn may rest on whose calls others recorded: under `turn_id` (None: anywhere), or with `ids`.

        Of a longer turn these are the latest 10,000 rows. A session of over 200,000 rows is refused as `too_many`.
        """
        known = frozenset(ids)
        own: deque[Invocation] = deque(maxlen=EARLIER_ROWS)
        others: list[Invocation] = []
        for page in row_pages(self._store, session_id):
            rows = page.value_or(None)
            if rows is None:
                return page.map(_nothing)
            for row in rows:
                if turn_id is None or row.turn_id == turn_id or row.id in known:
                    own.append(row)
                elif len(others) < EARLIER_ROWS:
                    others.append(row)
        return self._store.find(session_id, _references(own)).map(
            lambda repeated: _joined(tuple(own), repeated, tuple(others))
        )


def row_pages(store: InvocationStore, session_id: str, /) -> Iterator[Result[tuple[Invocation, ...], StoreError]]:
    """Yield a session's rows in their order, page by page; the first Failure is the last, and one ends a long walk."""
    after: Invocation | None = None
    for _ in range(WALKED_ROWS // PAGE_ROWS):
        page = store.rows(session_id, after=after, limit=PAGE_ROWS)
        yield page
        rows = page.value_or(())
        if len(rows) < PAGE_ROWS:
            return
        after = rows[-1]
    message = f"the session has more than {WALKED_ROWS} rows"
    yield result.Failure(StoreError(fault=StoreFault.TOO_MANY, operation="rows", message=message, retryable=False))


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


def _nothing(_: tuple[Invocation, ...]) -> TurnTrace:
    return TurnTrace(rows=(), repeated=(), earlier=())


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
