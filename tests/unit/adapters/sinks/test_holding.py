"""Rows on their way: a writer that cannot go on waits, and what the garbage collector puts meanwhile harms nothing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

from typing_extensions import override

from groundtrace.ports import Flushed
from groundtrace_adapters.sinks.held import Bounds, Held
from groundtrace_adapters.sinks.holding import Holding
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
