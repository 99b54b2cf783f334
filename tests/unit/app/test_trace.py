"""A trace opened by a command: what waits in its spool is stored first, and the command ends whatever others do."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from groundtrace_adapters.sinks.spool_segment import Segment
from groundtrace_app.settings import Settings
from groundtrace_app.trace import open_trace


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
