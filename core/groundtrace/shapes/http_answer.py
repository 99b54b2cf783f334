"""An HTTP answer as any client library gives it, read without consuming it: what was not read stays unread."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, runtime_checkable

from groundtrace.encoding import encode
from groundtrace.json_text import JsonValue
from groundtrace.shapes.declaring import members, text_of, whole
from groundtrace.shapes.shape import Body

_STATUSES = ("status_code", "status", "statusCode", "code")
_BODIES = ("body", "text", "content", "json", "data")
_READ_BODIES = ("_content", "_body")
"""Where httpx, requests, aiohttp and urllib3 keep a body that was read; asking for it could read from the network."""

_REASONS = ("reason", "status_text", "statusText")
_PLAIN = frozenset({*_STATUSES[:3], *_BODIES, *_REASONS, "headers", "url", "ok", "elapsed", "method"})


_HEADERS_READ = 200


@runtime_checkable
class _HasItems(Protocol):
    def items(self) -> Iterable[tuple[object, object]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """Status, headers (names in lower case) and body; None: it was not read. `url` is where the answer came from.

    `accepts` is the content type that was asked for, `redirected` whether the answer came from another place.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: "JsonValue | bytes" = None
    reason: str = ""
    url: str = ""
    accepts: str = ""
    redirected: bool = False
    method: str = ""

    @property
    def content_type(self) -> str:
        """Return the media type of the body, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """Return the body as text, empty for a body that is a JSON value or was not read."""
        return self.body.decode("utf-8", "replace") if isinstance(self.body, bytes) else text_of(self.body)


def answer_of(value: object, /) -> HttpAnswer | None:
    """Return the answer that a client library's response holds, None where it has no status."""
    status = next((number for name in _STATUSES if (number := _status(getattr(value, name, None))) is not None), None)
    if status is None:
        return None
    own = getattr(value, "__dict__", {})
    body = next((held for name in _READ_BODIES if isinstance(held := own.get(name), str | bytes)), None)
    request = own.get("_request", own.get("request"))
    return HttpAnswer(
        status=status,
        headers=headers_of(getattr(value, "headers", None)),
        body=body,
        reason=_text(own.get("reason")),
        url=_text(own.get("url")) or str(getattr(request, "url", "")),
        accepts=headers_of(getattr(request, "headers", None)).get("accept", ""),
        redirected=bool(own.get("history")),
        method=_text(getattr(request, "method", "")),
    )


def answer_in(body: Body, /, *, named: bool) -> HttpAnswer | None:
    """Return the answer that an object holds: status, headers and body, and nothing that answers do not have.

    A tool that names the shape may leave the headers out, and add what it likes.
    """
    status = next((number for name in _STATUSES[:3] if (number := _status(body.get(name))) is not None), None)
    held = next((name for name in _BODIES if name in body), None)
    whole_one = isinstance(body.get("headers"), dict) and held is not None and _PLAIN.issuperset(body)
    if status is None or not (named or whole_one):
        return None
    return HttpAnswer(
        status=status,
        headers=headers_of(body.get("headers")),
        body=None if held is None else body[held] if body[held] is not None else "",
        reason=next((text for name in _REASONS if (text := text_of(body.get(name)))), ""),
        url=text_of(body.get("url")),
        method=text_of(body.get("method")),
    )


def headers_of(headers: object, /) -> dict[str, str]:
    """Return headers by name in lower case; what is no mapping has none."""
    try:
        pairs: Iterable[tuple[object, object]] = headers.items() if isinstance(headers, _HasItems) else ()
        return {str(name).lower(): _text(value) for name, value in islice(pairs, _HEADERS_READ)}
    except Exception:  # noqa: BLE001 - a foreign class may raise anything, and then there are no headers
        return {}


def _status(value: object) -> int | None:
    number = whole(encode(value)) if isinstance(value, int) else None
    return number if number is not None and 100 <= number <= 599 else None


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""


def object_in(body: "JsonValue | bytes", /) -> Body:
    """Return a body that is a JSON object already, empty where it is not."""
    return {} if isinstance(body, bytes) else members(body)
