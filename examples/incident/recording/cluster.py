"""A throwaway PostgreSQL cluster on loopback: find the binaries, make it, start it, end it by process id.

Nothing here knows about the incident. The server's log goes to the file that the caller names.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
NEEDED = ("initdb", "postgres", "pgbench")
ACCOUNTS = ("postgres", "nobody")  # who runs the server when the recorder runs as root, first that exists
INITDB_OPTIONS = ("--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
WAIT_SECONDS = 30


class RecordingError(Exception):
    """The recording cannot go on; the text is one line for the person who started it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binaries:
    """The folder that holds `initdb`, `postgres` and `pgbench` of one PostgreSQL version."""

    folder: Path

    def path(self, name: str) -> str:
        """The full path of one of the programs."""
        return str(self.folder / name)


def find_binaries() -> Binaries:
    """Look on PATH and then where distributions keep them, newest version first."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    for root in ("/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt"):
        found = (p for p in Path(root).glob("**/bin") if (p / "initdb").exists())
        folders += sorted(found, key=_version_key, reverse=True)
    for folder in folders:
        if all(os.access(folder / name, os.X_OK) for name in NEEDED):
            return Binaries(folder=folder)
    raise RecordingError(f"no folder with {', '.join(NEEDED)} was found; install PostgreSQL or put it on PATH")


def _version_key(folder: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in folder.parent.name.replace("@", ".").split(".") if part.isdigit())


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whom the server runs as: None means the current user."""

    uid: int | None
    gid: int | None


def server_account() -> Account:
    """PostgreSQL refuses to run as root, so root hands it to an account without rights."""
    if os.geteuid() != 0:
        return Account(uid=None, gid=None)
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(uid=entry.pw_uid, gid=entry.pw_gid)
    raise RecordingError(f"started as root, and none of the accounts {', '.join(ACCOUNTS)} exists to run the server")


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


class Cluster:
    """One server process with a data directory of its own."""

    def __init__(self, binaries: Binaries, folder: Path, *, superuser: str, settings: dict[str, str]) -> None:
        self.binaries = binaries
        self.port = free_port()
        self._account = server_account()
        self._data = folder / "data"
        self._superuser = superuser
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        if self._account.uid is not None and self._account.gid is not None:
            os.chown(folder, self._account.uid, self._account.gid)

    def start(self, log: Path) -> None:
        """Make the cluster and start it; returns when it takes connections."""
        self._initdb()
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as conf:
            conf.writelines(f"{name} = '{value}'\n" for name, value in self._settings.items())
            conf.write(f"listen_addresses = '{HOST}'\nport = {self.port}\nunix_socket_directories = ''\n")
        with log.open("wb") as sink:
            self._process = subprocess.Popen(
                [self.binaries.path("postgres"), "-D", str(self._data)],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                cwd=self._data,
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
                user=self._account.uid,
                group=self._account.gid,
                extra_groups=None if self._account.uid is None else [],
            )
        self._wait_until_ready(log)

    def stop(self) -> None:
        """End the server: a fast shutdown first, a kill of this one process id if it does not end."""
        if self._process is None or self._process.poll() is not None:
            return
        for how, seconds in ((signal.SIGINT, WAIT_SECONDS), (signal.SIGQUIT, 5), (signal.SIGKILL, 5)):
            self._process.send_signal(how)
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
            return

    def _initdb(self) -> None:
        done = subprocess.run(
            [self.binaries.path("initdb"), "-D", str(self._data), "-U", self._superuser, *INITDB_OPTIONS],
            check=False,
            capture_output=True,
            text=True,
            cwd=self._data.parent,
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            user=self._account.uid,
            group=self._account.gid,
            extra_groups=None if self._account.uid is None else [],
            timeout=120,
        )
        if done.returncode != 0:
            raise RecordingError("initdb failed: " + " ".join(done.stderr.split())[:300])

    def _wait_until_ready(self, log: Path) -> None:
        """Read the state that the server writes for pg_ctl: asking by connection would leave lines in its log."""
        state = self._data / "postmaster.pid"
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            if self._process is None or self._process.poll() is not None:
                last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
                raise RecordingError("the server did not start: " + " ".join(last))
            lines = state.read_text(encoding="utf-8").splitlines() if state.exists() else []
            if len(lines) >= 8 and lines[7].strip() == "ready":
                return
            time.sleep(0.1)
        raise RecordingError(f"the server was not ready after {WAIT_SECONDS} s")
