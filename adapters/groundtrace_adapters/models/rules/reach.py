"""Which entries a question is about, of all the shown rows, where some search is sure to have found every one."""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta

from groundtrace_adapters.models.rules.asking import Wanted, is_open
from groundtrace_adapters.models.rules.concern import concerns_any
from groundtrace_adapters.models.rules.counts import OURS
from groundtrace_adapters.models.rules.entities import Mention
from groundtrace_adapters.models.rules.evidence import LogUnit, Row
from groundtrace_adapters.models.rules.moments import Window, days_around
from groundtrace_adapters.models.rules.subject import Subject
from groundtrace_adapters.models.rules.symptoms import SEVERE

_SLACK = timedelta(seconds=5)
Key = tuple[str, str, str]
"""What tells one entry from another across rows."""


def key_of(log: LogUnit, /) -> Key:
    """Return what tells an entry from others, in whichever row it stands."""
    return (log.origin, str(log.at), log.text)


def own_pattern(root: str, /) -> str:
    """Return the expression that finds every entry with a root of a word of the question."""
    return f"(?i){re.escape(root)}"


def entries_of(rows: Iterable[Row], subject: Subject, wanted: Wanted, /) -> dict[Key, LogUnit] | None:
    """Return every wanted entry in the asked time as written; None where no shown search must hold them all."""
    held = [row for row in rows if row.logs]
    sought: Sequence[Mention | None] = subject.names or (None,)
    sure = [row for row in held if row.complete and covers(row, subject) and _finds(row, subject, wanted)]
    if not wanted or not all(any(_is_open_to(row, mention) for row in sure) for mention in sought):
        return None
    return {key_of(log): log for row in held for log in row.logs if _is_meant(log, subject, wanted)}


def covers(row: Row, subject: Subject, /) -> bool:
    """Tell whether a call looked at the whole asked time; where none is asked, at everything."""
    if not row.params.get("start") and not row.params.get("end"):
        return True
    searched = row.searched()
    if searched is None or not subject.asked or any(is_open(asked) for asked in subject.asked):
        return False
    windows = [[asked.on(day) for day in days_around(searched.start)] for asked in subject.asked]
    return all(any(_holds(searched, window) for window in of_asked) for of_asked in windows)


def _holds(searched: Window, window: Window) -> bool:
    return searched.start <= window.start + _SLACK and window.end <= searched.end + _SLACK


def _finds(row: Row, subject: Subject, wanted: Wanted) -> bool:
    """Tell whether a call's pattern must hit every wanted entry."""
    pattern = row.params.get("pattern")
    if not pattern:
        return True
    if not isinstance(pattern, str):
        return False
    if not row.params.get("regex"):
        names = {name.value for mention in subject.names for name in mention.names}
        return pattern in names or (pattern.isdigit() and pattern in wanted.roots)
    return finds_every(pattern, wanted)


def finds_every(pattern: str, wanted: Wanted, /) -> bool:
    """Tell whether an expression of ours must hit every wanted entry."""
    if wanted.severe and pattern == SEVERE:
        return True
    if pattern in OURS:
        return any(re.search(pattern, root) for root in wanted.roots)
    return pattern in {own_pattern(word) for word in (*wanted.roots, *wanted.identifiers)}


def _is_open_to(row: Row, mention: Mention | None) -> bool:
    values = {name.value for name in mention.names} if mention else set()
    return all(value in values for value in row.filters().values())


def _is_meant(log: LogUnit, subject: Subject, wanted: Wanted) -> bool:
    return subject.in_time_exactly(log.at) and concerns_any(log, subject.names) and wanted.has(log)
