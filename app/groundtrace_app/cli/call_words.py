"""A recorded call in words for a timeline: what was asked, what came, what was not seen. Pure; from the row alone."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from groundtrace.invocation import Invocation, OutputState
from groundtrace.material import read_material
from groundtrace.outcomes import OutcomeKind
from groundtrace.wording import one_line, why_empty, why_failed
from groundtrace_app.cli.printing import counted_words

MOST_CHARACTERS = 400

_MAIN = ("query", "uri", "pattern", "selector")
_TIMES = ("start", "end")
_SERIES_HEAD = re.compile(r'\{"metric": "(?:[^"\\]|\\.)*", "labels": \{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}')


def outcome_words(row: Invocation, /) -> str:
    """Return the outcome in the contract's words: `success DIRECT`, `no_evidence no_match`, `failure timeout`."""
    parts = (row.outcome.value, row.support or "", row.reason or "", "(partial)" if row.partial else "")
    return " ".join(part for part in parts if part)


def asked_words(row: Invocation, /) -> str:
    """Return the parameters as a person would say them: the window, then names and values, then the text looked for.

    The longest part comes last, so that a cut spares the rest.
    """
    params = _object(row.input_params)
    if params is None:
        return one_line(row.input_params, MOST_CHARACTERS)
    rest = [_named(name, value) for name, value in params.items() if name not in {*_MAIN, *_TIMES} and value]
    head = ", ".join(part for part in (_window(params), *rest) if part)
    main = "; ".join(_value(params[name]) for name in _MAIN if params.get(name))
    return one_line(": ".join(part for part in (head, main) if part), MOST_CHARACTERS) or "everything"


def came_words(row: Invocation, labels: Mapping[str, str], /) -> str:
    """Return what the call brought; `labels` are names by id for calls that a repeat refers to."""
    return _CAME[row.outcome](row, labels)


def unseen_words(row: Invocation, /) -> str:
    """Return what a partial answer left out, nothing for a whole one."""
    notes = (_object(row.details) or {}).get("partial")
    return one_line("; ".join(map(str, notes)), MOST_CHARACTERS) if isinstance(notes, list) else ""


def _found(row: Invocation, labels: Mapping[str, str]) -> str:
    del labels
    text = row.output_preview or ""
    objects = [one for one in read_material(text) if "note" not in one]
    shape = next((shape for key, shape in _SHAPES.items() if objects and key in objects[0]), None)
    if shape is None:
        return f"{_size(row)}: {one_line(_cut_series(text) or text, MOST_CHARACTERS)}"
    more = "+" if row.output_state is not OutputState.FULL else ""
    return one_line(shape(objects, more), MOST_CHARACTERS)


def _entries(objects: Sequence[Mapping[str, object]], more: str) -> str:
    first = objects[0]
    at = _clock_time(first.get("at")) or "without a time"
    return f"{_count(objects, more, 'entry', 'entries')}, first {at}: {one_line(str(first.get('text', '')), 300)}"


def _series(objects: Sequence[Mapping[str, object]], more: str) -> str:
    return f"{_count(objects, more, 'series', 'series')}: " + "; ".join(map(_one_series, objects[:3]))


def _cut_series(text: str) -> str:
    """Return the name of a first series that is longer than a preview; nothing for other material."""
    head = _SERIES_HEAD.match(text)
    read = None if head is None else _object(f"{head[0]}}}")
    return "" if read is None else _one_series(read)


def _one_series(one: Mapping[str, object]) -> str:
    labels, points = one.get("labels"), one.get("points")
    named = ",".join(f"{key}={value}" for key, value in labels.items()) if isinstance(labels, dict) else ""
    last = points[-1] if isinstance(points, list) and points else None
    value = f" = {last[1]} at {_clock_time(last[0])}" if isinstance(last, list) and len(last) == 2 else ""
    return f"{one.get('metric')}{{{named}}}{value}"


def _passages(objects: Sequence[Mapping[str, object]], more: str) -> str:
    titles = dict.fromkeys(" > ".join(str(one.get(k) or "") for k in ("title", "heading")) for one in objects)
    return f"{_count(objects, more, 'passage', 'passages')}: " + "; ".join(one.strip(" >") for one in titles)


_SHAPES: Mapping[str, Callable[[Sequence[Mapping[str, object]], str], str]] = {
    "origin": _entries,
    "points": _series,
    "layer": _passages,
}
"""How each form of material (`groundtrace.material`) is told, by a key that it alone has."""


def _empty(row: Invocation, labels: Mapping[str, str]) -> str:
    del labels
    found = f", {counted_words(row.l0_count, 'candidate', 'candidates')}" if row.l0_count else ""
    return why_empty(row) + found


def _repeat(row: Invocation, labels: Mapping[str, str]) -> str:
    details = _object(row.details) or {}
    of, inherited = details.get("of"), details.get("inherited")
    names = ", ".join(labels.get(str(one), str(one)) for one in of) if isinstance(of, list) else ""
    then = f", which was {inherited}" if inherited else ""
    return f"nothing new: repeats {names or 'an earlier call'}{then}"


def _failed(row: Invocation, labels: Mapping[str, str]) -> str:
    del labels
    return why_failed(row)


_CAME: Mapping[OutcomeKind, Callable[[Invocation, Mapping[str, str]], str]] = {
    OutcomeKind.SUCCESS: _found,
    OutcomeKind.NO_EVIDENCE: _empty,
    OutcomeKind.DEDUPED: _repeat,
    OutcomeKind.FAILURE: _failed,
}


def _window(params: Mapping[str, object]) -> str:
    start, end = (_short_time(params.get(name)) for name in _TIMES)
    if not (start or end):
        return ""
    if start[:11] == end[:11] and len(start) > 11:
        end = end[11:]
    return f"{start or 'the beginning'} to {end or 'the end'}"


def _short_time(value: object) -> str:
    moment = _moment(value)
    return (
        "" if value is None else str(value) if moment is None else moment.replace(tzinfo=None).isoformat(" ", "seconds")
    )


def _clock_time(value: object) -> str:
    moment = _moment(value)
    return "" if moment is None else f"{moment:%H:%M:%S}"


def _moment(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return None


def _named(name: str, value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_value(item)}" for key, item in value.items())
    return f"{name}={_value(value)}"


def _value(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _count(objects: Sequence[object], more: str, one: str, many: str) -> str:
    return f"{len(objects)}{more} {one if len(objects) == 1 and not more else many}"


def _size(row: Invocation) -> str:
    size = row.output_bytes or 0
    for unit, bytes_each in (("MB", 1_000_000), ("KB", 1_000)):
        if size >= bytes_each:
            return f"{size / bytes_each:.1f} {unit}"
    return counted_words(size, "byte", "bytes")


def _object(text: str) -> Mapping[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
