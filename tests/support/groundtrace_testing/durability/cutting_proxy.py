"""A loopback proxy before a PostgreSQL server that cuts a connection at a given byte of a batch, or delays it.

It knows rows by their size, so it cuts a COPY as it does an INSERT.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import AbstractContextManager, suppress
from enum import StrEnum
from threading import Event

from typing_extensions import override

from groundtrace_testing.loopback_proxy import Link, LoopbackProxy, chunks, end, passed_on, running

_ROWS_FROM = 1_000
"""A chunk of fewer bytes holds no row: one has at least as many."""

_RESET_AT_CLOSE = struct.pack("ii", 1, 0)


class Cut(StrEnum):
    """How a connection ends: by a reset, by an end of both streams in good order, or by a silence on both sides."""

    RESET = "reset"
    TRUNCATED = "truncated"
    SILENT = "silent"


class CuttingProxy(LoopbackProxy):
    """`arm` it for the next batch; `struck` is set once that was cut, and then all passes."""

    def __init__(self, port: int, /) -> None:
        """Stand before the server at `port`."""
        super().__init__(port)
        self.struck = Event()
        self.cut_in_copy = 0
        self.delay = 0.0
        self._lock = threading.Lock()
        self._armed: tuple[Cut, int] | None = None

    def arm(self, cut: Cut, /, *, after: int) -> None:
        """Let so many bytes pass on connections with rows on them, and cut the one with the next byte."""
        self.struck.clear()
        with self._lock:
            self._armed = cut, after

    @override
    def to_server(self, link: Link, /) -> None:
        copying = False
        for chunk in chunks(link.client):
            copying = b"FROM STDIN" in chunk or (copying and b"COMMIT" not in chunk)
            struck = self._count(len(chunk)) if len(chunk) >= _ROWS_FROM else None
            if struck is not None:
                cut, passing = struck
                passed_on(chunk[:passing], link.server)
                self.cut_in_copy += copying
                self._strike(cut, link)
                return
            self.ended.wait(self.delay)
            if not passed_on(chunk, link.server):
                break
        end(link.server)

    def _count(self, size: int) -> tuple[Cut, int] | None:
        """Count a chunk with rows; how it is cut and behind which byte, or None to let it pass."""
        with self._lock:
            if self._armed is None:
                return None
            cut, left = self._armed
            self._armed = None if left < size else (cut, left - size)
            return (cut, left) if left < size else None

    def _strike(self, cut: Cut, link: Link) -> None:
        self.struck.set()
        if cut is Cut.SILENT:
            self.ended.wait()
        if cut is Cut.RESET:
            for one in (link.client, link.server):
                with suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_CLOSE)
                # Without a shutdown, which would end the stream in good order.
                one.close()
        link.end()


def cutting_proxy(port: int, /) -> AbstractContextManager[CuttingProxy]:
    """Run a proxy before the server at `port`."""
    return running(CuttingProxy(port))
