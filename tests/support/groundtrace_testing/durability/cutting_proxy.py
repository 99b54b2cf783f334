"""A loopback proxy before a PostgreSQL server that cuts a connection at a given byte of a batch, or delays it.

It knows rows by their size, so it cuts a COPY as it does an INSERT.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from threading import Event, Thread

_ROWS_FROM = 1_000
"""A chunk of fewer bytes holds no row: one has at least as many."""

_READ = 65_536
_BETWEEN_LOOKS = 0.02
_RESET_AT_CLOSE = struct.pack("ii", 1, 0)


class Cut(StrEnum):
    """How a connection ends: by a reset, by an end of both streams in good order, or by a silence on both sides."""

    RESET = "reset"
    TRUNCATED = "truncated"
    SILENT = "silent"


class CuttingProxy:
    """One listening socket. `arm` it for the next batch; `struck` is set once that was cut, and then all passes."""

    def __init__(self, port: int, /) -> None:
        """Stand before the server at `port`."""
        self.struck = Event()
        self.cut_in_copy = 0
        self.delay = 0.0
        self._target = port
        self._lock = threading.Lock()
        self._armed: tuple[Cut, int] | None = None
        self._ended = Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]

    def arm(self, cut: Cut, /, *, after: int) -> None:
        """Let so many bytes pass on connections with rows on them, and cut the one with the next byte."""
        self.struck.clear()
        with self._lock:
            self._armed = cut, after

    def serve(self) -> None:
        """Accept until the proxy is closed."""
        while not self._ended.is_set():
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._sockets += [client, server]
            Thread(target=self._to_server, args=(client, server), daemon=True).start()
            Thread(target=self._to_client, args=(client, server), daemon=True).start()

    def close(self) -> None:
        """End every connection."""
        self._ended.set()
        for one in (self._listener, *self._sockets):
            _end(one)

    def _to_server(self, client: socket.socket, server: socket.socket) -> None:
        copying = False
        for chunk in _chunks(client):
            copying = b"FROM STDIN" in chunk or (copying and b"COMMIT" not in chunk)
            struck = self._count(len(chunk)) if len(chunk) >= _ROWS_FROM else None
            if struck is not None:
                cut, passing = struck
                _passed_on(chunk[:passing], server)
                self.cut_in_copy += copying
                self._strike(cut, client, server)
                return
            self._ended.wait(self.delay)
            if not _passed_on(chunk, server):
                break
        _end(server)

    def _to_client(self, client: socket.socket, server: socket.socket) -> None:
        for chunk in _chunks(server):
            if not _passed_on(chunk, client):
                break
        _end(client)

    def _count(self, size: int) -> tuple[Cut, int] | None:
        """Count a chunk with rows; how it is cut and behind which byte, or None to let it pass."""
        with self._lock:
            if self._armed is None:
                return None
            cut, left = self._armed
            self._armed = None if left < size else (cut, left - size)
            return (cut, left) if left < size else None

    def _strike(self, cut: Cut, client: socket.socket, server: socket.socket) -> None:
        self.struck.set()
        if cut is Cut.SILENT:
            self._ended.wait()
        if cut is Cut.RESET:
            for one in (client, server):
                with suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_CLOSE)
                # Without a shutdown, which would end the stream in good order.
                one.close()
        _end(client)
        _end(server)


@contextmanager
def cutting_proxy(port: int, /) -> Iterator[CuttingProxy]:
    """Run a proxy before the server at `port`."""
    proxy = CuttingProxy(port)
    Thread(target=proxy.serve, daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.close()


def _chunks(source: socket.socket) -> Iterator[bytes]:
    try:
        while True:
            # A thread that sleeps in a read would keep a closed socket, and so its connection, alive.
            if not select.select([source], [], [], _BETWEEN_LOOKS)[0]:
                continue
            if not (chunk := source.recv(_READ)):
                return
            yield chunk
    except (OSError, ValueError):
        return


def _passed_on(chunk: bytes, target: socket.socket) -> bool:
    try:
        target.sendall(chunk)
    except OSError:
        return False
    return True


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
