"""Values that a peer wrote as Python does, `{'found': None}`, read as the JSON value that they were."""

import json
import re

from groundtrace.encoding import encode
from groundtrace.json_text import JsonValue

LONGEST = 64 * 1024
"""Longer texts are not read: what stands in them is an answer in any case."""

# A text without an end runs to the end of all: so the search stays linear, and what comes out is no JSON.
_TOKEN = re.compile(
    r"'((?:[^'\\]|\\.)*+)(?:'|\Z)|\"((?:[^\"\\]|\\.)*+)(?:\"|\Z)|\b(None|True|False|nan|inf)\b", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|U0*([0-9a-fA-F]{1,6})|(.))|\"", re.DOTALL)
_WORDS = {"None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}
_PLAIN = {"n": "\\n", "t": "\\t", "r": "\\r", "b": "\\b", "f": "\\f", "u": "\\u", "\\": "\\\\", "/": "/", '"': '\\"'}


def form_of(text: str, /) -> JsonValue:
    """Return the object, list or text that a whole text writes as JSON or as Python, None where it writes none."""
    start = text.lstrip()[:1]
    if len(text) > LONGEST or start not in ("{", "[", '"'):
        return None
    read = _loaded(text)
    return _loaded(_TOKEN.sub(_as_json, text)) if read is None and start != '"' else read


def _loaded(text: str) -> JsonValue:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return encode(value) if isinstance(value, dict | list | str) else None


def _as_json(token: re.Match[str]) -> str:
    if token[3] is not None:
        return _WORDS[token[3]]
    inner = token[1] if token[1] is not None else token[2]
    return f'"{_ESCAPE.sub(_escape, inner)}"'


def _escape(found: re.Match[str]) -> str:
    if found[0] == '"':
        return '\\"'
    if found[1] is not None:
        return f"\\u00{found[1]}"
    if found[2] is not None:
        return json.dumps(chr(min(int(found[2], 16), 0x10FFFF)))[1:-1]
    return _PLAIN.get(found[3], found[3])
