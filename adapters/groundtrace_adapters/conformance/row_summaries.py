"""The summaries that a store computes where the rows are: equal to the pure ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns import result
from returns.pipeline import is_successful

from groundtrace.entries import SummaryScope
from groundtrace.invocation import Invocation
from groundtrace.ports import StoreFault
from groundtrace.summary import entries_of, summarize
from groundtrace_adapters.conformance.cases import StoreSuite
from groundtrace_adapters.conformance.keeping import SESSION, kept, shares_a_store
from groundtrace_adapters.conformance.records import (
    NOON,
    a_failure,
    a_row,
    summed_rows,
)
from groundtrace_adapters.stores.opening import Store

_BOUNDS = [NOON + timedelta(minutes=minutes, microseconds=micros) for minutes in range(-1, 5) for micros in (0, 1)]
_numbers = count(1)


class Summary(StoreSuite):
    """The summary of one session."""

    @shares_a_store
    @given(rows=summed_rows())
    def test_the_summary_of_a_store_equals_the_pure_one(self, store: Store, rows: list[Invocation]) -> None:
        session = f"summed/{next(_numbers)}"
        rows = [replace(row, session_id=session) for row in rows]
        assert is_successful(store.append(rows))
        assert store.entries(session) == result.Success(entries_of(summarize(rows)))

    @pytest.mark.parametrize(
        "long",
        [
            {"tool_name": "t" * 20_000},
            {"topic_domain": "\U0001f525" * 2_000},
            {"input_fingerprint": "f" * 3_000},
            {"input_fingerprint": "two words"},
            {"input_fingerprint": ""},
            {"session_id": "\U0001f525" * 200, "tool_name": "\u00e9" * 200, "topic_domain": "\uffee" * 200},
        ],
        ids=lambda long: next(iter(long)),
    )
    def test_names_of_any_length_are_counted_with_the_others(self, store: Store, long: dict[str, Any]) -> None:
        rows = [a_row(id="1", **long), a_row(id="2", **long), a_row(id="3", **{**long, "input_fingerprint": "words"})]
        rows.append(a_failure(id="4", session_id=rows[0].session_id))
        assert kept(store, *rows[::-1]) == tuple(rows)
        assert store.entries(rows[0].session_id) == result.Success(entries_of(summarize(rows)))
        assert store.entries_within(SummaryScope()) == result.Success(entries_of(summarize(rows)))

    def test_a_refused_row_counts_nowhere(self, store: Store) -> None:
        kept(store, a_row())
        store.append([a_failure(id="call-1")])
        assert store.entries(SESSION) == result.Success(entries_of(summarize([a_row()])))

    def test_a_summary_of_many_rows_equals_the_pure_one(self, store: Store) -> None:
        rows = [
            (a_failure if number % 3 else a_row)(
                id=str(number),
                seq=number,
                topic_domain=str(number % 4),
                input_fingerprint=str(number % 50),
                **({"error_message": f"error {number % 9}"} if number % 3 else {}),
            )
            for number in range(1_500)
        ]
        store.append(rows)
        assert store.entries(SESSION) == result.Success(entries_of(summarize(rows)))


class SummaryOfAScope(StoreSuite):
    """The summary of many sessions, or of a time."""

    @shares_a_store
    @given(rows=summed_rows(), data=st.data())
    def test_the_summary_of_many_sessions_equals_the_pure_one(
        self, store: Store, rows: list[Invocation], data: st.DataObject
    ) -> None:
        place = next(_numbers)
        sessions = [f"{place}/{name}" for name in ("a", "b", "\u00e9")]
        rows = [replace(row, session_id=data.draw(st.sampled_from(sessions))) for row in rows]
        assert is_successful(store.append(rows))
        named = data.draw(st.lists(st.sampled_from([*sessions, "never", "half \ud83d"])))
        since, until = (data.draw(st.none() | st.sampled_from(_BOUNDS)) for _ in "12")
        scope = SummaryScope(sessions=tuple(named), since=since, until=until)
        covered = [row for row in rows if row.session_id in named and scope.covers(row.started_at)]
        assert store.entries_within(scope) == result.Success(entries_of(summarize(covered)))

    @shares_a_store
    @given(rows=summed_rows(), since=st.sampled_from(_BOUNDS), until=st.sampled_from(_BOUNDS))
    def test_the_summary_of_a_time_equals_the_pure_one(
        self, store: Store, rows: list[Invocation], since: datetime, until: datetime
    ) -> None:
        # Each example has a year of its own in the one store.
        years = timedelta(days=400 * next(_numbers))
        rows = [
            replace(row, session_id=f"{row.seq}", started_at=row.started_at + years, id=f"{years} {row.id}")
            for row in rows
        ]
        assert is_successful(store.append(rows))
        scope = SummaryScope(since=since + years, until=until + years)
        covered = [row for row in rows if scope.covers(row.started_at)]
        assert store.entries_within(scope) == result.Success(entries_of(summarize(covered)))

    def test_no_bound_covers_the_first_and_the_last_instant(self, store: Store) -> None:
        early, late = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
        rows = kept(store, a_row(id="1", started_at=early), a_row(id="2", started_at=late))
        whole = result.Success(entries_of(summarize(rows)))
        assert store.entries_within(SummaryScope()) == whole
        assert store.entries_within(SummaryScope(sessions=(SESSION, SESSION))) == whole
        assert store.entries_within(SummaryScope(until=late)) == result.Success(entries_of(summarize(rows[:1])))
        assert store.entries_within(SummaryScope(until=early)) == result.Success(())

    def test_bounds_in_another_zone_are_the_same_instants(self, store: Store) -> None:
        kept(store, a_row())
        elsewhere = NOON.astimezone(timezone(timedelta(hours=-7)))
        (entry,) = store.entries_within(SummaryScope(since=elsewhere)).unwrap()
        assert entry.calls == 1
        assert store.entries_within(SummaryScope(until=elsewhere)) == result.Success(())

    def test_no_session_named_is_no_row(self, store: Store) -> None:
        kept(store, a_row())
        assert store.entries_within(SummaryScope(sessions=())) == result.Success(())

    @pytest.mark.parametrize("scope", [SummaryScope(), SummaryScope(sessions=(SESSION,)), SummaryScope(since=NOON)])
    def test_a_scope_of_too_many_rows_is_refused_and_never_cut(self, store: Store, scope: SummaryScope) -> None:
        kept(store, a_row(id="1"), a_row(id="2"), a_row(id="3"))
        told = store.entries_within(scope, most=2).failure()
        assert (told.fault, told.operation, told.retryable) == (StoreFault.TOO_MANY, "entries_within", False)
        assert "more than 2 rows" in told.message
        assert is_successful(store.entries_within(scope, most=3))
        assert is_successful(store.entries_within(scope, most=2**70))
        assert store.entries_within(scope, most=-1).failure().fault is StoreFault.TOO_MANY
