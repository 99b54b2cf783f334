"""What every StoreUpkeep removes: old sessions as a whole, in bounded steps."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from returns import result

from groundtrace.outcomes import OutcomeKind
from groundtrace.ports import StoreUpkeep
from groundtrace.upkeep import Pruned
from groundtrace_adapters.conformance.cases import StoreCase, UpkeepSuite
from groundtrace_adapters.conformance.records import NOON, a_row, an_evaluation
from groundtrace_adapters.conformance.whole_store import (
    DAY,
    a_session,
    all_steps,
    every_evaluation,
    every_row,
    keep,
)
from groundtrace_adapters.stores.opening import Store


class Prune(UpkeepSuite):
    """Old sessions go as a whole."""

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


class LastingPrune(UpkeepSuite):
    """Pruning goes in steps, between which others write."""

    def test_a_step_is_bounded_and_decisions_go_before_their_evidence(self, case: StoreCase) -> None:
        upkeep = case.store.upkeep()
        keep(case.store, a_session("s", NOON, calls=9), [an_evaluation(session_id="s")])
        assert upkeep.prune(NOON + DAY, limit=4) == result.Success(Pruned(rows=3, evaluations=1, next=""))
        assert (len(every_row(upkeep)), every_evaluation(upkeep)) == (6, [])

    def test_writers_go_on_between_two_steps(self, case: StoreCase) -> None:
        upkeep, writer = case.store.upkeep(), case.reopen()
        keep(case.store, a_session("a", NOON, calls=6))
        step = upkeep.prune(NOON + DAY, limit=2).unwrap()
        keep(writer, a_session("a", NOON + 2 * DAY, calls=7)[6:])
        while step.next is not None:
            step = upkeep.prune(NOON + DAY, after=step.next, limit=2).unwrap()
        assert [row.started_at for row in every_row(upkeep)][-1] == NOON + 2 * DAY + timedelta(seconds=6)
