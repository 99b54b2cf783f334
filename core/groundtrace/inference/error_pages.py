"""Pages of HTML that a server sends in place of an answer: an error by its title, a way to log in."""

import re

_HTML = re.compile(r"\s*\"?\s*(?:<!doctype html|<html|<\?xml|<head)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,100}>\s*(?P<title>[^<]{1,200}?)\s*</title>", re.IGNORECASE)
_HEADING = re.compile(r"<h1[^>]{0,100}>\s*(?P<title>[^<]{1,200}?)\s*</h1>", re.IGNORECASE)
_BAD = re.compile(
    r"(?:error:? ?)?(?:(?:http )?(?:error )?[45]\d\d\b.{0,100}|bad request|unauthorized|forbidden|not found"
    r"|access denied|method not allowed|request timeout|too many requests|internal server error|bad gateway"
    r"|service (?:temporarily )?unavailable|gateway time-?out|error(?: response| page)?|page not found|server error"
    r"|attention required!.{0,60}|just a moment\.{0,3}|(?:please )?(?:log|sign)[ -]?in\b.{0,60}"
    r"|authentication required)",
    re.IGNORECASE,
)
_HEAD = 4_000


_FAULT = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<(?:\w+:)?(?:Error|ErrorResponse|Fault|ServiceException\w*|Exception)\b"
    r"|<(?:\w+:)?Envelope\b[^>]{0,500}>\s*(?:<(?:\w+:)?Header.{0,500}?)?<(?:\w+:)?Body[^>]{0,200}>\s*<(?:\w+:)?Fault\b)",
    re.DOTALL,
)
_REASON = re.compile(
    r"<(?:\w+:)?(?:message|faultstring|text|reason|description)[^>]{0,100}>\s*(?P<said>[^<]{1,300})", re.IGNORECASE
)


def error_page(text: str, /) -> str | None:
    """Return the title of a whole page that is an error or a login, None for every other text."""
    head = text[:_HEAD]
    if _FAULT.match(head) is not None:
        said = _REASON.search(head)
        return "a body of XML that is an error" if said is None else said["said"].strip()
    if _HTML.match(head) is None:
        return None
    found = _TITLE.search(head) or _HEADING.search(head)
    return found["title"] if found is not None and _BAD.fullmatch(found["title"]) else None
