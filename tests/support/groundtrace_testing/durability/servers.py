"""gunicorn and uvicorn with several workers that record, asked by several clients, one worker killed meanwhile."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from groundtrace_testing.durability.load import Told
from groundtrace_testing.durability.tally import Tally, settled

WORKERS, CLIENTS = 2, 6
SESSION: Final = "durable/served"
_APPLICATION: Final = "groundtrace_testing.durability.served"
_PATIENCE = 30.0

SERVERS: Final[Mapping[str, Callable[[int], list[str]]]] = MappingProxyType(
    {
        # Before the fork, so that each worker is given its master's store, sink and threads that are not there.
        "gunicorn": lambda port: [
            *("gunicorn", "--preload", "--workers", str(WORKERS), "--threads", "4"),
            *("--bind", f"127.0.0.1:{port}", "--no-control-socket", f"{_APPLICATION}:wsgi"),
        ],
        "uvicorn": lambda port: [
            *("uvicorn", "--workers", str(WORKERS), "--lifespan", "off", "--log-level", "warning"),
            *("--host", "127.0.0.1", "--port", str(port), f"{_APPLICATION}:asgi"),
        ],
    }
)
"""The command line of each server by name, for a port."""


def served(server: str, address: str, spool: Path, /, *, requests: int) -> tuple[Tally, set[int]]:
    """Let clients ask for so many rows each, kill one worker amid them, end the server, and tell the workers met."""
    told: list[Told] = []
    workers: set[int] = set()

    def ask_all(client: int) -> None:
        for number in range(requests):
            row_id = f"client{client}-{number}"
            answer = _ask(port, row_id)
            if answer is not None:
                place, process = answer.split()
                told.append((place, SESSION, row_id, ""))
                workers.add(int(process))
            if client == 0 and number == requests // 2:
                os.kill(min(workers), signal.SIGKILL)

    with _running(server, address, spool) as port, ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(ask_all, range(CLIENTS)))
    return settled(address, spool, told), workers


@contextmanager
def _running(server: str, address: str, spool: Path) -> Iterator[int]:
    port = _free_port()
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "GROUNDTRACE_SERVED_STORE": address,
        "GROUNDTRACE_SERVED_SPOOL": str(spool),
    }
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", *SERVERS[server](port)]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            _wait_for(port, process)
            yield port
        finally:
            process.terminate()
            process.wait(_PATIENCE)
            log.seek(0)
            said = log.read().decode(errors="replace")
    assert "Traceback" not in said, said


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not come up")


def _ask(port: int, row_id: str) -> str | None:
    """What a worker answers; None where it was killed before it did."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("GET", f"/?id={row_id}")
        return connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
