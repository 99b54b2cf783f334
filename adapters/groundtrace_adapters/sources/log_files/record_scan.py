"""Searches one log file of records, JSON lines or CSV: each record is read, then held against the query."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from groundtrace_adapters.sources.file_blocks import Reading, blocks, last_line, lines_of
from groundtrace_adapters.sources.log_files.formats import LogFormat, LogKind
from groundtrace_adapters.sources.log_files.records import object_of, record_of
from groundtrace_adapters.sources.log_files.search import Search
from groundtrace_adapters.sources.timestamps import Clockwork

_STEPS = 256
_JSON_ESCAPES = frozenset(b'"\\/\b\f\n\r\t')


@dataclass(slots=True, kw_only=True)
class RecordScan:
    """The way through one file of records; `broken` counts those that are none and match what can be told of them."""

    path: Path
    name: str
    how: LogFormat
    search: Search
    clockwork: Clockwork
    reading: Reading
    start: int = 0
    broken: int = 0
    unread: int = 0

    def run(self) -> None:
        """Offer the file's matching records to the search; raises OSError, stops early when the budget is spent."""
        rows = self._csv_rows() if self.how.kind is LogKind.CSV else self._json_rows()
        for step, (line, row, raw) in enumerate(rows):
            if row is None:
                self._broken(line, raw)
            else:
                self._row(line, row, raw)
            if step % _STEPS == 0 and self.search.budget.spent():
                return

    def unseen(self) -> tuple[str, ...]:
        """Return in words what could not be read as records."""
        told: list[str] = []
        if self.broken:
            told.append(
                f"{self.broken:,} lines of {self.name} match but are no whole JSON object: their time and fields"
                " are not known, and they were left out"
            )
        if self.unread:
            told.append(f"{self.unread:,} records of {self.name} are no valid CSV and were not read")
        return tuple(told)

    def _row(self, line: int, row: Mapping[str, object], raw: str) -> None:
        record = record_of(row, self.how, self.clockwork, raw=raw)
        if record.at is not None and not self.search.taker.in_window(record.at):
            return
        fields = record.fields()
        place = self.search.place(record.text, fields)
        if place is not None and self.search.has_fields(fields):
            text = record.text.encode(errors="replace")
            self.search.take(record.at, text, place, origin=partial(self._origin, line), fields=lambda: fields)

    def _broken(self, line: int, raw: str) -> None:
        place = self.search.place(raw, {})
        if place is None:
            return
        if self.search.wanted or not self.search.taker.in_window(None):
            self.broken += 1
        else:
            self.search.take(None, raw.encode(errors="replace"), place, origin=partial(self._origin, line), fields=dict)

    def _origin(self, line: int) -> str:
        return f"{self.name}:{line}"

    def _json_rows(self) -> Iterator[tuple[int, Mapping[str, object] | None, str]]:
        line = 0
        for block in self._blocks():
            needle = self._needle()
            if needle and needle not in block and b"\\u" not in block:
                count = block.count(b"\n")
                line += count
                self.search.count(count)
                continue
            for text in lines_of(block):
                line += 1
                if not text.strip():
                    continue
                self.search.count(1)
                if needle and needle not in text and b"\\u" not in text:
                    continue
                raw = text.decode(errors="replace")
                yield line, object_of(raw), raw

    def _needle(self) -> bytes:
        """Return bytes without which a JSON line cannot match, unless it holds an escaped character."""
        needle = self.search.matcher.required if self.search.matcher else b""
        return b"" if _JSON_ESCAPES & set(needle) else needle

    def _csv_rows(self) -> Iterator[tuple[int, Mapping[str, object], str]]:
        reader = csv.reader(self._csv_lines(), delimiter=self.how.delimiter)
        names: list[str] | None = None
        while True:
            line = reader.line_num + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                self.unread += 1
                continue
            if names is None:
                names = row
            elif row:
                self.search.count(1)
                yield line, dict(zip(names, row, strict=False)), self.how.delimiter.join(row)

    def _csv_lines(self) -> Iterator[str]:
        for block in self._blocks():
            for text in lines_of(block):
                yield f"{text.decode(errors='replace')}\n"

    def _blocks(self) -> Iterator[bytes]:
        for block in blocks(self.path, last_line, self.reading, start=self.start):
            self.search.budget.read += len(block)
            yield block
