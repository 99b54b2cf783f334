"""A loopback proxy before a PostgreSQL server that can lose a connection at the worst moment, or fall silent."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from threading import Event, Thread


class Fault(Enum):
    """What the proxy does; the two around a commit and the cut happen once, then it passes everything again.

    Those that are said to be late begin once the client has sent `LATE` bytes more, in the middle of a COPY, say.
    """

    NONE = auto()
    BEFORE_COMMIT = auto()
    AFTER_COMMIT = auto()
    SILENCE = auto()
    LATE_CUT = auto()
    LATE_SILENCE = auto()
    CRAWL = auto()


LATE = 100_000
"""Bytes that a client sends before a late fault begins."""

_CRAWLING_SECONDS = 0.3
"""How long each piece takes while the proxy crawls."""


_COMMITS = (b"COMMIT\x00", b"S\x00\x00\x00\x04", b"c\x00\x00\x00\x04")
"""What a client sends last before the server commits: the word, or the end of one statement or COPY by itself."""


class LossyProxy:
    """One listening socket; set `fault` at any time. `happened` is set once a fault around a commit has struck."""

    def __init__(self, port: int, /) -> None:
        self.fault = Fault.NONE
        self.happened = Event()
        self._target = port
        self._ended = Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]

    def serve(self) -> None:
        """Accept until the proxy is closed."""
        while not self._ended.is_set():
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._sockets += [client, server]
            committing = Event()
            Thread(target=self._to_server, args=(client, server, committing), daemon=True).start()
            Thread(target=self._to_client, args=(client, server, committing), daemon=True).start()

    def close(self) -> None:
        """End every connection."""
        self._ended.set()
        _end(self._listener)
        for one in self._sockets:
            _end(one)

    def _to_server(self, client: socket.socket, server: socket.socket, committing: Event) -> None:
        sent = 0
        for chunk in _chunks(client):
            sent = 0 if self.fault is Fault.NONE else sent + len(chunk)
            if self.fault is Fault.CRAWL:
                self._ended.wait(_CRAWLING_SECONDS)
            if self.fault is Fault.LATE_CUT and sent > LATE:
                self._strike(client, server)
                return
            if self.fault is Fault.LATE_SILENCE and sent > LATE:
                self.fault = Fault.SILENCE
            if any(mark in chunk for mark in _COMMITS) and self.fault in (Fault.BEFORE_COMMIT, Fault.AFTER_COMMIT):
                if self.fault is Fault.BEFORE_COMMIT:
                    self._strike(client, server)
                    return
                committing.set()
            if self.fault is Fault.SILENCE:
                self._ended.wait()
                return
            if not _passed_on(chunk, server):
                break
        _end(server)

    def _to_client(self, client: socket.socket, server: socket.socket, committing: Event) -> None:
        for chunk in _chunks(server):
            # The reply is here, so the commit is done; nobody will hear of it.
            if self.fault is Fault.AFTER_COMMIT and committing.is_set():
                self._strike(client, server)
                return
            if self.fault is Fault.SILENCE:
                self._ended.wait()
                return
            if not _passed_on(chunk, client):
                break
        _end(client)

    def _strike(self, client: socket.socket, server: socket.socket) -> None:
        self.fault = Fault.NONE
        self.happened.set()
        _end(client)
        _end(server)


@contextmanager
def lossy_proxy(port: int, /) -> Iterator[LossyProxy]:
    """Run a proxy before the server at `port`."""
    proxy = LossyProxy(port)
    Thread(target=proxy.serve, daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.close()


def _chunks(source: socket.socket) -> Iterator[bytes]:
    try:
        while chunk := source.recv(65_536):
            yield chunk
    except OSError:
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
