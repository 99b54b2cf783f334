"""What every RowSink does, over each store: takes rows at once, stores them, loses none silently (DESIGN section 4)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from groundtrace.invocation import Invocation
from groundtrace.ports import Fate, Flushed, RowSink
from groundtrace_testing.moody_store import Mood
from groundtrace_testing.records import a_failure, a_knowledge_row, a_row
from groundtrace_testing.sinks import OPENERS, SinkCase, eventually, sinks_of
from groundtrace_testing.stores import LASTING_STORES, STORES

SESSION = "acme/outage"
STORED = Flushed()
HELD_AT_MOST = 0.25
SLACK = 0.5
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


def seconds_of(act: Callable[[], object]) -> float:
    begun = time.monotonic()
    act()
    return time.monotonic() - begun


class TestStoring:
    def test_a_row_that_was_put_is_stored_after_a_flush(self, case: SinkCase) -> None:
        sink = case.open()
        rows = [a_row(id="1"), a_failure(id="2", seq=1), a_knowledge_row(id="3", seq=2)]
        put_all(sink, rows)
        assert sink.flush(SESSION, deadline=10) == STORED
        assert list(case.kept()) == rows

    def test_a_flush_of_an_unknown_session_returns_at_once_with_nothing(self, case: SinkCase) -> None:
        sink = case.open()
        assert seconds_of(lambda: sink.flush("nobody", deadline=10)) < SLACK
        assert sink.flush("nobody", deadline=0) == STORED

    def test_the_same_row_again_is_kept_once(self, case: SinkCase) -> None:
        sink = case.open()
        put_all(sink, [a_row(), a_row()])
        assert sink.flush(SESSION, deadline=10) == STORED
        sink.put(a_row())
        assert sink.flush(SESSION, deadline=10) == STORED
        assert list(case.kept()) == [a_row()]

    def test_another_content_under_a_known_key_is_named_as_lost(
        self, case: SinkCase, caplog: pytest.LogCaptureFixture
    ) -> None:
        sink = case.open()
        put_all(sink, [a_row(id="1"), a_row(id="1", output_preview="4 lines"), a_row(id="2", seq=2)])
        assert sink.flush(SESSION, deadline=10) == Flushed(lost={"1": Fate.ID_CONFLICT})
        assert list(case.kept()) == [a_row(id="1"), a_row(id="2", seq=2)]
        assert reported(caplog, "1")

    def test_a_row_that_the_store_refuses_for_good_costs_no_other(
        self, case: SinkCase, caplog: pytest.LogCaptureFixture
    ) -> None:
        case.store.poison = frozenset({"row-17", "row-30"})
        sink = case.open()
        rows = numbered(50)
        put_all(sink, rows)
        named = sink.flush(SESSION, deadline=10)
        assert (set(named.lost), named.spooled) == ({"row-17", "row-30"}, frozenset())
        assert all(why.startswith("refused_row") for why in named.lost.values())
        assert list(case.kept()) == [row for row in rows if row.id not in named.lost]
        assert reported(caplog, "row-17")

    def test_rows_of_many_threads_are_all_stored_once(self, case: SinkCase) -> None:
        sink = case.open()
        with ThreadPoolExecutor(8) as pool:
            slowest = max(pool.map(lambda n: put_all(sink, numbered(100, prefix=f"thread-{n}")), range(8)))
        assert sink.flush(SESSION, deadline=20) == STORED
        assert len(case.kept()) == 800
        assert slowest < HELD_AT_MOST

    def test_a_flush_names_rows_of_its_own_session_only(self, case: SinkCase) -> None:
        case.store.mood = Mood.FAILS
        sink = case.open()
        put_all(sink, [a_row(id="1"), a_row(id="2", session_id="acme/other")])
        assert sink.flush(SESSION, deadline=10) == Flushed(spooled=frozenset({"1"}))
        assert sink.flush("acme/other", deadline=10) == Flushed(spooled=frozenset({"2"}))
        assert sink.flush("acme", deadline=10) == STORED


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
                time.sleep(0.0005)

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
        assert sink.flush(SESSION, deadline=10) == STORED
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
