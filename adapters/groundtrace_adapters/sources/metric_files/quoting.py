"""Quoted strings as OpenMetrics, Prometheus text and PromQL write them. Pure."""

import re

QUOTED = r'"(?:[^"\\\n]++|\\.)*+"'
"""A double-quoted string with backslash escapes, as a regular expression that never goes back over what it read."""

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r"}


def unquoted(text: str, /) -> str:
    """Return what a quoted string means; an unknown escape keeps its backslash, a back-quoted string is raw."""
    if text.startswith("`"):
        return text[1:-1]
    return _ESCAPE.sub(_meaning, text[1:-1]) if "\\" in text else text[1:-1]


def _meaning(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    mark = found[3]
    return _NAMED.get(mark, mark if mark in "\\\"'" else f"\\{mark}")
