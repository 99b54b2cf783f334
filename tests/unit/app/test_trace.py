"""A trace opened by a command: what waits in its spool is stored first, and the command ends whatever others do."""

from __future__ import annotations

import threading
import time
from contextlib import chdir
from pathlib import Path

import pytest
from returns import result

from groundtrace import outcomes
from groundtrace.outcomes import Support
from groundtrace_adapters.sinks.spool_segment import Segment
from groundtrace_adapters.stores.opening import address_of
from groundtrace_app.cli.checks import checks_of
from groundtrace_app.settings import Settings
from groundtrace_app.trace import SPOOLS, TraceUnavailableError, open_trace, spool_folder, trace_or_raise


def test_a_spool_that_another_process_fills_holds_up_no_command(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    anothers, stop = Segment.create(folder), threading.Event()

    def fill() -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and not stop.wait(0.1):
            anothers.append(b"a row that the other process waits to store\n")

    anothers.append(b"one\n")
    filling = threading.Thread(target=fill)
    filling.start()
    trace = open_trace(Settings(store=str(tmp_path / "trace.db"), spool=str(folder))).unwrap()
    try:
        assert trace.replay() > 0
        assert filling.is_alive()
    finally:
        stop.set()
        filling.join()
        anothers.leave()
        trace.close()


def spool_of(store: str) -> Path:
    settings = Settings(store=store)
    folder = spool_folder(settings, address_of(store).unwrap())
    assert folder is not None
    return folder


def test_a_process_that_changes_its_folder_keeps_its_store_and_its_spool(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    with chdir(home):
        trace = open_trace(Settings(store="trace.db")).unwrap()
    with chdir(elsewhere):
        call = trace.recorder.open("look", {}, session_id="s-1")
        trace.recorder.record(call, outcomes.Success(support=Support.INDIRECT, output="3 lines"))
        trace.sink.flush("s-1", deadline=5)
        (row,) = trace.store.rows("s-1").unwrap()
        trace.close()
    assert row.output_preview == "3 lines"
    assert trace.spool_folder == home / "trace.db.spool"
    assert list(elsewhere.iterdir()) == []


def test_each_database_of_a_server_has_a_spool_of_its_own() -> None:
    """Else rows for one would get into the other, whichever is recorded into next."""
    places = [
        "postgresql://ann@db.example/live",
        "postgresql://ann@db.example/staging",
        "postgresql://ann@db.example:5433/live",
        "postgresql://ann@other.example/live",
        "postgresql:///live?host=/run/postgresql",
        "postgresql:///live?host=/run-postgresql",
    ]
    assert len({spool_of(place) for place in places}) == len(places)


def test_who_asks_makes_no_other_spool_and_no_password_names_one() -> None:
    once, again = (
        spool_of("postgresql://ann:hunter2@db.example/live"),
        spool_of("postgresql://ben@db.example:5432/live"),
    )
    assert once == again
    assert once.parent == SPOOLS
    assert once.name.startswith("db.example-5432-live-")
    for badly_written in ("ann:hun@hunter2/x@db.example/live", "ann:hunter2", "ann:hunter2/live"):
        assert "hunter2" not in str(spool_of(f"postgresql://{badly_written}"))


def test_rows_that_wait_for_another_address_are_told_by_doctor(tmp_path: Path) -> None:
    away = result.Success(Settings(store="postgresql://ann@127.0.0.1:1/live"))
    with chdir(tmp_path):
        left = Segment.create(spool_of("postgresql://ann@db.example/staging"))
        left.append(b"a row\n")
        left.leave()
        told = [check for check in checks_of(away) if check.name == "spool"]
    assert [check.good for check in told] == [True, False]
    assert "rows for another address wait in groundtrace.spool/db.example-5432-staging-" in told[1].found


def test_a_trace_that_cannot_be_opened_is_an_exception_that_says_how_to_mend_it(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "nowhere" / "trace.db"))
    with pytest.raises(TraceUnavailableError) as raised:
        trace_or_raise(settings)
    assert str(raised.value) == open_trace(settings).failure().line()
    assert str(tmp_path / "nowhere") in str(raised.value)


def test_a_trace_that_can_be_opened_is_the_trace(tmp_path: Path) -> None:
    trace = trace_or_raise(Settings(store=str(tmp_path / "trace.db")))
    assert trace.store.rows("nobody").unwrap() == ()
    trace.close()
