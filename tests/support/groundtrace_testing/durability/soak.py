"""The long forms of the durability tests, one after another, with a line of figures each: `make soak`.

Run: python -m groundtrace_testing.durability.soak [--minutes 30] [--kills 200] [--outage 60] [--only WORD]. The code is
that of the contract tests; only the numbers are larger. Nothing begins after `--minutes`; what is left out is told.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeAlias

import psycopg
from psycopg import sql

from groundtrace_adapters.migrations import migrate
from groundtrace_testing.durability import full_disk
from groundtrace_testing.durability.answers import BAD_DAYS, bad_answers
from groundtrace_testing.durability.cutting_proxy import Cut, cutting_proxy
from groundtrace_testing.durability.file_faults import locked_file, newer_schema, read_only_file
from groundtrace_testing.durability.kills import kill_writers
from groundtrace_testing.durability.many_writers import forked_writers, many_writers
from groundtrace_testing.durability.server_faults import cut_connections, kill_server, stop_server
from groundtrace_testing.durability.servers import SERVERS, served
from groundtrace_testing.durability.tally import Tally
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import DURABLE, PostgresCluster

Fault: TypeAlias = Callable[[], tuple[Tally, float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Soak:
    """A cluster whose commits are on the disk, a folder, and how much of everything."""

    cluster: PostgresCluster
    home: Path
    kills: int
    outage: float
    chance: random.Random
    numbers: Iterator[int]

    def faults(self) -> Iterator[tuple[str, Fault]]:
        """Each fault by name."""
        yield f"{self.kills} kills of writers, SQLite", partial(self._kills, self._file)
        yield f"{self.kills} kills of writers, PostgreSQL", partial(self._kills, self._database)
        yield f"{self.kills // 10} kills of the server", self._server_kills
        yield f"server away for {self.outage:g} s", self._server_away
        for cut in Cut:
            yield f"connections cut within a batch: {cut}", partial(self._cuts, cut)
        for kind in BAD_DAYS:
            yield f"answer of the server: {kind}", partial(self._answers, kind)
        yield "file locked by another program", self._locked
        yield "file that may only be read", lambda: read_only_file(self._path(), self._spool())
        yield "schema of a newer release, SQLite", lambda: newer_schema(self._file(), self._spool())
        yield "schema of a newer release, PostgreSQL", lambda: newer_schema(self._database(), self._spool())
        for form in full_disk.FORMS if full_disk.can_mount() else ("limit",):
            yield f"disk full: {form}", partial(full_disk.figures, form)
        for name, place in (("SQLite", self._file), ("PostgreSQL", self._database)):
            yield f"8 processes at once, {name}", partial(self._processes, place)
            yield f"20 forks under load, {name}", partial(self._forks, place)
        for server in SERVERS:
            yield f"workers of {server}, one killed", partial(self._served, server)

    def _kills(self, place: Callable[[], str]) -> tuple[Tally, None]:
        address = place()
        migrate(address).unwrap()
        return kill_writers(address, self._spool(), kills=self.kills, chance=self.chance), None

    def _server_kills(self) -> tuple[Tally, float]:
        kills = self.kills // 10
        return kill_server(self.cluster, self._database(), self._spool(), kills=kills, chance=self.chance)

    def _server_away(self) -> tuple[Tally, float]:
        return stop_server(self.cluster, self._database(), self._spool(), seconds=self.outage)

    def _cuts(self, cut: Cut) -> tuple[Tally, float]:
        address = self._database()
        cuts = max(1, self.kills // (50 if cut is Cut.SILENT else 4))
        with cutting_proxy(self.cluster.port) as proxy:
            return cut_connections(
                proxy, proxy.through(address), address, self._spool(), cut=cut, cuts=cuts, chance=self.chance
            )

    def _answers(self, kind: str) -> tuple[Tally, float]:
        return bad_answers(self._database(), self._spool(), kind=kind, seconds=5)

    def _locked(self) -> tuple[Tally, float]:
        return locked_file(self._path(), self._spool(), seconds=10)

    def _processes(self, place: Callable[[], str]) -> tuple[Tally, float]:
        told, slowest, logged = many_writers(place(), self._spool(), processes=8, rows=200)
        assert "locked" not in logged, logged
        return told, slowest

    def _forks(self, place: Callable[[], str]) -> tuple[Tally, None]:
        return forked_writers(place(), self._spool(), children=20)[0], None

    def _served(self, server: str) -> tuple[Tally, None]:
        return served(server, self._file(), self._spool(), requests=200)[0], None

    def _path(self) -> Path:
        return self.home / f"{next(self.numbers)}.db"

    def _file(self) -> str:
        return str(self._path())

    def _spool(self) -> Path:
        return self.home / f"spool-{next(self.numbers)}"

    def _database(self) -> str:
        name = f"soak_{next(self.numbers)}"
        with psycopg.connect(self.cluster.dsn(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        migrate(self.cluster.dsn(name)).unwrap()
        return self.cluster.dsn(name)


def main() -> int:
    """Print a line of figures for each fault; 1 if any cost an acknowledged row, or could not be done."""
    options = _options()
    logging.disable(logging.CRITICAL)
    binaries = find_binaries()
    if isinstance(binaries, str):
        print(binaries)
        return 1
    until = time.monotonic() + options.minutes * 60
    cluster = PostgresCluster.create(binaries, settings=DURABLE)
    with tempfile.TemporaryDirectory(prefix="groundtrace-soak-") as home:
        try:
            cluster.start()
            soak = Soak(
                cluster=cluster,
                home=Path(home),
                kills=options.kills,
                outage=options.outage,
                chance=random.Random(options.seed),
                numbers=count(1),
            )
            chosen = [(name, fault) for name, fault in soak.faults() if options.only in name]
            held = [_holds(name, fault, until=until) for name, fault in chosen]
            return 0 if all(held) else 1
        finally:
            cluster.remove()


def _holds(name: str, fault: Fault, *, until: float) -> bool:
    begun = time.monotonic()
    if begun > until:
        print(f"{name}: left out, the time is over", flush=True)
        return True
    try:
        told, slowest = fault()
    except Exception as broken:  # noqa: BLE001 - told, and the other faults still run
        print(f"{name}: BROKE: {type(broken).__name__}: {broken}", flush=True)
        return False
    held = "" if slowest is None else f", slowest call {slowest * 1e3:.0f} ms"
    print(f"{name}: {told.line()}{held} ({time.monotonic() - begun:.0f} s)", flush=True)
    return told.harm == (0, 0, 0) and not told.refused and not told.unplaced


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="no fault begins later than this")
    parser.add_argument("--kills", type=int, default=200, help="kills of writers; others are in proportion")
    parser.add_argument("--outage", type=float, default=60.0, help="seconds for which the server is away")
    parser.add_argument("--seed", type=int, default=None, help="of the random instants")
    parser.add_argument("--only", default="", help="faults whose name holds this word")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
