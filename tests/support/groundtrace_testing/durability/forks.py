"""A process that forks in the middle of its work; each child records with the sink that it was born with.

Run: python -m groundtrace_testing.durability.forks --store ADDRESS --spool FOLDER --name NAME, as `writer`.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path

from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.durability.calls import RULES
from groundtrace_testing.durability.load import Load, Pace
from groundtrace_testing.durability.places import sink_over, store_at
from groundtrace_testing.durability.writer import say
from groundtrace_testing.sinks import eventually

ROWS = 20
_HANGS = 40


def main() -> None:
    """Fork under load, and fail unless each child ends well; every second one leaves its close to its exit."""
    options = _options()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    store = store_at(options.store)
    sink = sink_over(store, options.spool, address=options.store)
    recorder = ToolInvocationRecorder(sink, rules=RULES)
    load = Load(recorder, session_id=f"durable/{options.name}", pace=Pace(pause=0.001), say=say)
    load.start()
    children = []
    for number in range(options.children):
        time.sleep(0.03)
        child = os.fork()
        if child == 0:
            # A child that hangs is a failure, and no orphan.
            signal.alarm(_HANGS)
            _record(recorder, f"durable/{options.name}-child{number}")
            if number % 2:
                sink.close(deadline=10)
                store.close()
                os._exit(0 if _left_alone() else 3)
            sys.exit(0)
        children.append(child)
    ends = [os.waitpid(child, 0)[1] for child in children]
    load.stop()
    load.join()
    sink.close(deadline=10)
    store.close()
    assert ends == [0] * options.children, ends
    assert _left_alone(), threading.enumerate()


def _record(recorder: ToolInvocationRecorder, session_id: str) -> None:
    load = Load(recorder, session_id=session_id, pace=Pace(threads=2, tasks=2, rows=ROWS // 4), say=say)
    load.start()
    load.join()


def _left_alone() -> bool:
    """Tell whether none of our threads is left, once one that still waits for the store has been answered."""
    return eventually(lambda: not any(one.name.startswith("groundtrace") for one in threading.enumerate()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--spool", required=True, type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--children", type=int, default=6)
    return parser.parse_args()


if __name__ == "__main__":
    main()
