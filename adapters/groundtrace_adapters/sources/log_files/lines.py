"""Where plain-text entries begin and end in a block of whole lines, and which of them a pattern hits.

Whole blocks are searched first; lines are looked at only around a hit. A block is cut at an entry's beginning, so every
hit has its whole entry around it.
"""

from collections.abc import Iterator

from groundtrace_adapters.sources.log_files.matching import Matcher
from groundtrace_adapters.sources.timestamps import starts_with_time

_LINE_FEED = 10
_CONTINUES = (b"Caused by:", b"Suppressed:", b"... ")
_TRACEBACK = b"Traceback (most recent call last)"


def begins_entry(data: bytes, at: int, /, *, stamped: bool) -> bool:
    """Tell whether the line at offset `at` begins an entry.

    In a stamped file a line does that by its time. Elsewhere every line does, but one that is indented, that goes on
    with a stack trace, or that ends a Python traceback.
    """
    if stamped:
        return starts_with_time(data, at)
    if data[at : at + 1] in (b" ", b"\t") or data.startswith(_CONTINUES, at):
        return False
    return not _ends_traceback(data, at)


def entry_start(data: bytes, at: int, /, *, stamped: bool) -> int:
    """Return the beginning of the entry that offset `at` lies in; 0 if the block begins inside it."""
    start = data.rfind(b"\n", 0, at) + 1
    while start > 0 and not begins_entry(data, start, stamped=stamped):
        start = data.rfind(b"\n", 0, start - 1) + 1
    return start


def entry_end(data: bytes, at: int, /, *, stamped: bool) -> int:
    """Return the offset behind the entry that offset `at` lies in: the beginning of the next, or the block's end."""
    while (ending := data.find(b"\n", at)) >= 0:
        at = ending + 1
        if at < len(data) and begins_entry(data, at, stamped=stamped):
            return at
    return len(data)


def last_entry(data: bytes, /, *, stamped: bool) -> int:
    """Return the beginning of the last entry that has a whole line in `data`: it may go on in what follows."""
    whole = data.rfind(b"\n")
    return 0 if whole < 0 else entry_start(data, whole, stamped=stamped)


def hits(data: bytes, matcher: Matcher | None, /, *, stamped: bool) -> Iterator[tuple[int, int, int]]:
    """Yield beginning, end and place of the hit of each entry that matches (every entry without a matcher).

    A candidate that turns out not to match is yielded with the place -1, so that a caller can look at the clock.
    """
    if matcher is None or matcher.by_entry:
        return _each(data, matcher, stamped=stamped)
    return _found(data, matcher, stamped=stamped)


def _found(data: bytes, matcher: Matcher, *, stamped: bool) -> Iterator[tuple[int, int, int]]:
    at = 0
    while at < len(data) and (span := matcher.candidate(data, at)) is not None:
        # Behind the last line feed is no entry, though an expression may match nothing there.
        place = min(span[0], len(data) - 1)
        start = max(at, entry_start(data, place, stamped=stamped))
        end = entry_end(data, place, stamped=stamped)
        # The leftmost match of the block may reach into the next entry: each entry must match by itself.
        found = matcher.find(data, start, _without_ending(data, start, end))
        matcher.learn(hit=found is not None, overran=span[1] > end)
        yield start, end, -1 if found is None else found[0]
        at = end


def _each(data: bytes, matcher: Matcher | None, *, stamped: bool) -> Iterator[tuple[int, int, int]]:
    at = 0
    while at < len(data):
        end = entry_end(data, at, stamped=stamped)
        if matcher is None:
            yield at, end, at
        else:
            entry = data[at : _without_ending(data, at, end)]
            found = matcher.find(entry, 0, len(entry))
            yield at, end, -1 if found is None else at + found[0]
        at = end


def _without_ending(data: bytes, start: int, end: int) -> int:
    while end > start and data[end - 1] == _LINE_FEED:
        end -= 1
    return end


def _ends_traceback(data: bytes, at: int) -> bool:
    """Tell whether an unindented line follows the indented lines of a Python traceback."""
    above = data.rfind(b"\n", 0, max(0, at - 1)) + 1
    if at == 0 or data[above : above + 1] not in (b" ", b"\t"):
        return False
    while above > 0 and data[above : above + 1] in (b" ", b"\t"):
        above = data.rfind(b"\n", 0, above - 1) + 1
    return data.startswith(_TRACEBACK, above)
