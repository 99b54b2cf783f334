"""An application whose every request records a row and answers where it has come to, for WSGI and ASGI servers.

Store and spool are named by the environment; both are opened at import, so that a server that loads the application
before it forks hands its workers an open store and a sink with threads.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from groundtrace.ports import Receipt
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_testing.durability.calls import RULES, call_of, outcome_of
from groundtrace_testing.durability.places import sink_over, store_at

STORE: Final = "GROUNDTRACE_SERVED_STORE"
SPOOL: Final = "GROUNDTRACE_SERVED_SPOOL"
SESSION: Final = "durable/served"

_address = os.environ[STORE]
_recorder: Final = ToolInvocationRecorder(
    sink_over(store_at(_address), Path(os.environ[SPOOL]), address=_address), rules=RULES
)
# The master has a thread of its own, and perhaps a connection, when it forks.
_of_master: Final = _recorder.record(call_of(SESSION, f"master{os.getpid()}-0"), outcome_of(f"master{os.getpid()}-0"))


def wsgi(environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], object]) -> Iterable[bytes]:
    """Record the row named by `?id=`, wait for it, and answer with its place and the worker's process."""
    told = _record(environ["QUERY_STRING"]).wait(deadline=20)
    body = f"{told.place if told else 'unplaced'} {os.getpid()}".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


async def asgi(
    scope: MutableMapping[str, Any],
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
) -> None:
    """Do the same without blocking the loop."""
    assert scope["type"] == "http"
    told = await _record(scope["query_string"].decode()).placed()
    headers = [(b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": f"{told.place} {os.getpid()}".encode()})


def _record(query: str) -> Receipt:
    (row_id,) = parse_qs(query)["id"]
    receipt = _recorder.record(call_of(SESSION, row_id), outcome_of(row_id))
    assert receipt is not None
    return receipt
