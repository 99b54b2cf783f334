"""Whole texts that hold nothing: sentences of absence, tables without a row, reports with nothing to report.

More is taken for nothing here than where a tool is recorded live: an importer has no better witness. It only lowers.
"""

import re

from groundtrace.emptiness import says_nothing
from groundtrace.inference.absence_texts import ABSENCE
from groundtrace.inference.bare_tables import is_bare_table
from groundtrace.text import is_blank

LONGEST = 400
"""The longest sentence of absence, in characters."""

LONGEST_REPORT = 4_000

_RULER = re.compile(r"[=*#_─━-]{8,}")
_RESULT = re.compile(r"(?:results?|matches|found|hits|returned|outcome) ?: ?(?P<told>[^\n]{1,300})", re.IGNORECASE)


def is_absence(text: str, /) -> bool:
    """Tell whether a whole text is one sentence that says that nothing was found."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines or len(lines) > 2 or len(text) > LONGEST:
        return False
    return all(_is_sentence(line) for line in lines)


def shows_nothing(text: str, /) -> bool:
    """Tell whether a whole text is blank, a sentence of absence, a table without a row, or a report of nothing."""
    if len(text) > LONGEST_REPORT:
        return False
    return is_blank(text) or says_nothing(text) or is_absence(text) or is_bare_table(text) or _is_bare_report(text)


def _is_sentence(line: str) -> bool:
    plain = line.strip("()[]<>*_`\"' \t").rstrip(".!… ")
    return says_nothing(line) or ABSENCE.knows(plain)


def _is_bare_report(text: str) -> bool:
    """Tell whether a text between two rulers says, in a line `Result: ...` of its own, that nothing was found."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if len(lines) < 3 or not (_RULER.fullmatch(lines[0]) and _RULER.fullmatch(lines[-1])):
        return False
    told = [match["told"] for line in lines if (match := _RESULT.fullmatch(line))]
    return bool(told) and all(_is_sentence(one) for one in told)
