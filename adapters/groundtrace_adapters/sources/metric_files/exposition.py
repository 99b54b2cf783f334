"""Reads OpenMetrics and Prometheus text with timestamps, as series.

OpenMetrics (it ends in `# EOF`) has timestamps in seconds, Prometheus text in milliseconds; a file whose times would
all lie before 1973 in milliseconds has seconds. Exemplars are left out, histograms are series like any other.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from groundtrace.text import clean
from groundtrace_adapters.sources.field_names import canonical_fields
from groundtrace_adapters.sources.metric_files.quoting import QUOTED, unquoted
from groundtrace_adapters.sources.metric_files.track import FILE_POINTS, ParsedFile, TrackBuilder

# Possessive throughout: no line, however long and odd, is read more than once.
_LABELS = rf"\{{(?:[^\"}}\n]++|{QUOTED})*+\}}"
_SAMPLE = re.compile(rf"\s*+([^\s{{\"#]*+(?:{_LABELS})?+)\s*+(\S++)(?:\s++([-+.\deE]++))?+\s*+(?:# .*+)?+$")
_LABEL = re.compile(rf"\s*(?:({QUOTED})|([^\s\",={{}}]+))\s*(?:=\s*({QUOTED}))?\s*(?:,|$)")
_UNIT = re.compile(r"#\s*UNIT\s+(\S+)\s+(\S+)\s*$")
_OPEN_METRICS_END = "# EOF"
_OPEN_METRICS_NAMES = (".om", ".openmetrics")
_SECONDS_BELOW = 1e11
_SUFFIXES = ("_total", "_bucket", "_count", "_sum", "_created", "_info")


@dataclass(slots=True, kw_only=True)
class ExpositionReader:
    """Takes the lines of one file; `seconds` says what its timestamps are (None: recognised)."""

    seconds: bool | None = None
    ended: bool = False
    bad: int = 0
    first_bad: int = 0
    timeless: int = 0
    _line: int = 0
    _units: dict[str, str] = field(default_factory=dict)
    _tracks: TrackBuilder = field(default_factory=TrackBuilder)
    _known: dict[str, Callable[[float, float], None] | None] = field(default_factory=dict)

    def read(self, lines: Iterable[str], /) -> bool:
        """Take lines; False when no more are wanted."""
        for line in lines:
            self._line += 1
            if line.lstrip().startswith("#"):
                self._comment(line.strip())
            elif line and not line.isspace():
                self._sample(line)
            if self._tracks.full():
                return False
        return True

    def parsed(self, name: str, /) -> ParsedFile:
        """Return what was read; `name` is the file's name for what is told."""
        seconds = self.seconds if self.seconds is not None else self.ended or self._look_like_seconds()
        scale = 1_000_000 if seconds else 1_000
        tracks = self._tracks.build(lambda time: round(time * scale), self._unit)
        return ParsedFile(tracks=tracks, unseen=tuple(self._unseen(name)))

    def _look_like_seconds(self) -> bool:
        return all(time < _SECONDS_BELOW for time in self._tracks.times())

    def _unseen(self, name: str) -> Iterable[str]:
        if self.bad:
            yield f"{self.bad:,} lines of {name} are no samples and were not read, the first is line {self.first_bad:,}"
        if self.timeless:
            yield f"{self.timeless:,} samples of {name} show no time and were not read"
        is_open_metrics = bool(self._units) or name.removesuffix(".gz").endswith(_OPEN_METRICS_NAMES)
        if is_open_metrics and not self.ended and not self._tracks.full():
            yield f"{name} has no # EOF at its end: it may be cut off"
        if self._tracks.full():
            yield f"{name} was read only up to line {self._line:,}: over {FILE_POINTS:,} points, or too many series"

    def _comment(self, line: str) -> None:
        self.ended = line == _OPEN_METRICS_END
        unit = _UNIT.match(line)
        if unit is not None:
            self._units[unit[1]] = unit[2]

    def _sample(self, line: str) -> None:
        found = _SAMPLE.match(line)
        value = None if found is None else _number(found[2])
        if found is None or value is None:
            self._refuse()
            return
        add = self._known[found[1]] if found[1] in self._known else self._series(found[1])
        time = None if found[3] is None else _number(found[3])
        if add is None:
            self._refuse()
        elif time is None or not abs(time) < 1e17:
            self.timeless += 1
        else:
            add(time, value)

    def _series(self, text: str) -> Callable[[float, float], None] | None:
        series = _name_and_labels(text)
        add = None if series is None else self._tracks.series(*series)
        self._known[text] = add
        return add

    def _unit(self, name: str) -> str:
        family = next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name)
        return self._units.get(name) or self._units.get(family, "")

    def _refuse(self) -> None:
        self.bad += 1
        self.first_bad = self.first_bad or self._line


def looks_like_exposition(lines: Iterable[str], /) -> bool:
    """Tell whether the first lines of a file are metadata or samples."""
    meant = [line for line in lines if line.strip()][:20]
    return any(line.startswith(("# TYPE ", "# HELP ", "# UNIT ", _OPEN_METRICS_END)) for line in meant) or any(
        (found := _SAMPLE.match(line)) is not None and found[3] is not None and _number(found[2]) is not None
        for line in meant
    )


def _name_and_labels(text: str) -> tuple[str, dict[str, str]] | None:
    name, brace, inside = text.partition("{")
    labels: dict[str, str] = {}
    at, inside = 0, inside.removesuffix("}")
    while brace and inside[at:].strip():
        part = _LABEL.match(inside, at)
        if part is None or part.end() == at:
            return None
        if part[3] is None:
            if name or part[1] is None:
                return None
            name = unquoted(part[1])
        else:
            labels[clean(unquoted(part[1]) if part[1] else part[2])] = clean(unquoted(part[3]))
        at = part.end()
    return (clean(name), canonical_fields(labels)) if name else None


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
