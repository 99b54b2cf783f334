"""A disk that is full for the store and the spool at once, under load, and then has room again.

Run: python -m groundtrace_testing.durability.full_disk FORM. It prints its figures as one JSON object. A process of its
own, since a limit on files is one of a whole process, and a mount is made in a namespace that ends with it.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

import psycopg

from groundtrace_adapters.migrations import migrate
from groundtrace_adapters.sinks.held import Bounds
from groundtrace_testing.durability.running import Running, under_load
from groundtrace_testing.durability.tally import Tally, settled
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import DURABLE, PostgresCluster
from groundtrace_testing.sinks import eventually

Step: TypeAlias = Callable[[Path], AbstractContextManager[None]]

FULL_SECONDS: Final = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The disk, the store on it, and how the disk is full."""

    disk: Step
    store: Callable[[Path], AbstractContextManager[str]]
    full: Step


@contextmanager
def _as_it_is(home: Path) -> Iterator[None]:
    yield


@contextmanager
def _mounted(home: Path) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(home)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(home)], check=True)


@contextmanager
def _file(home: Path) -> Iterator[str]:
    yield str(home / "trace.db")


@contextmanager
def _server(home: Path) -> Iterator[str]:
    """A server whose tables lie on the small disk, and whose own files do not."""
    binaries = find_binaries()
    assert isinstance(binaries, Path), binaries
    cluster = PostgresCluster.create(binaries, settings=DURABLE)
    try:
        cluster.start()
        cluster.make_folder(home / "tables")
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{home / 'tables'}'".encode())
            connection.execute("CREATE DATABASE small TABLESPACE small")
        yield cluster.dsn("small")
    finally:
        cluster.remove()


@contextmanager
def _limited(home: Path) -> Iterator[None]:
    """Let no file of this process grow beyond what its largest has: works for everybody, everywhere."""
    largest = max(found.stat().st_size for found in home.rglob("*") if found.is_file())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@contextmanager
def _filled(home: Path) -> Iterator[None]:
    """Leave not one byte on the disk."""
    ballast = os.open(home / "ballast", os.O_WRONLY | os.O_CREAT)
    for size in (65_536, 512, 1):
        with suppress(OSError):
            while True:
                os.write(ballast, b"\0" * size)
    os.close(ballast)
    try:
        yield
    finally:
        (home / "ballast").unlink()


FORMS: Final[Mapping[str, Form]] = MappingProxyType(
    {
        "limit": Form(disk=_as_it_is, store=_file, full=_limited),
        "small-disk": Form(disk=_mounted, store=_file, full=_filled),
        "small-disk-of-a-server": Form(disk=_mounted, store=_server, full=_filled),
    }
)
"""By name; those with a small disk need a namespace of mounts: `unshare -m` before the command."""


def run(form: Form, home: Path, /) -> tuple[Tally, float]:
    """Fill the disk under load for a moment, make room again, and compare what was told with what is stored."""
    with form.disk(home), form.store(home) as address:
        migrate(address).unwrap()
        spool = home / "spool"
        with under_load(address, spool, name="full", bounds=Bounds(seconds=0.2)) as running:
            running.until("stored")
            with form.full(home):
                assert eventually(lambda: _nothing_is_told(running)), "rows came to a place on a full disk"
            running.until("stored")
        return settled(address, spool, running.told), running.load.slowest_put


def _nothing_is_told(running: Running) -> bool:
    """Tell whether no row has come to a place for a while: there may have been a little room left in the files."""
    before = len(running.told)
    time.sleep(FULL_SECONDS)
    return len(running.told) == before


def can_mount() -> bool:
    """Whether this user may mount, in a namespace of mounts that ends at once."""
    trial = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", tempfile.gettempdir()]
    try:
        return subprocess.run(trial, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def figures(form: str, /) -> tuple[Tally, float]:
    """Run a form in a process of its own."""
    alone = [] if form == "limit" else ["unshare", "-m"]
    done = subprocess.run(
        [*alone, sys.executable, "-m", "groundtrace_testing.durability.full_disk", form],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return Tally(**told["tally"]), float(told["slowest_put"])


def main(form: str) -> None:
    """Run one form in a new folder, and print its figures."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="groundtrace-full-") as home:
        told, slowest = run(FORMS[form], Path(home))
    print(json.dumps({"tally": asdict(told), "slowest_put": slowest}))


if __name__ == "__main__":
    main(sys.argv[1])
