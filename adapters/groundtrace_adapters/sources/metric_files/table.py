"""Reads CSV tables as series: one column of times, text columns as labels, each numeric column a metric of its name.

Where several columns hold times, epoch numbers are preferred to text. A unit in parentheses stays part of the name,
`CpuUsage(m)`, and is told as the unit too.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from groundtrace.text import clean, is_blank
from groundtrace_adapters.sources.field_names import canonical_fields
from groundtrace_adapters.sources.log_files.formats import TIME_FIELDS
from groundtrace_adapters.sources.metric_files.track import FILE_POINTS, ParsedFile, TrackBuilder
from groundtrace_adapters.sources.timestamps import Clockwork, epoch_micros, read_time

_SAMPLE_ROWS = 200
_UNIT = re.compile(r"\(([^()]{1,20})\)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which column is what, by position."""

    time: int
    labels: tuple[int, ...]
    metrics: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class TableReader:
    """Reads the rows of one table; `time_field` names the column of times (None: recognised)."""

    clockwork: Clockwork
    time_field: str | None = None
    delimiter: str = ","
    bad: int = 0
    timeless: int = 0
    _rows: int = 0
    _tracks: TrackBuilder = field(default_factory=TrackBuilder)

    def read(self, lines: Iterable[str], name: str, /) -> ParsedFile | str:
        """Return what the table holds, or in words why it is none."""
        rows = self._records(lines)
        names = next(rows, [])
        first = list(islice(rows, _SAMPLE_ROWS))
        columns = columns_of(names, first, self.clockwork, time_field=self.time_field)
        if isinstance(columns, str):
            return columns
        makers: dict[tuple[str, ...], list[Callable[[float, float], None]]] = {}
        for row in chain(first, rows):
            self._row(row, names, columns, makers)
            if self._tracks.full():
                break
        tracks = self._tracks.build(round, _unit_of)
        return ParsedFile(tracks=tracks, unseen=tuple(self._unseen(name)))

    def _row(
        self,
        row: Sequence[str],
        names: Sequence[str],
        columns: Columns,
        makers: dict[tuple[str, ...], list[Callable[[float, float], None]]],
    ) -> None:
        self._rows += 1
        row = [*row, *[""] * (len(names) - len(row))]
        at = read_time(row[columns.time], self.clockwork)
        if at is None:
            self.timeless += 1
            return
        key = tuple(row[column] for column in columns.labels)
        if key not in makers:
            labels = {clean(names[column]): clean(row[column]) for column in columns.labels if row[column].strip()}
            found = canonical_fields(labels)
            makers[key] = [self._tracks.series(clean(names[column]), found) for column in columns.metrics]
        micros = epoch_micros(at)
        for column, add in zip(columns.metrics, makers[key], strict=True):
            value = _number(row[column])
            if value is not None:
                add(micros, value)
            elif not is_blank(row[column]):
                self.bad += 1

    def _records(self, lines: Iterable[str]) -> Iterator[list[str]]:
        reader = csv.reader(lines, delimiter=self.delimiter)
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                self.bad += 1
                continue
            if row:
                yield row

    def _unseen(self, name: str) -> Iterable[str]:
        if self.bad:
            yield f"{self.bad:,} values of {name} are no numbers and were not read"
        if self.timeless:
            yield f"{self.timeless:,} rows of {name} show no time and were not read"
        if self._tracks.full():
            yield f"{name} was read only up to row {self._rows:,}: over {FILE_POINTS:,} points, or too many series"


def columns_of(
    names: Sequence[str], rows: Sequence[Sequence[str]], clockwork: Clockwork, /, *, time_field: str | None
) -> Columns | str:
    """Return which column is what by names and first rows, or in words why that cannot be told."""
    times = [at for at, name in enumerate(names) if _is_time(name, time_field)]
    usable = [at for at in times if rows and at < len(rows[0]) and read_time(rows[0][at], clockwork) is not None]
    if not usable:
        wanted = repr(time_field) if time_field else ", ".join(TIME_FIELDS)
        return f"it has no column of times ({wanted}): name it with time_field"
    numeric = [at for at in range(len(names)) if at not in times and _all_numbers(rows, at)]
    labels = [at for at in range(len(names)) if at not in times and at not in numeric]
    if not numeric:
        return "it has no numeric column"
    chosen = min(usable, key=lambda at: (_number(rows[0][at]) is None, at))
    return Columns(time=chosen, labels=tuple(labels), metrics=tuple(numeric))


def _is_time(name: str, time_field: str | None) -> bool:
    return name == time_field if time_field else name.strip().casefold() in TIME_FIELDS


def _all_numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    values = [row[column] for row in rows if column < len(row) and row[column].strip()]
    return bool(values) and all(_number(value) is not None for value in values)


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _unit_of(name: str) -> str:
    found = _UNIT.search(name)
    return found[1] if found else ""
