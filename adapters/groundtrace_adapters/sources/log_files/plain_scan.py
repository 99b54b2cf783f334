"""Searches one plain-text log file: blocks first, lines only where something is hit."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from groundtrace_adapters.sources.file_blocks import Reading, blocks
from groundtrace_adapters.sources.log_files.entry_fields import fields_of_line
from groundtrace_adapters.sources.log_files.lines import hits, last_entry
from groundtrace_adapters.sources.log_files.matching import Matcher, literal_matcher
from groundtrace_adapters.sources.log_files.search import Search
from groundtrace_adapters.sources.log_files.window_skip import may_hold
from groundtrace_adapters.sources.timestamps import Clockwork, leading_time

_STEPS = 64
_ESCAPED = frozenset('"\\\n')


def scan_plain(
    path: Path,
    search: Search,
    clockwork: Clockwork,
    reading: Reading,
    /,
    *,
    name: str,
    stamped: bool,
    start: int = 0,
) -> None:
    """Offer the file's matching entries to the search; raises OSError, stops early when the budget is spent."""
    matcher = search.matcher or _value_matcher(search)
    scan = _Scan(name=name, search=search, clockwork=clockwork, matcher=matcher, stamped=stamped, reading=reading)
    wanted = matcher.may_be_in if matcher is not None and matcher.is_visible else None
    for block in blocks(path, partial(last_entry, stamped=stamped), reading, start=start, wanted=wanted):
        scan.block(block)
        if search.budget.spent():
            break
    passed = reading.lines.passed() if reading.lines is not None else None
    search.count(None if passed is None else passed + reading.unended)


@dataclass(slots=True, kw_only=True)
class _Scan:
    """The way through one file."""

    name: str
    search: Search
    clockwork: Clockwork
    matcher: Matcher | None
    stamped: bool
    reading: Reading
    accounted: int = 0

    def block(self, block: bytes) -> None:
        self.search.budget.read += self.reading.unpacked - self.accounted
        self.accounted = self.reading.unpacked
        if not block:
            return
        found = () if self._is_outside(block) else hits(block, self.matcher, stamped=self.stamped)
        for step, (start, end, hit) in enumerate(found):
            if step % _STEPS == 0 and self.search.budget.spent():
                break
            if hit >= 0:
                self._entry(block, start, end, hit)

    def _is_outside(self, block: bytes) -> bool:
        """Tell whether no entry of the block can matter any more, where that is quicker than to look at each."""
        start, end = self.search.taker.open_window()
        if not self.stamped or (start is None and end is None):
            return False
        if self.matcher is not None and (self.matcher.by_entry or self.matcher.candidate(block, 0) is None):
            return False
        outside = not may_hold(block, start, end, self.clockwork)
        if outside and (start, end) != (self.search.query.start, self.search.query.end):
            self.search.taker.uncounted = True
        return outside

    def _entry(self, block: bytes, start: int, end: int, hit: int) -> None:
        at = leading_time(block, self.clockwork, at=start) if self.stamped else None
        if at is not None and not self.search.taker.in_window(at):
            return
        entry = block[start:end]
        if entry.isspace() or (self.search.wanted and not self.search.has_fields(_fields(entry))):
            return
        origin = partial(self._origin, block, start)
        self.search.take(at, entry, hit - start, origin=origin, fields=partial(_fields, entry))

    def _origin(self, block: bytes, start: int) -> str:
        line = None if self.reading.lines is None else self.reading.lines.line_at(block, start)
        return self.name if line is None else f"{self.name}:{line}"


def _fields(entry: bytes) -> dict[str, str]:
    return fields_of_line(entry[:16_384].decode(errors="replace"))


def _value_matcher(search: Search) -> Matcher | None:
    """Return a search for the longest value that is asked for: an entry without it cannot have the field."""
    values = [value for value in search.wanted.values() if value and not _ESCAPED & set(value)]
    return literal_matcher(max(values, key=len)) if values else None
