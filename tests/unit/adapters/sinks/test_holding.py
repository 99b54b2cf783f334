"""Rows on their way: a writer that cannot go on waits, and what the garbage collector puts meanwhile harms nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

from typing_extensions import override

from groundtrace.ports import Flushed
from groundtrace_adapters.sinks.held import Bounds, Held
from groundtrace_adapters.sinks.holding import FIRST_PAUSE, Holding
from groundtrace_testing.records import a_row


class Meddling(str):
    """A text that does something whenever it is looked at, as a finalizer may in the middle of anything."""

    act: Callable[[], object]
    __slots__ = ("act",)

    @override
    def __eq__(self, other: object) -> bool:
        self.act()
        return str.__eq__(self, other)

    @override
    def __hash__(self) -> int:
        self.act()
        return str.__hash__(self)


def put(holding: Holding, session_id: str = "acme/outage", id: str = "call-1") -> Held:
    held = Held(a_row(session_id=session_id, id=id))
    assert holding.put(held, patience=0) is None
    return held


def test_a_row_whose_key_is_on_its_way_waits_for_it_and_keeps_no_writer_busy() -> None:
    holding = Holding(Bounds(), spool=False)
    first = put(holding)
    batch = holding.take(500, backlog=False)
    again = put(holding)
    with ThreadPoolExecutor(1) as pool:
        taking = pool.submit(holding.take, 500, backlog=False)
        assert not wait([taking], timeout=0.2).done
        holding.stored(batch)
        holding.bring_back(batch)
        assert taking.result(timeout=10) == [again]
    assert batch == [first]


def test_a_row_that_is_put_while_a_writer_takes_some_harms_neither() -> None:
    holding = Holding(Bounds(), spool=False)
    put(holding, id="on its way")
    holding.take(1, backlog=False)
    session = Meddling("acme/meddling")
    session.act = lambda: None
    here = [put(holding, session, id=str(number)) for number in range(3)]
    session.act = lambda: put(holding, "acme/finalizer")
    assert holding.take(500, backlog=False)[:3] == here


def test_a_row_that_is_put_while_a_session_is_flushed_harms_neither() -> None:
    holding = Holding(Bounds(), spool=False)
    session = Meddling("acme/meddling")
    session.act = lambda: None
    for number in range(3):
        put(holding, session, id=str(number))
    session.act = lambda: put(holding, "acme/finalizer")
    assert holding.flush("acme/outage", seconds=0) == Flushed()


class CountingHolding(Holding):
    """Counts how often a writer looks whether there is work."""

    looks = 0

    @override
    def _is_worth_a_batch(self) -> bool:
        self.looks += 1
        return super()._is_worth_a_batch()


def test_a_writer_that_waits_out_a_pause_is_not_called_for_each_row() -> None:
    holding = CountingHolding(Bounds(), spool=False)
    assert holding.stand_back() > 0
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(holding.take, 500, backlog=False)
        put(holding)
        assert not wait([taken], timeout=0.05).done
        before = holding.looks
        for number in range(100):
            put(holding, id=f"row-{number}")
        assert holding.looks == before
        assert len(taken.result(timeout=10)) == 101


def test_a_store_that_answers_ends_the_pause_of_a_writer_at_once() -> None:
    holding = Holding(Bounds(), spool=False)
    while (pause := holding.stand_back()) < 2 * FIRST_PAUSE:
        time.sleep(0.02)
    begun = time.monotonic()
    put(holding)
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(holding.take, 500, backlog=False)
        assert not wait([taken], timeout=0.05).done
        holding.store_answers()
        assert len(taken.result(timeout=10)) == 1
    assert time.monotonic() - begun < pause
