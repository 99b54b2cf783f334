"""What an outage without an end costs: 1,000,000 rows offered while the store is down, until queue and spool are full.

Run: python benchmarks/outage.py [ROWS LINES] (PYTHONPATH=core:adapters:app:tests/support). Linux tells the peak of
memory, each in a process of its own: with rows whose number is the bound, and with larger ones, whose bytes are.
"""

import gc
import logging
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from groundtrace import outcomes
from groundtrace.outcomes import Support
from groundtrace.ports import Receipt
from groundtrace.recording import RecordRules
from groundtrace.redaction import Redactor
from groundtrace_adapters.sinks.queue_sink import QueueSink
from groundtrace_adapters.sinks.spool import MOST_BYTES, Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.moody_store import Mood, MoodyStore

RUNS = ((1_000_000, 20), (200_000, 45))
"""Rows, and the lines of output of each, at 100 bytes a line."""

BOUND = 64 * 1024 * 1024
THREADS = 4
SESSIONS = 100
LINE = "2026-03-08T11:59:58Z checkout WARN pool exhausted: 40 of 40 connections in use, waited 5.0 s for one\n"
MEGABYTE = 1024 * 1024


class Offer:
    """Counts what became of the rows of one thread, without holding any."""

    def __init__(self, recorder: ToolInvocationRecorder, lines: int, /) -> None:
        self._recorder = recorder
        self._output = LINE * lines
        self.slowest = 0.0
        self.refused: Counter[str] = Counter()

    def rows(self, count: int, /) -> None:
        """Record so many calls, every one with text of its own."""
        for number in range(count):
            self._note(self._record(number))

    def _record(self, number: int) -> Receipt:
        params = {"selector": '{app="checkout"}', "limit": 100, "query": f"pool exhausted {number} " + "x" * 400}
        call = self._recorder.open("query_logs", params, session_id=f"outage/{number % SESSIONS}")
        found = outcomes.Success(support=Support.DIRECT, output=f"{number}\n{self._output}")
        begun = time.perf_counter()
        receipt = self._recorder.record(call, found)
        self.slowest = max(self.slowest, time.perf_counter() - begun)
        assert receipt is not None
        return receipt

    def _note(self, receipt: Receipt) -> None:
        told = receipt.wait(deadline=0)
        if told is not None and told.why is not None:
            self.refused[told.why] += 1


class Sleeper:
    """A thread that only sleeps: how much later than asked it was woken is what the machine holds everybody."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sleep, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Sleep no more."""
        self._ended.set()
        self._thread.join()

    def _sleep(self) -> None:
        while not self._ended.is_set():
            begun = time.perf_counter()
            time.sleep(0.001)
            self.longest = max(self.longest, time.perf_counter() - begun)


def main() -> None:
    """Print the peak of memory beside its bound, the rows by their fate, and the longest that a caller was held."""
    if len(sys.argv) > 1:
        _offer(int(sys.argv[1]), int(sys.argv[2]))
        return
    for rows, lines in RUNS:
        subprocess.run([sys.executable, __file__, str(rows), str(lines)], check=True)


def _offer(rows: int, lines: int) -> None:
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        store = MoodyStore(MemoryStore())
        spool = Path(folder) / "spool"
        sink = QueueSink(store, spool=Spool(spool))
        recorder = ToolInvocationRecorder(sink, rules=RecordRules(redactor=Redactor(bytes(32))))
        Offer(recorder, lines).rows(1_000)
        sink.flush("outage/0", deadline=10)
        store.mood = Mood.FAILS
        before = _resident("VmRSS", anew=True)
        sleeper = Sleeper()
        begun = time.perf_counter()
        offers = [Offer(recorder, lines) for _ in range(THREADS)]
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda offer: offer.rows(rows // THREADS), offers))
        took = time.perf_counter() - begun
        sleeper.end()
        grown = _resident("VmHWM") - before
        spooled = sum(file.read_bytes().count(b"\n") for file in spool.glob("rows-*"))
        spool_bytes = sum(file.stat().st_size for file in spool.glob("rows-*"))
        refused = sum((offer.refused for offer in offers), Counter[str]())
        print(f"rows of {lines} lines: memory at its peak {grown / MEGABYTE:.1f} MB, {grown / BOUND:.2f}x its bound")
        print(
            f"offered {rows:,} in {took:.0f} s, spooled {spooled:,} ({spool_bytes / MOST_BYTES:.2f}x the spool's bound)"
        )
        print(f"waiting in memory {rows - spooled - refused.total():,}")
        for why, count in refused.items():
            print(f"refused {count:,}: {why}")
        slowest = max(offer.slowest for offer in offers)
        print(f"a caller was held {slowest * 1e3:.0f} ms at most, a sleep of 1 ms took {sleeper.longest * 1e3:.0f} ms")
        sink.close(deadline=1)


def _resident(name: str, *, anew: bool = False) -> int:
    """Return a figure of this process's memory in bytes; `anew` lets the peak begin from here."""
    gc.collect()
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


if __name__ == "__main__":
    main()
