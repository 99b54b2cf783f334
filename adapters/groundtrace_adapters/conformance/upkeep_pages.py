"""What every StoreUpkeep does: pages over a whole store, batches of evaluations, figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from returns import result

from groundtrace.ports import Fate, StoreError, StoreFault, StoreUpkeep
from groundtrace.upkeep import Count, Page, RecordKey, Selection
from groundtrace_adapters.conformance.cases import StoreCase, UpkeepSuite
from groundtrace_adapters.conformance.keeping import shares_a_store
from groundtrace_adapters.conformance.records import NOON, a_failure, a_row, an_evaluation
from groundtrace_adapters.conformance.whole_store import (
    ALL,
    DAY,
    HOUR,
    STRANGE,
    a_session,
    every_evaluation,
    every_row,
    keep,
)
from groundtrace_adapters.stores.opening import Store


class Pages(UpkeepSuite):
    """Pages give each record once."""

    @pytest.mark.parametrize("limit", [1, 2, 3, 7, 1_000])
    def test_every_row_comes_once_in_the_order_of_keys(self, store: Store, upkeep: StoreUpkeep, limit: int) -> None:
        rows = [row for name in STRANGE for row in a_session(name, NOON)]
        keep(store, rows)
        assert every_row(upkeep, limit=limit) == sorted(rows, key=lambda row: (row.session_id, row.id))

    @pytest.mark.parametrize("limit", [1, 2, 1_000])
    def test_every_evaluation_comes_once_in_the_order_of_keys(
        self, store: Store, upkeep: StoreUpkeep, limit: int
    ) -> None:
        made = [an_evaluation(session_id=name, id=f"eval-{number}") for name in STRANGE for number in range(2)]
        keep(store, evaluations=made)
        assert every_evaluation(upkeep, limit=limit) == sorted(made, key=lambda one: (one.session_id, one.id))

    def test_an_empty_store_has_one_empty_page(self, upkeep: StoreUpkeep) -> None:
        assert upkeep.invocations(ALL) == result.Success(Page(records=()))
        assert upkeep.evaluations(ALL) == result.Success(Page(records=()))

    @pytest.mark.parametrize("limit", [1, 1_000])
    def test_one_session_is_chosen_alone(self, store: Store, upkeep: StoreUpkeep, limit: int) -> None:
        rows = {name: a_session(name, NOON) for name in STRANGE}
        made = [an_evaluation(session_id=name) for name in STRANGE]
        keep(store, [row for one in rows.values() for row in one], made)
        for name in STRANGE:
            assert every_row(upkeep, Selection(session_id=name), limit=limit) == rows[name]
            assert [one.session_id for one in every_evaluation(upkeep, Selection(session_id=name))] == [name]
        assert every_row(upkeep, Selection(session_id="nobody's")) == []
        assert every_row(upkeep, Selection(session_id="no\x00body")) == []

    @pytest.mark.parametrize("limit", [1, 2, 5, 1_000])
    def test_a_time_begins_with_since_and_ends_before_until(
        self, store: Store, upkeep: StoreUpkeep, limit: int
    ) -> None:
        keep(
            store,
            [
                a_row(session_id=name, id=f"{hour:02}", started_at=NOON + hour * HOUR)
                for name in "ab"
                for hour in range(5)
            ],
            [an_evaluation(id=f"{hour:02}", created_at=NOON + hour * HOUR) for hour in range(5)],
        )
        chosen = Selection(since=NOON + HOUR, until=NOON + 3 * HOUR)
        assert [(row.session_id, row.id) for row in every_row(upkeep, chosen, limit=limit)] == [
            ("a", "01"),
            ("a", "02"),
            ("b", "01"),
            ("b", "02"),
        ]
        assert [one.id for one in every_evaluation(upkeep, chosen, limit=limit)] == ["01", "02"]
        late = Selection(session_id="a", since=NOON + 4 * HOUR)
        assert [row.id for row in every_row(upkeep, late, limit=limit)] == ["04"]
        assert every_row(upkeep, Selection(until=NOON), limit=limit) == []

    def test_a_page_of_a_selection_looks_at_no_more_than_its_limit(self, store: Store, upkeep: StoreUpkeep) -> None:
        keep(store, a_session("a", NOON, calls=6))
        page = upkeep.invocations(Selection(since=NOON + DAY), limit=4).unwrap()
        assert page == Page(records=(), next=RecordKey(session_id="a", id="call-3"))

    def test_rows_that_come_while_pages_are_read_cost_no_other_row(self, store: Store, upkeep: StoreUpkeep) -> None:
        rows = a_session("b", NOON, calls=4)
        keep(store, rows)
        first = upkeep.invocations(ALL, limit=2).unwrap()
        keep(store, a_session("a", NOON) + a_session("c", NOON))
        rest = upkeep.invocations(ALL, after=first.next, limit=1_000).unwrap()
        assert [row for row in (*first.records, *rest.records) if row.session_id == "b"] == rows

    def test_a_page_is_refused_where_the_store_is_away(self, case: StoreCase) -> None:
        case.store.upkeep().invocations(ALL).unwrap()
        case.take_down()
        asked: list[Callable[[StoreUpkeep], result.Result[object, StoreError]]] = [
            lambda upkeep: upkeep.invocations(ALL),
            lambda upkeep: upkeep.prune(NOON),
            lambda upkeep: upkeep.stats(),
            lambda upkeep: upkeep.save_all([an_evaluation()]),
        ]
        for ask in asked:
            assert ask(case.store.upkeep()).failure().fault is StoreFault.UNAVAILABLE

    @settings(shares_a_store, max_examples=15)
    @given(limit=st.integers(1, 9), since=st.integers(-1, 6), hours=st.integers(0, 7))
    def test_the_pages_of_a_time_are_the_rows_of_that_time(
        self, case: StoreCase, limit: int, since: int, hours: int
    ) -> None:
        rows = [a_row(session_id=name, id=f"{at}", started_at=NOON + at * HOUR) for name in "abc" for at in range(6)]
        keep(case.store, rows)
        chosen = Selection(since=NOON + since * HOUR, until=NOON + (since + hours) * HOUR)
        wanted = [row for row in rows if since <= int(row.id) < since + hours]
        assert every_row(case.store.upkeep(), chosen, limit=limit) == wanted


class SaveAll(UpkeepSuite):
    """Evaluations are kept in batches."""

    def test_each_evaluation_has_its_fate(self, store: Store, upkeep: StoreUpkeep) -> None:
        first = an_evaluation(id="a")
        keep(store, evaluations=[first])
        told = upkeep.save_all([an_evaluation(id="b"), first, replace(first, question="another?")])
        assert told == result.Success((Fate.STORED, Fate.STORED, Fate.ID_CONFLICT))
        assert [one.question for one in every_evaluation(upkeep)] == [first.question] * 2

    def test_the_same_batch_again_is_kept_once(self, store: Store, upkeep: StoreUpkeep) -> None:
        batch = [an_evaluation(session_id=name) for name in STRANGE]
        for _ in range(2):
            assert upkeep.save_all(batch) == result.Success((Fate.STORED,) * len(batch))
        assert len(every_evaluation(upkeep)) == len(batch)

    def test_one_that_no_store_can_keep_is_refused_with_its_batch(self, upkeep: StoreUpkeep) -> None:
        told = upkeep.save_all([an_evaluation(id="a"), an_evaluation(id="b", question="\x00")])
        assert told.failure().fault is StoreFault.REFUSED_ROW
        assert every_evaluation(upkeep) == []

    def test_no_evaluation_is_no_work(self, upkeep: StoreUpkeep) -> None:
        assert upkeep.save_all([]) == result.Success(())


class Stats(UpkeepSuite):
    """A store says what it holds."""

    def test_an_empty_store_holds_nothing(self, upkeep: StoreUpkeep) -> None:
        told = upkeep.stats().unwrap()
        nothing = Count(number=0)
        assert (told.rows, told.sessions, told.evaluations, told.outcomes) == (nothing, nothing, nothing, {})
        assert (told.first_at, told.last_at) == (None, None)

    @pytest.mark.parametrize("exact", [False, True])
    def test_a_small_store_is_counted(self, store: Store, upkeep: StoreUpkeep, *, exact: bool) -> None:
        keep(
            store,
            [*a_session("a", NOON), a_failure(session_id="b", started_at=NOON - DAY)],
            [an_evaluation(session_id="c", created_at=NOON + DAY)],
        )
        told = upkeep.stats(exact=exact).unwrap()
        assert (told.rows, told.sessions, told.evaluations) == (Count(number=4), Count(number=3), Count(number=1))
        assert told.outcomes == {"failure": Count(number=1), "success": Count(number=3)}
        assert (told.first_at, told.last_at) == (NOON - DAY, NOON + DAY)


class LastingStats(UpkeepSuite):
    """A lasting store says its room and its schema step."""

    def test_a_lasting_store_says_its_room_and_its_newest_schema_step(self, case: StoreCase) -> None:
        keep(case.store, [a_row()])
        told = case.store.upkeep().stats().unwrap()
        assert (told.bytes or 0) > 8_000
        assert told.version >= 1
        assert told.step.startswith(f"{told.version:04}_")
