"""What every StoreUpkeep does: memory, SQLite and PostgreSQL under one suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from returns import result

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace.ports import Fate, StoreError, StoreFault, StoreUpkeep
from groundtrace.upkeep import Count, Page, Pruned, RecordKey, Selection
from groundtrace_adapters.stores.opening import Store
from groundtrace_testing.records import NOON, a_failure, a_row, an_evaluation
from groundtrace_testing.stores import LASTING_STORES, STORES, StoreCase, stores_of

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
ALL = Selection()


@pytest.fixture(params=STORES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
    yield from stores_of(request, tmp_path)


@pytest.fixture(params=LASTING_STORES)
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreCase]:
    yield from stores_of(request, tmp_path)


@pytest.fixture
def store(case: StoreCase) -> Store:
    return case.store


@pytest.fixture
def upkeep(store: Store) -> StoreUpkeep:
    return store.upkeep()


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


STRANGE = ["a", "acme/outage", "acme/outage 2", "B", "Z", "b", "\u00e9", "\U0001f525", "\uffee", "--help", "'; DROP"]


class TestPages:
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


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(limit=st.integers(1, 9), since=st.integers(-1, 6), hours=st.integers(0, 7))
def test_the_pages_of_a_time_are_the_rows_of_that_time(case: StoreCase, limit: int, since: int, hours: int) -> None:
    rows = [a_row(session_id=name, id=f"{at}", started_at=NOON + at * HOUR) for name in "abc" for at in range(6)]
    keep(case.store, rows)
    chosen = Selection(since=NOON + since * HOUR, until=NOON + (since + hours) * HOUR)
    wanted = [row for row in rows if since <= int(row.id) < since + hours]
    assert every_row(case.store.upkeep(), chosen, limit=limit) == wanted


class TestSaveAll:
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


class TestPrune:
    def test_a_session_whose_last_record_is_older_goes_as_a_whole(self, store: Store, upkeep: StoreUpkeep) -> None:
        keep(
            store,
            a_session("old", NOON) + a_session("new", NOON + 2 * DAY),
            [an_evaluation(session_id="old"), an_evaluation(session_id="new", created_at=NOON + 2 * DAY)],
        )
        told = upkeep.prune(NOON + DAY).unwrap()
        assert told == Pruned(sessions=1, rows=3, evaluations=1)
        assert {row.session_id for row in every_row(upkeep)} == {"new"}
        assert {one.session_id for one in every_evaluation(upkeep)} == {"new"}

    def test_a_session_that_goes_on_keeps_every_row_and_says_how_many_are_old(
        self, store: Store, upkeep: StoreUpkeep
    ) -> None:
        rows = [*a_session("s", NOON), a_row(session_id="s", id="late", started_at=NOON + 2 * DAY)]
        keep(store, rows)
        assert upkeep.prune(NOON + DAY) == result.Success(Pruned(kept_rows=3))
        assert len(every_row(upkeep)) == 4

    def test_the_evidence_of_a_kept_decision_stays(self, store: Store, upkeep: StoreUpkeep) -> None:
        keep(store, a_session("s", NOON), [an_evaluation(session_id="s", created_at=NOON + 2 * DAY)])
        assert upkeep.prune(NOON + DAY) == result.Success(Pruned(kept_rows=3))
        assert (len(every_row(upkeep)), len(every_evaluation(upkeep))) == (3, 1)

    def test_a_call_that_a_kept_call_repeats_stays(self, store: Store, upkeep: StoreUpkeep) -> None:
        repeat = a_row(
            session_id="s",
            id="again",
            started_at=NOON + 2 * DAY,
            outcome=OutcomeKind.DEDUPED,
            support=None,
            reason="same_query",
            dedup_reason="same_query",
            details='{"of": ["call-0"]}',
        )
        keep(store, [*a_session("s", NOON), repeat])
        upkeep.prune(NOON + DAY).unwrap()
        assert {row.id for row in every_row(upkeep)} == {"again", "call-0", "call-1", "call-2"}

    def test_the_limit_itself_is_not_older(self, store: Store, upkeep: StoreUpkeep) -> None:
        keep(store, [a_row(started_at=NOON)])
        assert upkeep.prune(NOON) == result.Success(Pruned())
        assert upkeep.prune(NOON + timedelta(microseconds=1)).unwrap().rows == 1

    def test_a_session_of_decisions_alone_goes_too(self, store: Store, upkeep: StoreUpkeep) -> None:
        keep(store, evaluations=[an_evaluation()])
        assert upkeep.prune(NOON + DAY) == result.Success(Pruned(sessions=1, evaluations=1))
        assert every_evaluation(upkeep) == []

    def test_a_dry_run_says_what_would_go_and_removes_nothing(self, store: Store, upkeep: StoreUpkeep) -> None:
        keep(store, a_session("a", NOON) + a_session("b", NOON + 2 * DAY), [an_evaluation(session_id="a")])
        told = upkeep.prune(NOON + DAY, dry_run=True)
        assert told == result.Success(Pruned(sessions=1, rows=3, evaluations=1))
        assert len(every_row(upkeep)) == 6

    @pytest.mark.parametrize("limit", [1, 2, 7, 1_000])
    def test_steps_of_any_size_remove_the_same(self, store: Store, upkeep: StoreUpkeep, limit: int) -> None:
        names = [f"s{number:02}" for number in range(8)]
        keep(
            store,
            [row for at, name in enumerate(names) for row in a_session(name, NOON + (at % 2) * 2 * DAY, calls=5)],
            [an_evaluation(session_id=name, created_at=NOON + (at % 2) * 2 * DAY) for at, name in enumerate(names)],
        )
        planned = all_steps(upkeep, NOON + DAY, limit=limit, dry_run=True)
        assert all_steps(upkeep, NOON + DAY, limit=limit) == planned == Pruned(sessions=4, rows=20, evaluations=4)
        assert {row.session_id for row in every_row(upkeep)} == set(names[1::2])

    def test_a_step_is_bounded_and_decisions_go_before_their_evidence(self, lasting: StoreCase) -> None:
        upkeep = lasting.store.upkeep()
        keep(lasting.store, a_session("s", NOON, calls=9), [an_evaluation(session_id="s")])
        assert upkeep.prune(NOON + DAY, limit=4) == result.Success(Pruned(rows=3, evaluations=1, next=""))
        assert (len(every_row(upkeep)), every_evaluation(upkeep)) == (6, [])

    def test_what_an_interrupt_left_goes_the_next_time(self, store: Store, upkeep: StoreUpkeep) -> None:
        keep(store, a_session("a", NOON, calls=9) + a_session("b", NOON, calls=9))
        upkeep.prune(NOON + DAY, limit=4).unwrap()
        all_steps(upkeep, NOON + DAY, limit=4)
        assert every_row(upkeep) == []

    def test_the_same_row_can_be_stored_again_after_it_went(self, store: Store, upkeep: StoreUpkeep) -> None:
        row = a_row()
        keep(store, [row])
        upkeep.prune(NOON + DAY).unwrap()
        keep(store, [replace(row, output_preview="another")])

    def test_the_redaction_key_stays(self, store: Store, upkeep: StoreUpkeep) -> None:
        key = store.redaction_key()
        keep(store, [a_row()])
        upkeep.prune(NOON + DAY).unwrap()
        assert store.redaction_key() == key

    def test_writers_go_on_between_two_steps(self, lasting: StoreCase) -> None:
        upkeep, writer = lasting.store.upkeep(), lasting.reopen()
        keep(lasting.store, a_session("a", NOON, calls=6))
        step = upkeep.prune(NOON + DAY, limit=2).unwrap()
        keep(writer, a_session("a", NOON + 2 * DAY, calls=7)[6:])
        while step.next is not None:
            step = upkeep.prune(NOON + DAY, after=step.next, limit=2).unwrap()
        assert [row.started_at for row in every_row(upkeep)][-1] == NOON + 2 * DAY + timedelta(seconds=6)


class TestStats:
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

    def test_a_lasting_store_says_its_room_and_its_newest_schema_step(self, lasting: StoreCase) -> None:
        keep(lasting.store, [a_row()])
        told = lasting.store.upkeep().stats().unwrap()
        assert (told.bytes or 0) > 8_000
        assert told.version >= 1
        assert told.step.startswith(f"{told.version:04}_")
