"""The ledger: what a barrier may have to name, bounded."""

from __future__ import annotations

from groundtrace.ports import Flushed
from groundtrace_adapters.sinks.ledger import LOST_KEPT, Ledger
from groundtrace_testing.records import a_row

SESSION = "acme/outage"


def test_a_new_ledger_names_nothing() -> None:
    assert Ledger().flushed(SESSION) == Flushed()


def test_a_spooled_row_is_named_until_it_is_stored() -> None:
    ledger = Ledger()
    ledger.spooled([a_row(id="1"), a_row(id="2")])
    ledger.stored([a_row(id="1")])
    assert ledger.flushed(SESSION) == Flushed(spooled=frozenset({"2"}))
    ledger.stored([a_row(id="2")])
    assert ledger.flushed(SESSION) == Flushed()


def test_a_row_that_was_spooled_and_then_refused_is_lost_and_no_longer_spooled() -> None:
    ledger = Ledger()
    ledger.spooled([a_row(id="1")])
    ledger.lost(a_row(id="1"), "refused_row: a value does not fit")
    assert ledger.flushed(SESSION) == Flushed(lost={"1": "refused_row: a value does not fit"})


def test_storing_a_row_that_nobody_spooled_changes_nothing() -> None:
    ledger = Ledger()
    ledger.stored([a_row(id="1")])
    assert ledger.flushed(SESSION) == Flushed()


def test_only_the_latest_lost_rows_are_remembered() -> None:
    ledger = Ledger()
    for number in range(LOST_KEPT + 5):
        ledger.lost(a_row(id=str(number)), "the sink is closed")
    lost = ledger.flushed(SESSION).lost
    assert len(lost) == LOST_KEPT
    assert not {"0", "4"} & set(lost)
    assert "5" in lost
