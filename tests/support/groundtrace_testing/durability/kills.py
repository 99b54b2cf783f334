"""Writer processes killed at random instants, several at once over one store and one spool."""

from __future__ import annotations

import random
import time
from pathlib import Path

from groundtrace_testing.durability.tally import Tally, settled
from groundtrace_testing.durability.writers import told_by, writers

AT_ONCE = 4
MOODY = ("--moods", "--patience", "0.1")
"""A store that fails now and then, so that a kill meets rows that are being spooled or replayed."""


def kill_writers(
    address: str, spool: Path, /, *, kills: int, chance: random.Random, longest: float = 0.5, prefix: str = "k"
) -> Tally:
    """Kill so many writers, each at most `longest` seconds after its first row was acknowledged."""
    whole = Tally()
    for number, first in enumerate(range(0, kills, AT_ONCE)):
        count = min(AT_ONCE, kills - first)
        options = [MOODY if place % 2 else () for place in range(count)]
        with writers(options, store=address, spool=spool, prefix=f"{prefix}{number}-") as started:
            moments = sorted(chance.uniform(0, longest) for _ in started)
            begun = time.monotonic()
            for one, moment in zip(started, moments, strict=True):
                time.sleep(max(0.0, begun + moment - time.monotonic()))
                one.kill()
        whole += settled(address, spool, told_by(started))
    return whole
