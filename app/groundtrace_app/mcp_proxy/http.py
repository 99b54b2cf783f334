"""A server of streamable HTTP behind the proxy: a reverse proxy on loopback that hands on each piece as it comes."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, TypeAlias

import httpx2
import uvicorn
from httpx2 import URL

from groundtrace.outcomes import FailureKind, failure_because
from groundtrace_app.mcp_proxy.background import Background
from groundtrace_app.mcp_proxy.call_log import CallLog
from groundtrace_app.mcp_proxy.http_exchange import Exchange
from groundtrace_app.mcp_proxy.http_sessions import HttpSessions

Message: TypeAlias = dict[str, Any]
RawHeaders: TypeAlias = Sequence[tuple[bytes, bytes]]

CONNECT_SECONDS = 10.0
STOP_SECONDS = 2
READ_SECONDS = 10.0

HOP_BY_HOP = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade"),
    }
)
"""Headers of one connection: the only ones, with `host`, that are not handed on."""

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Where the proxy listens, and by which names it may be called: a page elsewhere cannot reach the server by it."""


def proxy_http(url: str, listening: socket.socket, log: CallLog, /) -> None:
    """Serve on `listening` until a signal ends it; every request goes to the server of `url`, under its own path."""
    background = Background()
    sessions = HttpSessions(log)
    try:
        proxy = ReverseProxy(URL(url), background, sessions)
        config = uvicorn.Config(
            proxy,
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        background.put(sessions.end_all)
        background.close(deadline=READ_SECONDS)


class ReverseProxy:
    """An ASGI application."""

    def __init__(self, url: URL, background: Background, sessions: HttpSessions, /) -> None:
        """Hand on to the server of `url`."""
        self._url = url
        self._background = background
        self._sessions = sessions
        self._client: httpx2.AsyncClient | None = None

    async def __call__(self, scope: Message, receive: Callable[[], Any], send: Callable[[Message], Any]) -> None:
        """Hand on one request and its response."""
        if scope["type"] != "http":
            return
        headers: RawHeaders = scope["headers"]
        if _host_name(headers) not in LOOPBACK:
            await _say(send, 421, "this proxy is called by a loopback name only")
            return
        exchange = Exchange(self._background, self._sessions, scope["method"], dict(headers))
        read = asyncio.Event()
        has_body = any(name in (b"content-length", b"transfer-encoding") for name, _ in headers)
        if not has_body:
            await receive()
            read.set()
        request = httpx2.Request(
            scope["method"],
            self._url.copy_with(raw_path=_raw_path(scope)),
            headers=[(b"host", self._url.netloc), *_passed_on(headers, but=b"host")],
            content=_body(receive, exchange, read) if has_body else None,
        )
        await _until_client_leaves(self._exchanged(exchange, request, send), receive, read)

    async def _exchanged(self, exchange: Exchange, request: httpx2.Request, send: Callable[[Message], Any]) -> None:
        self._client = self._client or httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
        )
        broken, started = None, False
        try:
            response = await self._client.send(request, stream=True)
            try:
                exchange.answered(response.status_code, {name.lower(): value for name, value in response.headers.raw})
                head = {"status": response.status_code, "headers": _passed_on(response.headers.raw)}
                await send({"type": "http.response.start", **head})
                started = True
                async for piece in response.aiter_raw():
                    exchange.answer(piece)
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            why = f"the server cannot be reached: {type(error).__name__}"
            broken = failure_because(FailureKind.UNAVAILABLE, why)
            if not started:
                await _say(send, 502, why)
                return
            # The response stays unfinished, as the server left it.
            raise
        except BaseException:
            broken = failure_because(FailureKind.CANCELLED, "the client left before the answer came")
            raise
        finally:
            exchange.ended(broken)


async def _until_client_leaves(
    work: Coroutine[Any, Any, None], receive: Callable[[], Any], read: asyncio.Event
) -> None:
    """Do the work, and give it up once the client has left; what it raises is raised."""

    async def client_left() -> None:
        await read.wait()
        while (await receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(client_left())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.wait({working, leaving})
    if not working.cancelled() and (error := working.exception()) is not None:
        raise error


async def _body(receive: Callable[[], Any], exchange: Exchange, read: asyncio.Event) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError("the client left")
        piece, more = message.get("body", b""), message.get("more_body", False)
        exchange.asked(piece, last=not more)
        if piece:
            yield piece
    read.set()


async def _say(send: Callable[[Message], Any], status: int, words: str) -> None:
    text = f"groundtrace mcp-proxy: {words}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _passed_on(headers: RawHeaders, *, but: bytes = b"") -> list[tuple[bytes, bytes]]:
    named = {
        name.strip().lower() for key, value in headers if key.lower() == b"connection" for name in value.split(b",")
    }
    left = HOP_BY_HOP | named | {but}
    return [(name, value) for name, value in headers if name.lower() not in left]


def _raw_path(scope: Message) -> bytes:
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope["query_string"]
    return path + b"?" + query if query else path


def _host_name(headers: RawHeaders) -> str:
    host = next((value for name, value in headers if name == b"host"), b"").decode("latin-1")
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0].lower()
