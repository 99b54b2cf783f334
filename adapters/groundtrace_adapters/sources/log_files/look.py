"""A bounded look at log files: which fields and values they hold, and from when to when they reach."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path

from groundtrace.sources import Description, LogEntry, LogQuery
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS
from groundtrace_adapters.sources.log_files.budget import Budget, LogBounds
from groundtrace_adapters.sources.log_files.formats import LogFormat, LogKind
from groundtrace_adapters.sources.log_files.one_file import search_file
from groundtrace_adapters.sources.log_files.search import Search
from groundtrace_adapters.sources.log_files.selection import Hold

LOOK_BYTES = 8 * 1024 * 1024
"""How much is looked at in all; of a larger file its beginning and end."""

LOOK_SECONDS = 5.0

_LEAST_BYTES = 128 * 1024
_MOST_VALUES = 200
_MOST_ENTITIES = 2_000
_MOST_FIELDS = 40
_MOST_CODES = 20
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?[a-zA-Z%]{0,3}")


@dataclass(slots=True, kw_only=True)
class Look:
    """Takes every entry and keeps distinct values of fields, and the first and last time."""

    values: dict[str, set[str]] = field(default_factory=dict)
    earliest: datetime | None = None
    latest: datetime | None = None
    untimed: int = 0
    uncounted: bool = False

    def open_window(self) -> tuple[datetime | None, datetime | None]:
        """Every entry matters."""
        return None, None

    def in_window(self, at: datetime | None, /) -> bool:
        """Take every entry."""
        del at
        return True

    def offer(self, at: datetime | None, hold: Hold, /) -> None:
        """Take note of one entry."""
        del at
        entry, _ = hold()()
        self.note(entry)

    def note(self, entry: LogEntry, /) -> None:
        """Take note of an entry's time and fields."""
        at = entry.at
        if at is not None:
            self.earliest = at if self.earliest is None else min(at, self.earliest)
            self.latest = at if self.latest is None else max(at, self.latest)
        for name, value in entry.fields.items():
            known = self.values.setdefault(name, set()) if len(self.values) < 4 * _MOST_FIELDS else set()
            if len(known) <= _MOST_ENTITIES:
                known.add(value)

    def entities(self) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
        """Return fields with few values, and in words which were cut; ids and measures are no entities."""
        found: dict[str, tuple[str, ...]] = {}
        cut: list[str] = []
        for name in sorted(self.values, key=lambda one: (one not in ENTITY_FIELDS, one)):
            known = self.values[name]
            if len(known) > _MOST_ENTITIES and name in ENTITY_FIELDS:
                cut.append(f"only {_MOST_ENTITIES:,} values of {name} are listed")
            if name in ENTITY_FIELDS or (len(known) <= _MOST_VALUES and not _measures(known)):
                found[name] = tuple(sorted(known)[:_MOST_ENTITIES])
        return dict(sorted(list(found.items())[:_MOST_FIELDS])), tuple(cut)


def look_at(
    files: Sequence[tuple[Path, LogFormat]], /, *, name: str, revision: str, zone: tzinfo, unseen: Sequence[str] = ()
) -> Description:
    """Return what a bounded look at the files shows."""
    look = Look()
    told = list(unseen)
    share = _share([_size(path) for path, _ in files])
    budget = Budget(bounds=LogBounds(seconds=LOOK_SECONDS))
    for number, (path, how) in enumerate(files):
        if budget.spent():
            told.append(f"only {number:,} of {len(files):,} files were looked at for this description")
            break
        told += _look_at_one(path, how, look, share=share, zone=zone)
    entities, cut = look.entities()
    return Description(
        name=name,
        entities=entities,
        earliest=look.earliest,
        latest=look.latest,
        revision=revision,
        unseen=(*told, *cut),
    )


def _look_at_one(path: Path, how: LogFormat, look: Look, *, share: int, zone: tzinfo) -> tuple[str, ...]:
    size = _size(path)
    whole = size <= share and not _packed(path)
    ends = how.kind is not LogKind.CSV and not whole and not _packed(path)
    search = _search(look, share // 2 if ends else share)
    unseen = search_file(path, how, search, name=path.name, zone=zone)
    if ends:
        search_file(path, how, _search(look, share), name=path.name, zone=zone, start=size - share // 2)
    if not whole and search.budget.spent():
        part = "its beginning and end were" if ends else "its beginning was"
        return (*unseen, f"of {path.name} only {part} looked at for this description")
    return unseen


def _measures(values: set[str]) -> bool:
    """Tell whether values are measured or counted, not chosen: fractions, or many different numbers."""
    numbers = all(_NUMBER.fullmatch(value) for value in values)
    return numbers and (len(values) > _MOST_CODES or any("." in value for value in values))


def _share(sizes: list[int]) -> int:
    """Return how much of each file may be looked at: what small files leave over goes to the larger ones."""
    left = LOOK_BYTES
    for number, size in enumerate(sorted(sizes)):
        fair = left // (len(sizes) - number)
        if size > fair:
            return max(_LEAST_BYTES, fair)
        left -= size
    return LOOK_BYTES


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _packed(path: Path) -> bool:
    return path.suffix == ".gz"


def _search(look: Look, size: int) -> Search:
    bounds = LogBounds(unpacked_bytes=size, seconds=LOOK_SECONDS)
    return Search(query=LogQuery(limit=1), matcher=None, budget=Budget(bounds=bounds), taker=look)
