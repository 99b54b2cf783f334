"""A store on three PostgreSQL clusters of the tests' own: one keeps the entry and a share, two keep a share each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import psycopg
import pytest
from psycopg import conninfo, sql

from groundtrace_adapters.migrations import migrate
from groundtrace_testing.postgres_binaries import find_binaries
from groundtrace_testing.postgres_cluster import PostgresCluster

CLUSTERS = 3
SHARE, ENTRY = "share", "entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shards:
    """The running clusters; the server `groundtrace_1` of the entry is the cluster at place 1, and so on."""

    clusters: tuple[PostgresCluster, ...]

    @property
    def entry(self) -> str:
        """The address that a store is given."""
        return self.clusters[0].dsn(ENTRY)

    def share(self, place: int, /) -> str:
        """The address of one data server, an ordinary store by itself."""
        return self.clusters[place].dsn(SHARE)

    def start(self) -> None:
        """Start whatever does not run."""
        for cluster in self.clusters:
            cluster.start()

    def empty(self) -> None:
        """Delete all rows and the key."""
        with psycopg.connect(self.entry, autocommit=True) as connection:
            for table in ("tool_invocation", "verifier_evaluation", "redaction_key"):
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))


@contextmanager
def running_shards(binaries: Path, /) -> Iterator[Shards]:
    """Create, start and share out three clusters; they are gone in the end."""
    with ExitStack() as ended:
        clusters = []
        for _ in range(CLUSTERS):
            clusters.append(PostgresCluster.create(binaries))
            ended.callback(clusters[-1].remove)
        shards = Shards(clusters=tuple(clusters))
        shards.start()
        for place, cluster in enumerate(clusters):
            _create(cluster, SHARE)
            migrate(shards.share(place)).unwrap()
            with psycopg.connect(shards.share(place), autocommit=True) as connection:
                connection.execute(schema_file("data_server.sql").encode())
        _create(clusters[0], ENTRY)
        migrate(shards.entry).unwrap()
        share_out(shards.entry, [shards.share(place) for place in range(CLUSTERS)])
        yield shards


def share_out(entry: str, shares: list[str], /) -> None:
    """Run the documented schema file on the entry."""
    described = [_described(share) for share in shares]
    with psycopg.connect(entry, autocommit=True) as connection:
        connection.execute("SELECT set_config('groundtrace.data_servers', %s, false)", (json.dumps(described),))
        connection.execute(schema_file("fdw.sql").encode())


def schema_file(name: str, /) -> str:
    """The text of a schema file as it ships."""
    return files("groundtrace_adapters.stores").joinpath("sharded", name).read_text("utf-8")


@contextmanager
def frozen(cluster: PostgresCluster, /) -> Iterator[None]:
    """Stop every process of a server without ending it, as a machine that hangs does."""
    stopped: list[int] = []
    try:
        for pid in _processes(cluster):
            # The one that answered who they are may have ended since.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                stopped.append(pid)
        yield
    finally:
        for pid in reversed(stopped):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def kill(cluster: PostgresCluster, /) -> None:
    """End every process of a server at once, as a machine that loses its power does."""
    for pid in _processes(cluster):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    cluster.stop("immediate")


def _processes(cluster: PostgresCluster) -> list[int]:
    """The server's first process, then those that it started."""
    with psycopg.connect(cluster.dsn()) as connection:
        (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    first = int(Path(folder, "postmaster.pid").read_text().split()[0])
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = (line.split() for line in listed.splitlines())
    return [first, *(int(pid) for pid, parent in pairs if int(parent) == first)]


def _described(share: str) -> dict[str, dict[str, str]]:
    parts = conninfo.conninfo_to_dict(share)
    return {
        "server": {name: str(parts[name]) for name in ("host", "port", "dbname")},
        "user": {"user": str(parts["user"]), "password_required": "false"},
    }


def _create(cluster: PostgresCluster, name: str) -> None:
    with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


_RUNNING = pytest.StashKey[Shards]()


def shards_of_run(request: pytest.FixtureRequest) -> Shards:
    """The clusters that the tests of one run share, started and without rows; skips where no server programs are."""
    if _RUNNING not in request.config.stash:
        binaries = find_binaries()
        if isinstance(binaries, str):
            pytest.skip(binaries)
        ended = ExitStack()
        request.config.stash[_RUNNING] = ended.enter_context(running_shards(binaries))
        request.config.add_cleanup(ended.close)
    shards = request.config.stash[_RUNNING]
    shards.start()
    shards.empty()
    return shards
