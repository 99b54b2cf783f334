"""Whole texts that hold nothing: sentences of absence, tables without a row, reports with nothing to report.

More is taken for nothing here than where a tool is recorded live: an importer has no better witness. It only lowers.
"""

import re

from groundtrace.emptiness import says_nothing
from groundtrace.inference.absence_texts import ABSENCE, FRAMES
from groundtrace.inference.bare_tables import is_bare_table
from groundtrace.inference.call import Call
from groundtrace.text import is_blank

LONGEST = 400
"""The longest sentence of absence, in characters."""

LONGEST_REPORT = 4_000

_BRACKETS = "()[]<>*_`\"'-=# \t"
_BARE_ELEMENT = re.compile(r"\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<(\w[\w:.-]{0,60})(?:\s[^<>]{0,300})?(?:/>|>\s*</\1>)\s*")
_ENDS = re.compile(r"(?<=[.!;])\s+")
_FAULT = re.compile(
    r"\b(?:issues?|errors?|problems?|warnings?|failures?|faults?|vulnerabilit(?:y|ies)|violations?|conflicts?"
    r"|differences?|changes?|anomal(?:y|ies)|bugs?)\b",
    re.IGNORECASE,
)
_RULER = re.compile(r"[=*#_─━-]{8,}")
_RESULT = re.compile(r"(?:results?|matches|found|hits|returned|outcome) ?: ?(?P<told>[^\n]{1,300})", re.IGNORECASE)


def is_absence(text: str, /) -> bool:
    """Tell whether a whole text is one sentence that says that nothing was found."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines or len(lines) > 2 or len(text) > LONGEST:
        return False
    return all(_is_sentence(line) for line in lines)


def shows_nothing(text: str, call: Call, /) -> bool:
    """Tell whether a whole text is blank, a sentence of absence, a table without a row, or a report of nothing.

    That a tool which looks for faults found none is its answer, and no absence of one.
    """
    if len(text) > LONGEST_REPORT or (call.checks and len(text) <= LONGEST and _FAULT.search(text) is not None):
        return False
    if call.prints and not is_blank(text):
        return False
    return (
        is_blank(text)
        or says_nothing(text)
        or is_absence(text)
        or is_bare_table(text)
        or _is_bare_report(text)
        or _BARE_ELEMENT.fullmatch(text) is not None
    )


def _is_sentence(line: str) -> bool:
    """Tell whether a line says that there is nothing, in one sentence or beside others that only frame it."""
    if _says_absence(line):
        return True
    parts = _ENDS.split(line)
    told = [part for part in parts if not FRAMES.knows(part.strip(_BRACKETS))]
    return len(parts) > 1 and bool(told) and all(_says_absence(part) for part in told)


def _says_absence(line: str) -> bool:
    forms = (line.strip(_BRACKETS).rstrip(".!… "), line.strip().rstrip(".!… "))
    return says_nothing(line) or any(ABSENCE.knows(form) for form in forms)


def _is_bare_report(text: str) -> bool:
    """Tell whether a text between two rulers says, in a line `Result: ...` of its own, that nothing was found."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if len(lines) < 3 or not (_RULER.fullmatch(lines[0]) and _RULER.fullmatch(lines[-1])):
        return False
    told = [match["told"] for line in lines if (match := _RESULT.fullmatch(line))]
    return bool(told) and all(_is_sentence(one) for one in told)
