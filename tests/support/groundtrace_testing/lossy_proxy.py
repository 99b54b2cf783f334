"""A loopback proxy before a PostgreSQL server that can lose a connection at the worst moment, or fall silent."""

from __future__ import annotations

from contextlib import AbstractContextManager
from enum import Enum, auto
from threading import Event

from typing_extensions import override

from groundtrace_testing.loopback_proxy import Link, LoopbackProxy, chunks, end, passed_on, running


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


class LossyProxy(LoopbackProxy):
    """Set `fault` at any time. `happened` is set once a fault around a commit has struck."""

    def __init__(self, port: int, /) -> None:
        super().__init__(port)
        self.fault = Fault.NONE
        self.happened = Event()

    @override
    def to_server(self, link: Link, /) -> None:
        sent = 0
        for chunk in chunks(link.client):
            sent = 0 if self.fault is Fault.NONE else sent + len(chunk)
            if self.fault is Fault.CRAWL:
                self.ended.wait(_CRAWLING_SECONDS)
            if self.fault is Fault.LATE_CUT and sent > LATE:
                self._strike(link)
                return
            if self.fault is Fault.LATE_SILENCE and sent > LATE:
                self.fault = Fault.SILENCE
            if any(mark in chunk for mark in _COMMITS) and self.fault in (Fault.BEFORE_COMMIT, Fault.AFTER_COMMIT):
                if self.fault is Fault.BEFORE_COMMIT:
                    self._strike(link)
                    return
                link.committing.set()
            if self.fault is Fault.SILENCE:
                self.ended.wait()
                return
            if not passed_on(chunk, link.server):
                break
        end(link.server)

    @override
    def to_client(self, link: Link, /) -> None:
        for chunk in chunks(link.server):
            # The reply is here, so the commit is done; nobody will hear of it.
            if self.fault is Fault.AFTER_COMMIT and link.committing.is_set():
                self._strike(link)
                return
            if self.fault is Fault.SILENCE:
                self.ended.wait()
                return
            if not passed_on(chunk, link.client):
                break
        end(link.client)

    def _strike(self, link: Link) -> None:
        self.fault = Fault.NONE
        self.happened.set()
        link.end()


def lossy_proxy(port: int, /) -> AbstractContextManager[LossyProxy]:
    """Run a proxy before the server at `port`."""
    return running(LossyProxy(port))
