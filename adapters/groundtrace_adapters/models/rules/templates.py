"""Log entries of one form: what stays the same while times, ids and numbers change. Pure."""

import re

from groundtrace_adapters.models.rules.evidence import LogUnit

_VARYING = re.compile(
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b|[^\s\[\](),]*\d[^\s\[\](),]*", re.ASCII
)
_SEVERE = re.compile(r"\b(?:ERROR|FATAL|PANIC|CRITICAL|SEVERE)\b|\b(?:error|fatal|panic|exception):", re.ASCII)
_UNCLOSED = re.compile(r"(?<=\S)[\[({][^\])}]{0,20}$")
_LEVELS = frozenset("error fatal panic critical severe emergency alert crit err".split())
_TELLING = 15
LONGEST = 160
"""The longest quoted fragment, in characters."""


def fragment_of(text: str, /) -> str:
    """Return what entries of one form share word for word: the longest stretch of the first line without what
    varies.

    A stretch that names a severity is preferred; at most 160 characters.
    """
    pieces = [piece.strip(" \t,;:-") for piece in _VARYING.split(_first_line(text).replace("`", "\n"))]
    parts = [part.strip() for piece in pieces for part in piece.split("\n")]
    severe = [part for part in parts if _SEVERE.search(part) and len(part) >= _TELLING]
    best = _UNCLOSED.sub("", max(severe or parts, key=len, default="")).strip(" \t,;:-")
    if len(best) <= LONGEST:
        return best
    return best[:LONGEST].rsplit(" ", 1)[0]


def is_severe(log: LogUnit, /) -> bool:
    """Tell whether an entry's own level, or its first line, calls it an error or worse."""
    level = log.fields.get("level", "").casefold()
    return level in _LEVELS if level else _SEVERE.search(_first_line(log.text)) is not None


def _first_line(text: str) -> str:
    return " ".join(text.strip().split("\n", 1)[0].split())
