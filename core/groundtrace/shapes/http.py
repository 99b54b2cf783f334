"""HTTP answers: the status declares; an answer of 2xx may still declare an error, or not be what was asked for."""

import json
import re
from dataclasses import replace

from groundtrace import outcomes
from groundtrace.encoding import encode, output_of
from groundtrace.outcomes import FailureKind, Output
from groundtrace.shapes.declaring import failed, found, marked, members, unread
from groundtrace.shapes.errors import error_of, said_in
from groundtrace.shapes.http_answer import HttpAnswer, answer_in, answer_of, object_in
from groundtrace.shapes.http_status import kind_of_status
from groundtrace.shapes.shape import Body, Inner, Shape, Told
from groundtrace.text import cut, is_blank

SAID_CHARACTERS = 500

_LOGIN = re.compile(r"(?:^|[/._-])(?:log-?in|sign-?in|sso|oauth2?|saml2?|auth(?:enticate|orize)?)(?:$|[/._?#-])", re.I)
_PAGE = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>([^<]{1,200})", re.I)
_HEAD = 4_096
_JSON_CHARACTERS = 1024 * 1024

# How `encode` ends a text that is longer than it keeps.
_LEFT_OUT = " characters left out]"

_LINES = frozenset({"application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-seq"})
"""Types whose bodies are many values, and no whole one."""

_NO_CONTENT = frozenset({204, 205})
_PARTS = {
    202: "status 202: accepted, and not finished yet",
    206: "status 206: a part of the content",
    207: "status 207: several answers, each with a status of its own",
}


def http_outcome(answer: HttpAnswer, /, *, inner: Inner, output: Output | None = None) -> outcomes.Outcome:
    """Return what an HTTP answer amounts to; `inner` reads its body, `output` is kept in its place where given.

    4xx and 5xx are failures of the kind that the status says, with what the body says and `retry-after`. A redirect
    that was not followed is one; so are an error that the body declares, and a page or broken text where JSON was
    asked for or announced. 204 is no evidence; a body that nobody has read is none either.
    """
    kept = _output(answer) if output is None else output
    if (kind := kind_of_status(answer.status)) is not None:
        return failed(kind, _refusal(answer), kept)
    if 300 <= answer.status <= 399:
        return _redirect(answer, kept)
    if answer.status in _NO_CONTENT or answer.method.upper() == "HEAD":
        return found(kept, some=False)
    if answer.body is None or answer.status < 200:
        return unread("the body of the answer was not read when the call returned")
    return _unwanted(answer, kept) or _of_content(answer, inner)


def _of_content(answer: HttpAnswer, inner: Inner) -> outcomes.Outcome:
    form = _json_of(answer)
    error, marks = (error_of(form) if form else None), _marks(answer)
    told = inner(answer.body)
    if error is None or isinstance(told, outcomes.Failure):
        return marked(told, marks)
    if error.beside:
        return marked(told, (*marks, cut(error.message, SAID_CHARACTERS)))
    return failed(error.kind, f"status {answer.status}, and the body says: {error.message}", _output(answer))


def _unwanted(answer: HttpAnswer, output: Output) -> outcomes.Failure | None:
    """Return the failure of an answer that is not what was asked for, or not what it says that it is."""
    announced = _is_json(answer.content_type)
    wanted = announced or (_wants_json(answer.accepts) and answer.content_type not in _LINES)
    page = answer.content_type == "text/html" or _PAGE.match(answer.text[:_HEAD]) is not None
    login = answer.redirected and _LOGIN.search(_place(answer.url)) is not None
    if page and (wanted or login):
        title = _title(answer.text)
        login = login or _LOGIN.search(title.replace(" ", "-")) is not None
        kind = FailureKind.DENIED if login else FailureKind.BAD_OUTPUT
        return failed(kind, f"status {answer.status}, but a page{_named(title)} in place of data", output)
    if wanted and isinstance(answer.body, str | bytes) and (fault := _broken(answer.text)):
        return failed(FailureKind.BAD_OUTPUT, f"status {answer.status}, but the body is no whole JSON: {fault}", output)
    return None


def _broken(text: str) -> str:
    """Return why a text is no JSON, empty where it is; of a long one only its two ends are looked at."""
    if is_blank(text) or text.endswith(_LEFT_OUT):
        return ""
    if len(text) > _JSON_CHARACTERS:
        ends = text.lstrip()[:1] + text.rstrip()[-1:]
        return "" if ends in ("{}", "[]", '""') else "it is cut off"
    try:
        json.loads(text)
    except RecursionError:
        return "it is nested too deep"
    except ValueError as fault:
        return f"{fault}"
    return ""


def _redirect(answer: HttpAnswer, output: Output) -> outcomes.Outcome:
    if answer.status == 304:
        return unread("status 304: unchanged since it was asked for last, and not sent again", output)
    place = _place(answer.headers.get("location", ""))
    kind = FailureKind.DENIED if _LOGIN.search(place) else FailureKind.ERROR
    return failed(kind, f"status {answer.status}: redirected to {place or 'no place'}, and not followed", output)


def _refusal(answer: HttpAnswer) -> str:
    status = f"status {answer.status} {answer.reason}".rstrip()
    later = answer.headers.get("retry-after", "").strip()
    wait = f"; retry after {later}{' s' if later.isdigit() else ''}" if later else ""
    said = _said(answer)
    return f"{status}{wait}: {said}" if said else f"{status}{wait}"


def _said(answer: HttpAnswer) -> str:
    form = _json_of(answer)
    if form and (words := said_in(form)):
        return cut(words, SAID_CHARACTERS)
    title = _title(answer.text)
    return title or cut(answer.text.strip(), SAID_CHARACTERS)


def _json_of(answer: HttpAnswer) -> Body:
    text = answer.text
    if not text or len(text) > _JSON_CHARACTERS or text.lstrip()[:1] != "{":
        return object_in(answer.body)
    try:
        return members(encode(json.loads(text)))
    except (ValueError, RecursionError):
        return {}


def _marks(answer: HttpAnswer) -> tuple[str, ...]:
    mark = _PARTS.get(answer.status)
    return () if mark is None else (mark,)


def _output(answer: HttpAnswer) -> Output:
    body = answer.body
    return body if isinstance(body, str | bytes) else "" if body is None else output_of(body)


def _place(url: str) -> str:
    """Return a URL without its query, which may hold what nobody shall read."""
    return cut(re.split(r"[?#]", url, maxsplit=1)[0], SAID_CHARACTERS)


def _title(text: str) -> str:
    title = _TITLE.search(text[:_HEAD])
    return " ".join(title[1].split()) if title else ""


def _named(title: str) -> str:
    return f' "{title}"' if title else ""


def _is_json(content_type: str) -> bool:
    return content_type == "application/json" or content_type.endswith("+json")


def _wants_json(accepts: str) -> bool:
    """Tell whether nothing but JSON was asked for."""
    types = [part.partition(";")[0].strip().lower() for part in accepts.split(",")]
    return all(_is_json(one) for one in types)


def _read_object(value: object, inner: Inner) -> outcomes.Outcome | None:
    answer = answer_of(value)
    return None if answer is None else http_outcome(answer, inner=inner)


def _read_body(body: Body, told: Told) -> outcomes.Outcome | None:
    answer = answer_in(body, named=told.named)
    return None if answer is None else http_outcome(answer, inner=told.inner)


def _expecting_json(value: object, inner: Inner) -> outcomes.Outcome | None:
    answer = answer_of(value)
    return None if answer is None else http_outcome(_for_json(answer), inner=inner)


def _body_expecting_json(body: Body, told: Told) -> outcomes.Outcome | None:
    answer = answer_in(body, named=told.named) if told.named else None
    return None if answer is None else http_outcome(_for_json(answer), inner=told.inner)


def _for_json(answer: HttpAnswer) -> HttpAnswer:
    return replace(answer, accepts="application/json")


_TYPES = (
    "httpx.Response",
    "httpx2.Response",
    "requests.Response",
    "aiohttp.ClientResponse",
    "urllib3.HTTPResponse",
    "http.HTTPResponse",
    "niquests.Response",
    "curl_cffi.Response",
)
_NAMES = frozenset({"headers"})
HTTP = Shape(name="http", types=_TYPES, members=_NAMES, read_object=_read_object, read_body=_read_body)
HTTP_JSON = Shape(name="http_json", members=_NAMES, read_object=_expecting_json, read_body=_body_expecting_json)
