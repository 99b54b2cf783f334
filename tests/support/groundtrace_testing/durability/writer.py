"""A process that records under load and says on its output, unbuffered, where each row has come to.

Run: python -m groundtrace_testing.durability.writer --store ADDRESS --spool FOLDER --name NAME. It ends in good order
once its input is closed or its rows are written; whoever kills it knows all that it was told by then.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import threading
import time
from pathlib import Path

from groundtrace_adapters.sinks.held import Bounds
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.durability.calls import RULES
from groundtrace_testing.durability.load import Load, Pace, Told
from groundtrace_testing.durability.places import sink_over, store_at
from groundtrace_testing.moody_store import Mood, MoodyStore


def main() -> None:
    """Write until the input ends or the rows do, then say how long the slowest call was held."""
    options = _options()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    inner = store_at(options.store)
    store = MoodyStore(inner)
    sink = sink_over(store, options.spool, address=options.store, bounds=Bounds(seconds=options.patience))
    pace = Pace(
        threads=options.threads, tasks=options.tasks, rows=options.rows, burst=options.burst, pause=options.pause
    )
    recorder = ToolInvocationRecorder(sink, rules=RULES)
    load = Load(recorder, session_id=f"durable/{options.name}", pace=pace, say=say)
    load.start()
    if options.moods:
        threading.Thread(target=_change_moods, args=(store, random.Random(options.name)), daemon=True).start()
    if not options.rows:
        sys.stdin.read()
        load.stop()
    load.join()
    os.write(1, f"slowest\t{load.slowest_put:.4f}\n".encode())
    if not options.unclosed:
        sink.close(deadline=10)
        inner.close()


def say(told: Told, /) -> None:
    """Write what a caller was told, unbuffered."""
    # One line below PIPE_BUF is written whole or not at all.
    os.write(1, ("\t".join(told) + "\n").encode())


def _change_moods(store: MoodyStore, chance: random.Random) -> None:
    """Let the store work most of the time, so that rows are stored, spooled and replayed in turn."""
    while True:
        store.mood = Mood.WORKS
        time.sleep(chance.uniform(0.1, 0.4))
        store.mood = Mood.FAILS
        time.sleep(chance.uniform(0.01, 0.05))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--spool", required=True, type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--tasks", type=int, default=0)
    parser.add_argument("--burst", type=int, default=8)
    parser.add_argument("--rows", type=int, default=0, help="rows a thread or task; 0 for no end")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two bursts")
    parser.add_argument("--patience", type=float, default=1.0, help="seconds after which a waiting row is spooled")
    parser.add_argument("--moods", action="store_true", help="let the store fail now and then")
    parser.add_argument("--unclosed", action="store_true", help="leave the close to the end of the interpreter")
    return parser.parse_args()


if __name__ == "__main__":
    main()
