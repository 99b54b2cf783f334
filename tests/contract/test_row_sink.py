"""What every RowSink does, over each store: takes rows at once, stores them, loses none silently (DESIGN section 4)."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from groundtrace.invocation import Invocation
from groundtrace.ports import Acknowledgement, Fate, Flushed, Place, RowSink
from groundtrace_testing.moody_store import Mood
from groundtrace_testing.records import a_failure, a_knowledge_row, a_row
from groundtrace_testing.sinks import OPENERS, SinkCase, eventually, sinks_of
from groundtrace_testing.stores import LASTING_STORES, STORES

SESSION = "acme/outage"
STORED = Flushed()
HELD_AT_MOST = 0.25
SLACK = 0.5
PATIENT = 30.0
"""Seconds after which a sink that is asked for the store alone spools: longer than any stall of a busy machine."""
BAD_MOODS = (Mood.FAILS, Mood.RAISES, Mood.HANGS, Mood.MISCOUNTS)


@pytest.fixture(params=sorted(OPENERS))
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(params=STORES)
def case(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Iterator[SinkCase]:
    yield from sinks_of(request, kind, tmp_path)


@pytest.fixture(params=LASTING_STORES)
def lasting(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Iterator[SinkCase]:
    yield from sinks_of(request, kind, tmp_path)


def numbered(count: int, /, *, session: str = SESSION, prefix: str = "row") -> list[Invocation]:
    return [a_row(session_id=session, id=f"{prefix}-{number}", seq=number) for number in range(count)]


def put_all(sink: RowSink, rows: list[Invocation], /) -> float:
    """Put rows and return how long the slowest took."""
    return max(seconds_of(partial(sink.put, row)) for row in rows)


def all_stored(sink: RowSink, /) -> bool:
    """Tell whether all rows of the session get into the store; a slow moment may have sent some by the spool."""
    return eventually(lambda: sink.flush(SESSION, deadline=10) == STORED)


def seconds_of(act: Callable[[], object]) -> float:
    begun = time.monotonic()
    act()
    return time.monotonic() - begun


class TestStoring:
    def test_a_row_that_was_put_is_stored_after_a_flush(self, case: SinkCase) -> None:
        sink = case.open()
        rows = [a_row(id="1"), a_failure(id="2", seq=1), a_knowledge_row(id="3", seq=2)]
        put_all(sink, rows)
        assert all_stored(sink)
        assert list(case.kept()) == rows

    def test_a_flush_of_an_unknown_session_returns_at_once_with_nothing(self, case: SinkCase) -> None:
        sink = case.open()
        assert seconds_of(lambda: sink.flush("nobody", deadline=10)) < SLACK
        assert sink.flush("nobody", deadline=0) == STORED

    def test_the_same_row_again_is_kept_once(self, case: SinkCase) -> None:
        sink = case.open()
        put_all(sink, [a_row(), a_row()])
        assert all_stored(sink)
        sink.put(a_row())
        assert all_stored(sink)
        assert list(case.kept()) == [a_row()]

    def test_another_content_under_a_known_key_is_named_as_lost(
        self, case: SinkCase, caplog: pytest.LogCaptureFixture
    ) -> None:
        sink = case.open()
        put_all(sink, [a_row(id="1"), a_row(id="1", output_preview="4 lines"), a_row(id="2", seq=2)])
        assert eventually(lambda: sink.flush(SESSION, deadline=10) == Flushed(lost={"1": Fate.ID_CONFLICT}))
        assert list(case.kept()) == [a_row(id="1"), a_row(id="2", seq=2)]
        assert reported(caplog, "1")

    def test_a_row_that_the_store_refuses_for_good_costs_no_other(
        self, case: SinkCase, caplog: pytest.LogCaptureFixture
    ) -> None:
        case.store.poison = frozenset({"row-17", "row-30"})
        sink = case.open()
        rows = numbered(50)
        put_all(sink, rows)
        assert eventually(lambda: not sink.flush(SESSION, deadline=10).spooled)
        named = sink.flush(SESSION, deadline=10)
        assert set(named.lost) == {"row-17", "row-30"}
        assert all(why.startswith("refused_row") for why in named.lost.values())
        assert list(case.kept()) == [row for row in rows if row.id not in named.lost]
        assert reported(caplog, "row-17")

    def test_rows_of_many_threads_are_all_stored_once(self, case: SinkCase) -> None:
        sink = case.open()
        with ThreadPoolExecutor(8) as pool:
            slowest = max(pool.map(lambda n: put_all(sink, numbered(100, prefix=f"thread-{n}")), range(8)))
        assert all_stored(sink)
        assert len(case.kept()) == 800
        assert slowest < HELD_AT_MOST

    def test_a_flush_names_rows_of_its_own_session_only(self, case: SinkCase) -> None:
        case.store.mood = Mood.FAILS
        sink = case.open()
        put_all(sink, [a_row(id="1"), a_row(id="2", session_id="acme/other")])
        assert sink.flush(SESSION, deadline=10) == Flushed(spooled=frozenset({"1"}))
        assert sink.flush("acme/other", deadline=10) == Flushed(spooled=frozenset({"2"}))
        assert sink.flush("acme", deadline=10) == STORED


class TestReceipts:
    def test_a_receipt_says_stored_once_the_row_can_be_read(self, case: SinkCase) -> None:
        receipt = case.open(seconds=PATIENT).put(a_row(id="1"))
        assert receipt.wait(deadline=20) == Acknowledgement(place=Place.STORED)
        assert [receipt.row] == list(case.kept()) == [a_row(id="1")]

    def test_a_receipt_may_be_asked_again_and_awaited_after(self, case: SinkCase) -> None:
        receipt = case.open(seconds=PATIENT).put(a_row(id="1"))

        async def ask() -> tuple[Acknowledgement, Acknowledgement]:
            return await receipt.placed(), await receipt.placed()

        assert asyncio.run(ask()) == (receipt.wait(deadline=0), receipt.wait(deadline=20))

    @pytest.mark.parametrize("mood", BAD_MOODS)
    def test_a_receipt_says_spooled_where_the_store_is_away(self, case: SinkCase, mood: Mood) -> None:
        case.store.mood = mood
        assert case.open().put(a_row(id="1")).wait(deadline=10) == Acknowledgement(place=Place.SPOOLED)

    def test_a_receipt_says_refused_and_why(self, case: SinkCase) -> None:
        sink = case.open(seconds=PATIENT)
        first, other = sink.put(a_row(id="1")), sink.put(a_row(id="1", output_preview="4 lines"))
        assert first.wait(deadline=20) == Acknowledgement(place=Place.STORED)
        assert other.wait(deadline=20) == Acknowledgement(place=Place.REFUSED, why=Fate.ID_CONFLICT)

    def test_a_receipt_has_nothing_to_say_before_its_row_has_a_place(self, case: SinkCase) -> None:
        case.store.mood = Mood.HANGS
        receipt = case.open(seconds=PATIENT).put(a_row(id="1"))
        assert seconds_of(lambda: receipt.wait(deadline=0.1)) < 0.1 + SLACK
        assert receipt.wait(deadline=0) is None
        case.store.mood = Mood.WORKS
        assert receipt.wait(deadline=20) == Acknowledgement(place=Place.STORED)

    def test_a_row_that_comes_after_the_close_is_refused(self, case: SinkCase) -> None:
        sink = case.open()
        sink.close(deadline=5)
        told = sink.put(a_row(id="after")).wait(deadline=0)
        assert told is not None
        assert (told.place, told.why) == (Place.REFUSED, "the sink is closed")

    def test_callers_that_wait_share_commits(self, case: SinkCase) -> None:
        sink = case.open(seconds=PATIENT)

        async def record_and_wait(task: int) -> list[Acknowledgement]:
            return [await sink.put(row).placed() for row in numbered(8, prefix=f"task-{task}")]

        async def run() -> list[list[Acknowledgement]]:
            return await asyncio.gather(*map(record_and_wait, range(64)))

        told = asyncio.run(run())
        assert told == [[Acknowledgement(place=Place.STORED)] * 8] * 64
        assert len(case.kept()) == 512
        assert len(case.store.batches) < 256

    def test_a_caller_alone_has_its_row_stored_at_once(self, case: SinkCase) -> None:
        sink = case.open(seconds=PATIENT)
        for row in numbered(5):
            sink.put(row).wait(deadline=20)
        assert case.store.batches == [1] * 5

    def test_threads_that_wait_each_have_their_row(self, case: SinkCase) -> None:
        sink = case.open(seconds=PATIENT)

        def record_and_wait(thread: int) -> list[Acknowledgement | None]:
            return [sink.put(row).wait(deadline=30) for row in numbered(4, prefix=f"thread-{thread}")]

        with ThreadPoolExecutor(64) as pool:
            told = list(pool.map(record_and_wait, range(64)))
        assert told == [[Acknowledgement(place=Place.STORED)] * 4] * 64
        assert len(case.kept()) == 256

    def test_a_waiter_that_is_cancelled_costs_neither_its_row_nor_the_batch(self, case: SinkCase) -> None:
        case.store.mood = Mood.HANGS
        sink = case.open(seconds=PATIENT)

        async def run() -> list[object]:
            waiting = [asyncio.ensure_future(sink.put(row).placed()) for row in numbered(20)]
            await asyncio.sleep(0.05)
            for task in waiting[::2]:
                task.cancel()
            await asyncio.sleep(0.05)
            case.store.mood = Mood.WORKS
            return await asyncio.gather(*waiting, return_exceptions=True)

        told = asyncio.run(run())
        assert all(isinstance(one, asyncio.CancelledError) for one in told[::2])
        assert told[1::2] == [Acknowledgement(place=Place.STORED)] * 10
        assert all_stored(sink)
        assert len(case.kept()) == 20


class TestBadDays:
    @pytest.mark.parametrize("mood", BAD_MOODS)
    def test_a_caller_is_never_held_by_the_store(self, case: SinkCase, mood: Mood) -> None:
        """Field case B12."""
        case.store.mood = mood
        sink = case.open()
        assert put_all(sink, numbered(300)) < HELD_AT_MOST

    @pytest.mark.parametrize("mood", BAD_MOODS)
    def test_what_the_store_does_not_take_is_named_as_spooled_and_stored_later(
        self, case: SinkCase, mood: Mood
    ) -> None:
        """Field case B12."""
        case.store.mood = mood
        sink = case.open()
        rows = numbered(20)
        put_all(sink, rows)
        assert sink.flush(SESSION, deadline=10) == Flushed(spooled=frozenset(row.id for row in rows))
        case.store.mood = Mood.WORKS
        assert eventually(lambda: sink.flush(SESSION, deadline=1) == STORED)
        assert list(case.kept()) == rows

    @pytest.mark.parametrize("mood", BAD_MOODS)
    def test_a_bad_day_is_told_in_the_log_without_any_content(
        self, case: SinkCase, mood: Mood, caplog: pytest.LogCaptureFixture
    ) -> None:
        case.store.mood = mood
        sink = case.open()
        sink.put(a_row(output_preview="secrets-in-here"))
        sink.flush(SESSION, deadline=10)
        told = [entry for entry in caplog.records if entry.levelno >= logging.WARNING]
        assert told
        assert not any("secrets-in-here" in entry.getMessage() or entry.exc_info for entry in told)

    def test_a_flush_returns_at_its_deadline_and_names_what_is_on_its_way(self, case: SinkCase) -> None:
        """Field case B12: an unrecorded call must not count as evidence."""
        sink = case.open()
        case.store.mood = Mood.HANGS
        sink.put(a_row(id="late"))
        begun = time.monotonic()
        named = sink.flush(SESSION, deadline=0.1)
        assert time.monotonic() - begun < 0.1 + SLACK
        assert named.spooled | set(named.lost) == {"late"}

    def test_a_row_that_was_late_at_one_flush_is_stored_at_a_later_one(self, case: SinkCase) -> None:
        sink = case.open()
        case.store.mood = Mood.HANGS
        sink.put(a_row(id="late"))
        assert sink.flush(SESSION, deadline=0.05) != STORED
        case.store.mood = Mood.WORKS
        assert eventually(lambda: sink.flush(SESSION, deadline=1) == STORED)
        assert list(case.kept()) == [a_row(id="late")]

    def test_a_flush_waits_only_for_rows_that_were_put_before_it(self, case: SinkCase) -> None:
        sink = case.open()
        sink.put(a_row(id="first"))
        stop = threading.Event()

        def keep_putting() -> None:
            for row in numbered(100_000, prefix="later"):
                if stop.is_set():
                    return
                sink.put(row)
                time.sleep(0.005)

        with ThreadPoolExecutor(1) as pool:
            putting = pool.submit(keep_putting)
            try:
                began = time.monotonic()
                flushed = sink.flush(SESSION, deadline=30)
                assert time.monotonic() - began < 10
                # A store that is slow for a second has its rows spooled: that is a place, too.
                assert "first" in {row.id for row in case.kept()} | flushed.spooled
            finally:
                stop.set()
            putting.result()

    def test_a_real_outage_costs_no_row(self, lasting: SinkCase) -> None:
        """A server that is stopped and started, a file that is away and back."""
        assert lasting.place.bring_back is not None
        sink = lasting.open()
        rows = numbered(30)
        put_all(sink, rows[:10])
        assert all_stored(sink)
        lasting.place.take_down()
        assert put_all(sink, rows[10:20]) < HELD_AT_MOST
        assert sink.flush(SESSION, deadline=15) == Flushed(spooled=frozenset(row.id for row in rows[10:20]))
        lasting.place.bring_back()
        put_all(sink, rows[20:])
        assert eventually(lambda: sink.flush(SESSION, deadline=5) == STORED)
        assert list(lasting.kept()) == rows


class TestTheEnd:
    def test_closing_stores_what_is_held(self, case: SinkCase) -> None:
        sink = case.open()
        rows = numbered(200)
        put_all(sink, rows)
        sink.close(deadline=20)
        assert list(case.kept()) == rows

    def test_closing_twice_is_harmless(self, case: SinkCase) -> None:
        sink = case.open()
        sink.close(deadline=5)
        assert seconds_of(lambda: sink.close(deadline=5)) < SLACK

    def test_a_row_that_is_put_after_the_close_is_reported_and_not_kept(
        self, case: SinkCase, caplog: pytest.LogCaptureFixture
    ) -> None:
        sink = case.open()
        sink.close(deadline=5)
        assert seconds_of(lambda: sink.put(a_row(id="after"))) < HELD_AT_MOST
        assert set(sink.flush(SESSION, deadline=1).lost) == {"after"}
        assert reported(caplog, "after")
        assert case.kept() == ()

    @pytest.mark.parametrize("mood", BAD_MOODS)
    def test_closing_ends_within_its_deadline_and_the_next_start_stores_the_rest(
        self, case: SinkCase, mood: Mood
    ) -> None:
        case.store.mood = mood
        sink = case.open()
        rows = numbered(20)
        put_all(sink, rows)
        assert seconds_of(lambda: sink.close(deadline=1)) < 1 + SLACK
        case.store.mood = Mood.WORKS
        case.open()
        assert eventually(lambda: list(case.kept()) == rows)

    def test_what_a_closed_sink_spooled_is_no_longer_named_once_the_next_has_stored_it(self, case: SinkCase) -> None:
        case.store.mood = Mood.FAILS
        first = case.open()
        first.put(a_row(id="1"))
        first.flush(SESSION, deadline=10)
        first.close(deadline=5)
        case.store.mood = Mood.WORKS
        second = case.open()
        assert eventually(lambda: len(case.kept()) == 1)
        assert eventually(lambda: second.flush(SESSION, deadline=1) == STORED)

    def test_sinks_that_share_a_folder_lose_nothing_of_each_other(self, case: SinkCase) -> None:
        case.store.mood = Mood.FAILS
        one, other = case.open(), case.open()
        put_all(one, numbered(20, prefix="one"))
        put_all(other, numbered(20, prefix="other"))
        assert len(one.flush(SESSION, deadline=10).spooled) == 20
        assert len(other.flush(SESSION, deadline=10).spooled) == 20
        case.store.mood = Mood.WORKS
        assert eventually(lambda: one.flush(SESSION, deadline=1) == other.flush(SESSION, deadline=1) == STORED)
        assert len(case.kept()) == 40


def reported(caplog: pytest.LogCaptureFixture, row_id: str, /) -> bool:
    """Tell whether an error in the log names a row."""
    return any(entry.levelno >= logging.ERROR and f"row {row_id} " in entry.getMessage() for entry in caplog.records)
