"""Bringing a batch to a store: whatever the store does, each row gets an answer or the error that stands for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.ports import StoreFault
from groundtrace_adapters.sinks.delivery import Delivery, deliver
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.records import a_row

ROWS = [a_row(id=str(number), seq=number) for number in range(40)]
REFUSED = "refused_row: a value does not fit"


@given(st.sets(st.sampled_from([row.id for row in ROWS])))
def test_each_poisoned_row_is_refused_alone_and_every_other_is_stored(poison: set[str]) -> None:
    memory = MemoryStore()
    store = MoodyStore(memory)
    store.poison = frozenset(poison)
    assert deliver(store, ROWS) == Delivery(answers=tuple(REFUSED if row.id in poison else None for row in ROWS))
    assert {row.id for row in memory.rows("acme/outage").unwrap()} == {row.id for row in ROWS} - poison


def test_a_conflict_is_an_answer_and_costs_no_neighbour() -> None:
    rows = [a_row(id="1"), a_row(id="1", output_preview="4 lines"), a_row(id="2")]
    assert deliver(MemoryStore(), rows) == Delivery(answers=(None, "id_conflict", None))


@pytest.mark.parametrize(
    ("mood", "words"),
    [
        (Mood.FAILS, "no server"),
        (Mood.RAISES, "the store raised ConnectionResetError"),
        (Mood.MISCOUNTS, "the store told 39 fates for 40 rows"),
    ],
)
def test_a_store_that_is_down_answers_for_no_row(mood: Mood, words: str) -> None:
    store = MoodyStore(MemoryStore())
    store.mood = mood
    delivery = deliver(store, ROWS)
    assert delivery.answers == ()
    assert delivery.error is not None
    assert (delivery.error.fault, delivery.error.message) == (StoreFault.UNAVAILABLE, words)


def test_a_store_that_goes_down_halfway_answers_for_the_rows_before() -> None:
    store = MoodyStore(MemoryStore())
    store.poison = frozenset({"25"})
    store.fails_after = 2
    delivery = deliver(store, ROWS)
    assert delivery.answers == (None,) * 20
    assert delivery.error is not None


def test_nothing_is_delivered_as_nothing() -> None:
    assert deliver(MemoryStore(), []) == Delivery()
