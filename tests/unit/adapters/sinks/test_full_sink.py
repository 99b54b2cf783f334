"""A sink in a long outage: it says so now and then, and where no row can go anywhere it refuses at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.ports import Acknowledgement, Flushed, Place
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.records import a_row
from groundtrace_testing.sinks import eventually

SESSION = "acme/outage"
REFUSED = Acknowledgement(place=Place.REFUSED, why="the queue is full, and neither store nor spool takes rows")
SPOOLS: dict[str, Callable[[Path], Spool | None]] = {
    "no spool": lambda folder: None,
    "a full spool": lambda folder: Spool(folder, most_bytes=1),
}


@pytest.fixture(params=SPOOLS)
def spool(request: pytest.FixtureRequest, tmp_path: Path) -> Spool | None:
    return SPOOLS[request.param](tmp_path / "spool")


def test_nobody_waits_in_vain_where_neither_store_nor_spool_takes_rows(spool: Spool | None) -> None:
    store = MoodyStore(MemoryStore())
    store.mood = Mood.FAILS
    sink = QueueSink(store, spool=spool, bounds=Bounds(rows=5))
    first = [sink.put(a_row(id=f"first-{number}")) for number in range(5)]
    # Until both have been asked, somebody may have to wait.
    assert eventually(lambda: _seconds(lambda: sink.put(a_row(id="asked"))) < 0.05)
    begun = time.monotonic()
    refused = [sink.put(a_row(id=f"refused-{number}")) for number in range(100)]
    assert time.monotonic() - begun < 2
    assert [receipt.wait(deadline=0) for receipt in refused] == [REFUSED] * 100
    store.mood = Mood.WORKS
    assert all(receipt.wait(deadline=10) == Acknowledgement(place=Place.STORED) for receipt in first)
    assert sink.put(a_row(id="after")).wait(deadline=10) == Acknowledgement(place=Place.STORED)
    sink.close(deadline=1)


def test_nobody_waits_in_vain_for_a_store_that_says_nothing_either(spool: Spool | None) -> None:
    store = MoodyStore(MemoryStore())
    store.mood = Mood.HANGS
    sink = QueueSink(store, spool=spool, bounds=Bounds(rows=5, seconds=0.1))
    first = [sink.put(a_row(id=f"first-{number}")) for number in range(5)]
    assert eventually(lambda: _seconds(lambda: sink.put(a_row(id="asked"))) < 0.05)
    begun = time.monotonic()
    refused = [sink.put(a_row(id=f"refused-{number}")) for number in range(100)]
    assert time.monotonic() - begun < 2
    assert [receipt.wait(deadline=0) for receipt in refused] == [REFUSED] * 100
    store.mood = Mood.WORKS
    assert all(receipt.wait(deadline=10) == Acknowledgement(place=Place.STORED) for receipt in first)
    sink.close(deadline=1)


def test_a_working_store_is_waited_for_though_the_spool_is_full(tmp_path: Path) -> None:
    sink = QueueSink(MoodyStore(MemoryStore()), spool=Spool(tmp_path, most_bytes=1), bounds=Bounds(rows=5))
    for number in range(200):
        sink.put(a_row(id=str(number)))
    assert sink.flush(SESSION, deadline=10) == Flushed()
    sink.close(deadline=1)


def test_a_long_outage_is_told_at_its_beginning_and_not_at_every_batch(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = MoodyStore(MemoryStore())
    store.mood = Mood.FAILS
    sink = QueueSink(store, spool=Spool(tmp_path))
    for number in range(50):
        assert sink.put(a_row(id=str(number))).wait(deadline=10) == Acknowledgement(place=Place.SPOOLED)
    assert caplog.text.count("spooled, to be stored later") == 1
    assert "1 row is spooled, to be stored later" in caplog.text
    sink.close(deadline=5)
    assert "49 rows are spooled, to be stored later" in caplog.text


def _seconds(act: Callable[[], object]) -> float:
    begun = time.monotonic()
    act()
    return time.monotonic() - begun
