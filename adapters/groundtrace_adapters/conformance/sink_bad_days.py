"""What every RowSink does while its store does not take rows, and at its end: nothing is lost in silence."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from groundtrace.ports import Flushed
from groundtrace_adapters.conformance.cases import SinkCase, SinkSuite, eventually
from groundtrace_adapters.conformance.moody_store import Mood
from groundtrace_adapters.conformance.putting import (
    BAD_MOODS,
    HELD_AT_MOST,
    SESSION,
    SLACK,
    STORED,
    all_stored,
    numbered,
    put_all,
    reported,
    seconds_of,
)
from groundtrace_adapters.conformance.records import a_row


class BadDays(SinkSuite):
    """A store that takes nothing holds no caller and loses no row."""

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
            for row in numbered(6_000, prefix="later"):
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


class LastingBadDays(SinkSuite):
    """A real outage costs no row."""

    def test_a_real_outage_costs_no_row(self, case: SinkCase) -> None:
        """A server that is stopped and started, a file that is away and back."""
        assert case.place.bring_back is not None
        sink = case.open()
        rows = numbered(30)
        put_all(sink, rows[:10])
        assert all_stored(sink)
        case.place.take_down()
        assert put_all(sink, rows[10:20]) < HELD_AT_MOST
        assert sink.flush(SESSION, deadline=15) == Flushed(spooled=frozenset(row.id for row in rows[10:20]))
        case.place.bring_back()
        put_all(sink, rows[20:])
        assert eventually(lambda: sink.flush(SESSION, deadline=5) == STORED)
        assert list(case.kept()) == rows


class TheEnd(SinkSuite):
    """Closing stores or spools what is held."""

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
