"""How a metric file is written, recognised by its name and first lines, and read accordingly."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from pathlib import Path

from groundtrace_adapters.sources.file_blocks import Reading, blocks, head_of, is_binary, last_line, lines_of
from groundtrace_adapters.sources.metric_files.exposition import ExpositionReader, looks_like_exposition
from groundtrace_adapters.sources.metric_files.table import TableReader
from groundtrace_adapters.sources.metric_files.track import ParsedFile
from groundtrace_adapters.sources.timestamps import Clockwork

_HEAD_BYTES = 16 * 1024
_TABLES = {".csv": ",", ".tsv": "\t"}


class MetricKind(StrEnum):
    """How samples follow each other in a file."""

    OPEN_METRICS = "open_metrics"
    PROMETHEUS = "prometheus"
    CSV = "csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFormat:
    """The format of files; `time_field` and `delimiter` are for CSV."""

    kind: MetricKind
    time_field: str | None = None
    delimiter: str = ","


def read_metrics(path: Path, /, *, given: MetricFormat | None, zone: tzinfo) -> ParsedFile | str:
    """Return what a file holds, or in words why it cannot be read; total."""
    try:
        how = given or _recognised(path)
        if isinstance(how, str):
            return how
        clockwork = Clockwork(zone=zone, latest=datetime.fromtimestamp(path.stat().st_mtime, UTC))
        reading = Reading()
        parsed = _read(path, how, clockwork, reading)
    except OSError as error:
        return error.strerror or type(error).__name__
    if isinstance(parsed, str) or not reading.fault:
        return parsed
    return ParsedFile(tracks=parsed.tracks, unseen=(*parsed.unseen, f"{path.name}: {reading.fault}"))


def _read(path: Path, how: MetricFormat, clockwork: Clockwork, reading: Reading) -> ParsedFile | str:
    match how.kind:
        case MetricKind.CSV:
            reader = TableReader(clockwork=clockwork, time_field=how.time_field, delimiter=how.delimiter)
            return reader.read((f"{line}\n" for line in _lines(path, reading)), path.name)
        case MetricKind.OPEN_METRICS | MetricKind.PROMETHEUS:
            known = how.kind is MetricKind.OPEN_METRICS or None
            exposition = ExpositionReader(seconds=known)
            exposition.read(_lines(path, reading))
            return exposition.parsed(path.name)


def _lines(path: Path, reading: Reading) -> Iterator[str]:
    for block in blocks(path, last_line, reading):
        for line in lines_of(block):
            yield line.decode(errors="replace")


def _recognised(path: Path) -> MetricFormat | str:
    head = head_of(path, _HEAD_BYTES)
    if is_binary(head):
        return "it is no text"
    suffix = Path(path.name.casefold().removesuffix(".gz")).suffix
    if suffix in _TABLES:
        return MetricFormat(kind=MetricKind.CSV, delimiter=_TABLES[suffix])
    lines = head.decode(errors="replace").splitlines()
    if not any(line.strip() for line in lines) or looks_like_exposition(lines):
        return MetricFormat(kind=MetricKind.PROMETHEUS)
    return "it is neither OpenMetrics nor Prometheus text nor CSV"
