"""A loopback proxy before a server: accepts, passes bytes both ways, and ends. What it does to them, its heirs say."""

from __future__ import annotations

import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import TypeVar

_READ = 65_536
_BETWEEN_LOOKS = 0.02

Proxy = TypeVar("Proxy", bound="LoopbackProxy")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Link:
    """One client's connection and its own to the server; `committing` is for heirs that watch for a commit."""

    client: socket.socket
    server: socket.socket
    committing: Event = field(default_factory=Event)

    def end(self) -> None:
        """End both connections in good order."""
        end(self.client)
        end(self.server)


class LoopbackProxy(ABC):
    """One listening socket; each direction of each connection has a thread of its own."""

    def __init__(self, port: int, /) -> None:
        """Stand before the server at `port`."""
        self.ended = Event()
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]

    def through(self, dsn: str, /) -> str:
        """The address of the server as it is reached through the proxy."""
        return dsn.replace(f":{self._target}/", f":{self.port}/")

    def serve(self) -> None:
        """Accept until the proxy is closed."""
        while not self.ended.is_set():
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._sockets += [client, server]
            link = Link(client=client, server=server)
            for direction in (self.to_server, self.to_client):
                Thread(target=direction, args=(link,), daemon=True).start()

    def close(self) -> None:
        """End every connection."""
        self.ended.set()
        for one in (self._listener, *self._sockets):
            end(one)

    @abstractmethod
    def to_server(self, link: Link, /) -> None:
        """Pass on what the client sends, and end the server's side behind it."""

    def to_client(self, link: Link, /) -> None:
        """Pass on what the server sends, and end the client's side behind it."""
        for chunk in chunks(link.server):
            if not passed_on(chunk, link.client):
                break
        end(link.client)


@contextmanager
def running(proxy: Proxy, /) -> Iterator[Proxy]:
    """Let a proxy serve, and close it in the end."""
    Thread(target=proxy.serve, daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.close()


def chunks(source: socket.socket, /) -> Iterator[bytes]:
    """Read until the other side ends, or this socket is closed."""
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


def passed_on(chunk: bytes, target: socket.socket, /) -> bool:
    """Send a chunk; False if nobody is there any more."""
    try:
        target.sendall(chunk)
    except OSError:
        return False
    return True


def end(one: socket.socket, /) -> None:
    """Close a socket, and the stream with it."""
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
