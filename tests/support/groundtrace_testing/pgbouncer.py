"""A PgBouncer of the tests' own before a PostgreSQL server: transaction mode, on the loopback interface."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PLACES = ("/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer")
_PATIENCE = 10.0

# Two server sessions for all clients, so that a client soon meets a session that another one has used.
_SETTINGS = """[databases]
* = host=127.0.0.1 port={server} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
unix_socket_dir =
logfile = {folder}/log
{user}
"""


def find_pgbouncer() -> Path | None:
    """The program, or None: `apt-get install pgbouncer` brings it on Debian."""
    found = shutil.which("pgbouncer") or next(filter(os.path.exists, _PLACES), None)
    return None if found is None else Path(found)


@contextmanager
def running_pgbouncer(program: Path, server: int, /) -> Iterator[int]:
    """Run PgBouncer before the server at a port, and give its own port. Raises RuntimeError if it does not start."""
    folder = Path(tempfile.mkdtemp(prefix="groundtrace-pgbouncer-"))
    port = _free_port()
    # It refuses to run as root, and changes to another user by itself.
    user = _user() if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    settings = folder / "pgbouncer.ini"
    text = _SETTINGS.format(server=server, port=port, folder=folder, user="" if user is None else f"user = {user}")
    settings.write_text(text)
    process = subprocess.Popen(
        [program, "--quiet", settings],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(process, port, folder)
        yield port
    finally:
        process.kill()
        process.wait(timeout=_PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    log = folder / "log"
    said = log.read_text(errors="replace")[-2_000:] if log.exists() else "nothing"
    raise RuntimeError(f"PgBouncer did not start; its log says: {said}")


def _user() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
