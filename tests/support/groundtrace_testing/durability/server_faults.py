"""A PostgreSQL server that is killed, stopped, or cut off from its writers in the middle of a batch."""

from __future__ import annotations

import random
import time
from pathlib import Path

from groundtrace.ports import Place
from groundtrace_testing.durability.cutting_proxy import Cut, CuttingProxy
from groundtrace_testing.durability.load import Pace
from groundtrace_testing.durability.running import under_load
from groundtrace_testing.durability.tally import Tally, settled
from groundtrace_testing.durability.writers import Writer, told_by, writers
from groundtrace_testing.postgres_cluster import PostgresCluster

_PAUSE = 0.05
"""Seconds between two bursts of a caller: slow enough that a spool holds the rows of a minute."""

_PACE = ("--pause", str(_PAUSE))
_SLOW = Pace(pause=_PAUSE)


def kill_server(
    cluster: PostgresCluster, address: str, spool: Path, /, *, kills: int, chance: random.Random, count: int = 2
) -> tuple[Tally, float]:
    """Kill every process of the server so many times under load, and start it again at once."""
    with writers([_PACE] * count, store=address, spool=spool, prefix="server-killed-") as started:
        for _ in range(kills):
            _let_work(started)
            time.sleep(chance.uniform(0, 0.3))
            cluster.kill()
            cluster.start()
        _let_work(started)
        _end(started)
    return settled(address, spool, told_by(started)), _slowest(started)


def stop_server(
    cluster: PostgresCluster, address: str, spool: Path, /, *, seconds: float, count: int = 2
) -> tuple[Tally, float]:
    """Stop the server under load for some seconds."""
    with writers([_PACE] * count, store=address, spool=spool, prefix="server-stopped-") as started:
        _let_work(started)
        cluster.stop()
        time.sleep(seconds)
        cluster.start()
        _let_work(started)
        _end(started)
    return settled(address, spool, told_by(started)), _slowest(started)


def cut_connections(
    proxy: CuttingProxy, through: str, address: str, spool: Path, /, *, cut: Cut, cuts: int, chance: random.Random
) -> tuple[Tally, float]:
    """Cut so many connections of a load `through` a proxy, each at a random byte behind the start of a batch."""
    with under_load(through, spool, name=f"cut-{cut}", pace=_SLOW) as running:
        for _ in range(cuts):
            proxy.arm(cut, after=chance.randrange(20_000))
            assert proxy.struck.wait(60), f"no batch could be cut ({cut})"
        running.until("stored")
    return settled(address, spool, running.told), running.load.slowest_put


def _let_work(started: list[Writer], /) -> None:
    """Wait until each writer was told of one more row that the server has."""
    seen = [_stored(one) for one in started]
    until = time.monotonic() + 60
    while any(_stored(one) <= before for one, before in zip(started, seen, strict=True)):
        assert time.monotonic() < until, [one.log()[-2_000:] for one in started]
        time.sleep(0.01)


def _stored(one: Writer) -> int:
    return sum(line[0] == Place.STORED for line in list(one.told))


def _end(started: list[Writer]) -> None:
    for one in started:
        one.end()


def _slowest(started: list[Writer]) -> float:
    return max(one.slowest_put for one in started)
