"""The text in which the three tools give their evidence: one JSON object a line, so that a cut spoils one line only.

Log entry:   {"at", "origin", "fields": {...}, "text"}
Series:      {"metric", "labels": {...}, "aggregate", "unit"?, "points": [[time, value], ...]}
Passage:     {"uri", "title", "heading", "layer", "text"}
Remark:      {"note": words}, said by the tool itself: what was not seen, what a call repeats.

Times are RFC 3339 in UTC; NaN is the text "NaN". Models read the text as it is; `read_material` gives it back as data.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from groundtrace.sources import Aggregate, LogEntry, Passage, Series


def time_text(moment: datetime, /) -> str:
    """Return a time as RFC 3339 in UTC: microseconds are shown only where there are some."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def log_lines(entries: Iterable[LogEntry], /) -> str:
    """Return log entries as material."""
    return _lines(
        {
            "at": None if entry.at is None else time_text(entry.at),
            "origin": entry.origin,
            "fields": dict(entry.fields),
            "text": entry.text,
        }
        for entry in entries
    )


def series_lines(series: Iterable[Series], aggregate: Aggregate, /) -> str:
    """Return series as material, points that are no finite number as text."""
    return _lines(
        {
            "metric": one.name,
            "labels": dict(one.labels),
            "aggregate": aggregate.value,
            **({"unit": one.unit} if one.unit else {}),
            "points": [[time_text(at), _number(value)] for at, value in one.points],
        }
        for one in series
    )


def passage_lines(passages: Iterable[Passage], /) -> str:
    """Return passages as material."""
    return _lines(
        {"uri": one.uri, "title": one.title, "heading": one.heading, "layer": one.layer.value, "text": one.text}
        for one in passages
    )


def note_line(words: str, /) -> str:
    """Return a remark of the tool itself as one line of material."""
    return json.dumps({"note": words}, ensure_ascii=False)


def read_material(text: str, /) -> tuple[Mapping[str, object], ...]:
    """Return the objects of material in order; total: a line that is no JSON object (a cut one, say) is left out."""
    found: list[Mapping[str, object]] = []
    for line in text.split("\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return tuple(found)


def _lines(objects: Iterable[Mapping[str, object]]) -> str:
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in objects)


def _number(value: float) -> float | str:
    if value != value:
        return "NaN"
    return str(value) if value in (float("inf"), float("-inf")) else value
