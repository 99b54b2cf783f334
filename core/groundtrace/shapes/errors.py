"""Errors that a body declares although its call completed: whole known envelopes, and what else they let through."""

from typing import NamedTuple

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind
from groundtrace.shapes.declaring import failed, items, members, text_of, whole
from groundtrace.shapes.http_status import kind_of_status
from groundtrace.shapes.shape import Body, Shape, Told


class Declared(NamedTuple):
    """An error that a body declares; `beside` tells that there is data all the same."""

    kind: FailureKind
    message: str
    beside: bool


_WORDS = (
    *("message", "Message", "msg", "detail", "details", "reason", "error_description", "description", "title"),
    *("type", "code", "Code"),
)
_SAYING = frozenset(
    {*_WORDS, "error", "Error", "errors", "errorMessages", "__type", "ok", "success", "status", "status_code"}
    | {"statusCode", "hint", "instance", "request_id", "traceId"}
)
_DATA = ("data", "result", "results", "items", "rows", "records", "hits", "value", "values", "response")
_CODES = ("code", "status", "status_code", "statusCode")
_FLAGS = ("ok", "success")
_STATUS = frozenset({"status", "message", "code", "data", "errors"})
_LIKE_A_ROW = frozenset({"status", "message"})
"""Logs have rows of this form, whose status is their level."""

_TYPED = frozenset({"__type", "message", "Message"})
_PROBLEM = frozenset({"type", "title", "status", "detail", "instance", "errors", "traceId"})
_GRPC = {
    "DEADLINE_EXCEEDED": FailureKind.TIMEOUT,
    "PERMISSION_DENIED": FailureKind.DENIED,
    "UNAUTHENTICATED": FailureKind.DENIED,
    "RESOURCE_EXHAUSTED": FailureKind.RATE_LIMITED,
    "UNAVAILABLE": FailureKind.UNAVAILABLE,
    "CANCELLED": FailureKind.CANCELLED,
}


def error_of(body: Body, /) -> Declared | None:
    """Return the error that a body declares of itself, None where it declares none.

    Known are `error` (a text, an object that says why, or true beside words), `errors` (GraphQL, JSON:API, and Jira's
    `errorMessages`), `ok` and `success` that are false, JSend's `status`, a `code` of 400 to 599 where `data` is null,
    problem details (RFC 9457), AWS's `Error` and `__type`, and the `Status` of Kubernetes. A list of rows that tell of
    errors is data.
    """
    beside = any(body.get(name) not in (None, "", [], {}, False) for name in _DATA)
    error = body.get("error", body.get("Error"))
    if text_of(error) or (isinstance(error, dict) and _says_why(error)) or (error is True and said_in(body)):
        return Declared(_kind(error, body), said_in(body), beside)
    named = items(body.get("errors")) or items(body.get("errorMessages"))
    errors = [one for one in named if text_of(one) or _says_why(members(one))]
    if errors and len(errors) == len(named):
        return Declared(_kind(errors[0], body), "; ".join(_words(one) for one in errors[:5]), beside)
    if any(body.get(flag) is False for flag in _FLAGS) or _is_status(body) or _is_refusal(body):
        return Declared(_kind(None, body), said_in(body) or "the answer says that it failed", beside=False)
    return None


def _read(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read an object that says that it failed, and holds nothing else: with data in it, it is data."""
    error = error_of(body)
    if error is None or error.beside or not said_in(body) or _LIKE_A_ROW.issuperset(body):
        return None
    rest = (value for name, value in body.items() if name not in _SAYING)
    return None if any(_holds(value) for value in rest) else failed(error.kind, error.message, told.output)


def _holds(value: JsonValue) -> bool:
    return value not in (None, "", False, [], {})


def said_in(body: Body, /) -> str:
    """Return what a body says of an error, empty where it says nothing."""
    named = (body.get("error", body.get("Error")), *(body.get(name) for name in ("errors", "errorMessages", *_WORDS)))
    return next((words for one in named if (words := _words(one))), "")


def _words(value: JsonValue) -> str:
    if isinstance(value, list):
        return "; ".join(words for one in value[:5] if (words := _words(one)))
    if isinstance(value, dict):
        told = [text for name in ("type", "code", "Code") if (text := text_of(value.get(name)))]
        said = next((words for name in _WORDS if (words := _words(value.get(name)))), "")
        return said if not told or said == told[0] else f"{told[0]}: {said}"
    return text_of(value)


def _says_why(error: Body) -> bool:
    return any(text_of(error.get(name)) or whole(error.get(name)) is not None for name in _WORDS)


def _is_status(body: Body) -> bool:
    if body.get("kind") == "Status" and body.get("status") == "Failure":
        return True
    return body.get("status") in ("error", "fail") and _STATUS.issuperset(body)


def _is_refusal(body: Body) -> bool:
    """Tell an object of nothing but a refusal: by a number where no data is, or by the type of an exception."""
    if text_of(body.get("__type")):
        return _TYPED.issuperset(body)
    refused = any(kind_of_status(whole(body.get(name)) or 0) is not None for name in _CODES)
    without_data = "data" in body and body["data"] in (None, "", [], {})
    return refused and (without_data or (_PROBLEM.issuperset(body) and text_of(body.get("title")) != ""))


def _kind(error: JsonValue, body: Body) -> FailureKind:
    held = (members(error), body)
    number = next((code for one in held for name in _CODES if (code := whole(one.get(name))) is not None), 0)
    word = next((word for one in held for name in _CODES if (word := text_of(one.get(name))) in _GRPC), "")
    return _GRPC.get(word) or kind_of_status(number) or FailureKind.ERROR


_NAMES = frozenset({"error", "Error", "errors", "errorMessages", "__type", "status", "code", *_FLAGS})
ERROR = Shape(name="error", members=_NAMES, read_body=_read)
