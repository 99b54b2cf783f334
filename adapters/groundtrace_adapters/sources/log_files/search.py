"""One search on its way through the files: what is looked for, what is found so far, and what was not seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from groundtrace.sources import LogEntry, LogQuery
from groundtrace.text import clean
from groundtrace_adapters.sources.field_names import canonical_name
from groundtrace_adapters.sources.log_files.budget import Budget
from groundtrace_adapters.sources.log_files.entry_text import shown
from groundtrace_adapters.sources.log_files.line_counts import LineCounts
from groundtrace_adapters.sources.log_files.matching import Matcher
from groundtrace_adapters.sources.log_files.selection import Build, Hold

_HELD_BYTES = 8 * 1024


class Taker(Protocol):
    """Takes entries that match: a selection for an answer, or a look at what there is."""

    untimed: int
    uncounted: bool

    def open_window(self) -> tuple[datetime | None, datetime | None]:
        """Return the window in which an entry still matters; who passes over others sets `uncounted`."""

    def in_window(self, at: datetime | None, /) -> bool:
        """Tell whether an entry of that time is wanted."""

    def offer(self, at: datetime | None, hold: Hold, /) -> None:
        """Take an entry; `hold` is called at once if it is chosen, and gives what makes it."""


@dataclass(slots=True, kw_only=True)
class Search:
    """The state of one search.

    `scanned` counts entries (lines, where plain text is searched without splitting it); it is None as soon as it would
    have taken longer to count them than to search them.
    """

    query: LogQuery
    matcher: Matcher | None
    budget: Budget
    taker: Taker
    counts: LineCounts = field(default_factory=LineCounts)
    wanted: Mapping[str, str] = field(init=False)
    scanned: int | None = 0

    def __post_init__(self) -> None:
        """Prepare the field filter."""
        self.wanted = {canonical_name(name): value for name, value in self.query.fields.items()}

    def count(self, entries: int | None, /) -> None:
        """Take note of entries that were searched; None where nobody counted them."""
        self.scanned = None if entries is None or self.scanned is None else self.scanned + entries

    def has_fields(self, fields: Mapping[str, str], /) -> bool:
        """Tell whether all fields asked for are there with equal values."""
        return all(fields.get(name) == value for name, value in self.wanted.items())

    def take(
        self,
        at: datetime | None,
        text: bytes,
        hit: int,
        /,
        *,
        origin: Callable[[], str],
        fields: Callable[[], Mapping[str, str]],
    ) -> None:
        """Take an entry that matches the pattern and the fields, if it is in the window; `origin` tells its place."""
        if not self.taker.in_window(at):
            self.taker.untimed += at is None
            return

        def hold() -> Build:
            place = clean(origin())

            def build() -> tuple[LogEntry, bool]:
                words, shortened = shown(text, hit)
                return LogEntry(at=at, text=words, origin=place, fields=dict(fields())), shortened

            if len(text) <= _HELD_BYTES:
                return build
            made = build()
            return lambda: made

        # Most entries are never shown: they are made at the end. A long one is made at once, so as not to hold it.
        self.taker.offer(at, hold)

    def place(self, text: str, fields: Mapping[str, str], /) -> int | None:
        """Return where a pattern hits a record's text (0 for a hit in one of its fields), None if it does not match."""
        if self.matcher is None:
            return 0
        data = text.encode(errors="replace")
        found = self.matcher.find(data, 0, len(data))
        if found is not None:
            return found[0]
        return 0 if any(self.matcher.holds(value) for value in fields.values()) else None
