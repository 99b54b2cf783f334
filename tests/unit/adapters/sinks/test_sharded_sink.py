"""The sink of lanes: which lane a row takes, and that a lane that is held up holds up no other."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from groundtrace.ports import Flushed, Place
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.sharded_sink import UNSORTED, ShardedSink, sharded_queue
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_testing.moody_store import Mood, MoodyStore
from groundtrace_testing.records import a_row
from groundtrace_testing.sinks import eventually


def lane_of(session_id: str) -> str | None:
    """The part before the colon; without one it is not known."""
    name, colon, _ = session_id.partition(":")
    return name if colon else None


class Lanes:
    """Queues over a store each, so that one can be away while the others work."""

    def __init__(self, folder: Path) -> None:
        self.stores: dict[str, MoodyStore] = {}
        self._folder = folder

    def open(self, lane: str) -> QueueSink:
        self.stores[lane] = MoodyStore(MemoryStore())
        return QueueSink(self.stores[lane], spool=Spool(self._folder / lane), bounds=Bounds(seconds=0.2))


def test_a_row_takes_the_lane_of_its_session(tmp_path: Path) -> None:
    lanes = Lanes(tmp_path)
    sink = ShardedSink(lanes.open, lane_of=lane_of)
    for session in ("a:1", "b:1", "a:2", "nobody knows"):
        assert sink.put(a_row(session_id=session)).wait(deadline=5)
    assert set(lanes.stores) == {UNSORTED, "a", "b"}
    assert {line.session_id for line in lanes.stores["a"].sessions().unwrap()} == {"a:1", "a:2"}
    assert {line.session_id for line in lanes.stores[UNSORTED].sessions().unwrap()} == {"nobody knows"}
    sink.close(deadline=5)


def test_a_lane_that_hangs_holds_up_no_other(tmp_path: Path) -> None:
    lanes = Lanes(tmp_path)
    sink = ShardedSink(lanes.open, lane_of=lane_of, lanes=["a", "b"])
    lanes.stores["a"].mood = Mood.HANGS
    held_up, other = sink.put(a_row(session_id="a:1")), sink.put(a_row(session_id="b:1"))
    told = other.wait(deadline=5)
    assert told is not None
    assert told.place is Place.STORED
    told = held_up.wait(deadline=5)
    assert told is not None
    assert told.place is Place.SPOOLED
    assert sink.flush("b:1", deadline=5) == Flushed()
    assert sink.flush("a:1", deadline=5) == Flushed(spooled=frozenset({"call-1"}))
    lanes.stores["a"].mood = Mood.WORKS
    assert eventually(lambda: sink.flush("a:1", deadline=1) == Flushed())
    sink.close(deadline=5)


def test_a_flush_finds_the_rows_of_a_session_that_changed_its_lane(tmp_path: Path) -> None:
    lanes, known = Lanes(tmp_path), {"s": "a"}
    sink = ShardedSink(lanes.open, lane_of=known.get, lanes=["a", "b"])
    for store in lanes.stores.values():
        store.mood = Mood.FAILS
    sink.put(a_row(session_id="s", id="1"))
    known["s"] = "b"
    sink.put(a_row(session_id="s", id="2"))
    assert sink.flush("s", deadline=5) == Flushed(spooled=frozenset({"1", "2"}))
    sink.close(deadline=5)


def test_a_close_ends_within_its_deadline_however_many_lanes_hang(tmp_path: Path) -> None:
    lanes = Lanes(tmp_path)
    sink = ShardedSink(lanes.open, lane_of=lane_of, lanes="abc")
    for store in lanes.stores.values():
        store.mood = Mood.HANGS
    for lane in "abc":
        sink.put(a_row(session_id=f"{lane}:1"))
    began = time.monotonic()
    sink.close(deadline=2)
    assert time.monotonic() - began < 4
    receipt = sink.put(a_row(session_id="new lane:1"))
    told = receipt.wait(deadline=1)
    assert told is not None
    assert told.place is Place.REFUSED


def test_a_row_that_comes_while_its_lane_is_opened_finds_one_lane_all_the_same(tmp_path: Path) -> None:
    """The garbage collector may end a recorded stream, and so put its row, anywhere."""
    lanes, here = Lanes(tmp_path), MemoryStore()

    def opened(lane: str) -> QueueSink:
        if lane == "a" and len(streams) < 2:
            streams.append(lane)
            sink.put(a_row(session_id="a:stream"))
        return QueueSink(here, spool=None) if lane == "a" else lanes.open(lane)

    streams: list[str] = []
    sink = ShardedSink(opened, lane_of=lane_of)
    putting = threading.Thread(target=sink.put, args=(a_row(session_id="a:1"),), daemon=True)
    putting.start()
    putting.join(10)
    assert not putting.is_alive()
    assert sink.flush("a:1", deadline=5) == sink.flush("a:stream", deadline=5) == Flushed()
    assert {line.session_id for line in here.sessions().unwrap()} == {"a:1", "a:stream"}
    sink.close(deadline=5)


def test_what_an_earlier_run_left_in_its_lanes_is_stored(tmp_path: Path) -> None:
    name = "groundtrace_2"
    away = MoodyStore(MemoryStore())
    away.mood = Mood.FAILS
    first = sharded_queue(away, tmp_path, lane_of=lambda _: name, bounds=Bounds(seconds=0.1))
    first.put(a_row())
    first.close(deadline=2)
    assert [place.name for place in tmp_path.iterdir() if place.is_dir()] == [name]
    back = MemoryStore()
    second = sharded_queue(back, tmp_path, lane_of=lambda _: None)
    assert eventually(lambda: back.rows("acme/outage").unwrap() == (a_row(),))
    second.close(deadline=2)
