"""What every RowSink does with rows: takes them at once, stores each once, and says where it has come to."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from groundtrace.ports import Acknowledgement, Fate, Flushed, Place
from groundtrace_adapters.conformance.cases import SinkCase, SinkSuite, eventually
from groundtrace_adapters.conformance.moody_store import Mood
from groundtrace_adapters.conformance.putting import (
    BAD_MOODS,
    HELD_AT_MOST,
    PATIENT,
    SESSION,
    SLACK,
    STORED,
    all_stored,
    numbered,
    put_all,
    reported,
    seconds_of,
)
from groundtrace_adapters.conformance.records import a_failure, a_knowledge_row, a_row


class Storing(SinkSuite):
    """Rows that were put are stored."""

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


class Receipts(SinkSuite):
    """A receipt says where its row has come to."""

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
