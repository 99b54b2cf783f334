"""Objects that say of themselves that the call failed: error bodies of web services, results with `success: false`.

An object counts only as a whole: where it holds data beside the error, it is an answer with a warning.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from groundtrace.emptiness import is_empty, says_nothing
from groundtrace.inference.absence import is_absence
from groundtrace.inference.body_members import (
    ABOUT,
    ANSWERS,
    BAD_WORDS,
    CODES,
    ERROR_NAMES,
    ERRORS,
    FLAGS,
    MARKS,
    MESSAGES,
)
from groundtrace.inference.error_texts import message_of_failure
from groundtrace.json_text import JsonValue, plain
from groundtrace.text import is_blank

Body = Mapping[str, JsonValue]

_ERROR_NAME = re.compile(
    r"(?:[\w.#:/-]{0,80}[a-z.#_:/-])?(?:Error|Exception|Fault|Denied|NotFound|Exceeded|Invalid|Forbidden|Unauthorized)"
    r"|(?:[a-z]+[_.-]){0,5}(?:error|exception|denied|not[_-]found|exceeded|limited|invalid|forbidden|unauthori[sz]ed"
    r"|expired|missing|timeout|failed|unavailable)|(?:ERR|E)[A-Z0-9_]{3,40}"
)
_STATUS = re.compile(r"\s*(?:HTTP )?([45]\d\d)\b.{0,100}", re.DOTALL)
_SHORT = 300
"""A shorter text beside a status of 400 or more says what went wrong."""

_NOTHING_WRONG = frozenset({"", "none", "null", "ok", "success", "no error", "false", "0"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """An object of an error text and an answer, each of which may be empty; `error` is blank where none is told."""

    error: str
    answer: JsonValue


def envelope_of(form: JsonValue, /) -> Envelope | None:
    """Return what an object with nothing but an error and an answer holds, None for every other shape."""
    if not isinstance(form, dict):
        return None
    error = next((name for name in ERRORS if name in form), None)
    answer = next((name for name in ANSWERS if name in form), None)
    if error is None or answer is None or not set(form) <= ABOUT or _is_bad(form):
        return None
    return Envelope(error=_told(form[error]), answer=form[answer])


def error_of(form: JsonValue, /) -> str | None:
    """Return the message of an object that is an error as a whole, None where it is none or holds data."""
    if not isinstance(form, dict) or not form or not set(form) <= ABOUT or _holds_data(form):
        return None
    error = next((text for name in ERRORS if (text := _told(form.get(name)))), "")
    message = next((text for name in MESSAGES if (text := _text(form.get(name)))), "")
    if error or _is_bad(form):
        return "; ".join(part for part in (error, message) if part) or plain(form)
    if message and not says_nothing(message) and not is_absence(message) and message_of_failure(message):
        return message
    return None


def absence_of(form: JsonValue, /) -> str | None:
    """Return the message of an object without data whose one message, whole, says that nothing was found."""
    if not isinstance(form, dict) or not set(form) <= ABOUT or _holds_data(form):
        return None
    if any(_told(form.get(name)) for name in ERRORS) or _status(form) is not None or _has_error_code(form):
        return None
    message = next((text for name in MESSAGES if (text := _text(form.get(name)))), "")
    return message if message and (says_nothing(message) or is_absence(message)) else None


def _is_bad(form: Body) -> bool:
    return (
        _status(form) is not None
        or any(_is_false(form[name]) for name in FLAGS if name in form)
        or any(form.get(name) is True for name in MARKS)
        or any(_text(form.get(name)).strip().casefold() in BAD_WORDS for name in (*CODES, "result"))
        or (_text(form.get("type")).strip().casefold() in BAD_WORDS)
        or _has_error_code(form)
    )


def _has_error_code(form: Body) -> bool:
    """Tell whether an object names an error by a code: a status of gRPC, `AccessDeniedException`, `rate_limited`."""
    code = form.get("code")
    if isinstance(code, int) and not isinstance(code, bool):
        return (1 <= code <= 16 and {"message", "details"} <= set(form)) or -32800 <= code <= -32000
    told = next((text for name in ERROR_NAMES if (text := _text(form.get(name)))), "")
    return _ERROR_NAME.fullmatch(told) is not None


def _status(form: Body) -> int | None:
    for name in CODES:
        value = form.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value <= 599:
            return value
        if isinstance(value, str) and (found := _STATUS.fullmatch(value)):
            return int(found[1])
    return None


def _is_false(value: JsonValue) -> bool:
    return (
        value is False
        or (value == 0 and isinstance(value, int))
        or (isinstance(value, str) and value.strip().casefold() in BAD_WORDS)
    )


def _holds_data(form: Body) -> bool:
    status = _status(form)
    return any(_is_data(form[name], status) for name in ANSWERS if name in form)


def _is_data(value: JsonValue, status: int | None) -> bool:
    if status is not None and isinstance(value, str) and len(value) < _SHORT:
        return False
    if isinstance(value, str) and value.strip().casefold() in BAD_WORDS:
        return False
    return not is_empty(value) and value is not False


def _text(value: JsonValue) -> str:
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "; ".join(str(item) for item in value)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        told = [_text(item.get("msg") or item.get("message")) for item in value if isinstance(item, dict)]
        return "; ".join(told) if all(told) else ""
    return value if isinstance(value, str) and not is_blank(value) else ""


def _told(value: JsonValue) -> str:
    """Return an error in words; blank where the member says that there is none."""
    if value is None or value is False or value == 0 or is_empty(value):
        return ""
    if isinstance(value, str):
        return "" if value.strip().casefold() in _NOTHING_WRONG else value
    if isinstance(value, dict):
        told = next((text for name in (*MESSAGES, *ERRORS) if (text := _text(value.get(name)))), "")
        return told or plain(value)
    return "the tool reported an error without a text" if value is True else plain(value)
