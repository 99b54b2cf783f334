"""Shown rows as data: log entries, series and passages, each with the label under which it was shown.

Pure. What a row's material says is read here once; what may be concluded from it is not decided here. Each unit is
itself and equals no other: two entries of the same text are two.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from groundtrace.material import read_material
from groundtrace.outcomes import OutcomeKind, Support
from groundtrace.roles import Shown
from groundtrace_adapters.models.rules.entities import FILE, Name, names_in
from groundtrace_adapters.models.rules.moments import Window
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS

FINE_STEP = 1.0
"""With a step of at most this many seconds, every stored point is taken to be shown."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogUnit:
    """One log entry; `at` is None where it shows no time."""

    at: datetime | None
    text: str
    origin: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesUnit:
    """One series: points in time order, those that are no finite number left out."""

    metric: str
    labels: Mapping[str, str]
    aggregate: str
    unit: str
    points: tuple[tuple[datetime, float], ...]

    def is_dense(self, params: Mapping[str, object], /) -> bool:
        """Tell whether the points are all that were stored, so that extremes and medians can be computed from them."""
        step = params.get("step")
        fine = isinstance(step, int | float) and not isinstance(step, bool) and step <= FINE_STEP
        return self.aggregate == "last" and (fine or (step is None and len(self.points) > 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageUnit:
    """One passage of a knowledge entry."""

    uri: str
    title: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
    """One shown row. `complete`: a DIRECT answer, held whole, so that counts and extremes can be computed from it."""

    label: str
    tool: str
    usable: bool
    complete: bool
    params: Mapping[str, object]
    logs: tuple[LogUnit, ...] = ()
    series: tuple[SeriesUnit, ...] = ()
    passages: tuple[PassageUnit, ...] = ()

    def filters(self) -> Mapping[str, str]:
        """Return the fields that the call asked to be equal, whether under `fields` or by their own names."""
        fields = self.params.get("fields")
        given = {**fields, **self.params} if isinstance(fields, dict) else self.params
        under = fields if isinstance(fields, dict) else {}
        return {
            key: value
            for key, value in given.items()
            if isinstance(value, str) and (key in under or key in ENTITY_FIELDS)
        }

    def searched(self) -> Window | None:
        """Return the window that the call asked for, None where it was open at an end."""
        start, end = (read_time(self.params.get(key)) for key in ("start", "end"))
        return None if start is None or end is None else Window(start=start, end=end)


def read_rows(shown: Iterable[Shown], /) -> tuple[Row, ...]:
    """Return shown rows as data, in order; a failed or empty row keeps its label and holds nothing.

    A repeat holds what it repeats, for planning on; it is not usable.
    """
    return tuple(_row(one) for one in shown)


def read_time(value: object, /) -> datetime | None:
    """Return an RFC 3339 time with a zone, None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def known_names(rows: Iterable[Row], /) -> tuple[Name, ...]:
    """Return the names of things that rows hold or were asked about."""
    held: list[Mapping[str, Iterable[str]]] = []
    for row in rows:
        held += [_listed(unit.fields) for unit in row.logs]
        held += [_listed(unit.labels) for unit in row.series]
        held.append(_listed(row.filters()))
    return names_in(*held)


def _listed(fields: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    return {field: (value,) for field, value in fields.items()}


def _row(shown: Shown) -> Row:
    usable = shown.row.outcome is OutcomeKind.SUCCESS
    if not usable and shown.row.outcome is not OutcomeKind.DEDUPED:
        return Row(label=shown.label, tool=shown.row.tool_name, usable=False, complete=False, params=_params(shown))
    found = read_material(shown.text)
    lines = sum(1 for line in shown.text.split("\n") if line.strip())
    direct = shown.row.support is Support.DIRECT and not shown.row.partial
    return Row(
        label=shown.label,
        tool=shown.row.tool_name,
        usable=usable,
        complete=usable and direct and shown.whole and len(found) == lines,
        params=_params(shown),
        logs=tuple(_log(one) for one in found if "at" in one and isinstance(one.get("text"), str)),
        series=tuple(_series(one) for one in found if isinstance(one.get("metric"), str)),
        passages=tuple(_passage(one) for one in found if isinstance(one.get("uri"), str)),
    )


def _params(shown: Shown) -> Mapping[str, object]:
    try:
        value = json.loads(shown.row.input_params)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _log(one: Mapping[str, object]) -> LogUnit:
    origin = _text(one, "origin")
    fields = _words(one.get("fields"))
    file = origin.rpartition(":")[0].rpartition("/")[2]
    named = {**fields, FILE: file} if file and FILE not in fields else fields
    return LogUnit(at=read_time(one.get("at")), text=_text(one, "text"), origin=origin, fields=named)


def _series(one: Mapping[str, object]) -> SeriesUnit:
    return SeriesUnit(
        metric=_text(one, "metric"),
        labels=_words(one.get("labels")),
        aggregate=_text(one, "aggregate") or "last",
        unit=_text(one, "unit"),
        points=tuple(_points(one.get("points"))),
    )


def _passage(one: Mapping[str, object]) -> PassageUnit:
    return PassageUnit(
        uri=_text(one, "uri"), title=_text(one, "title"), heading=_text(one, "heading"), text=_text(one, "text")
    )


def _points(value: object) -> Iterable[tuple[datetime, float]]:
    for point in value if isinstance(value, list) else []:
        if isinstance(point, list) and len(point) == 2:
            at, number = read_time(point[0]), point[1]
            if at is not None and isinstance(number, int | float) and not isinstance(number, bool):
                yield at, float(number)


def _text(one: Mapping[str, object], key: str) -> str:
    value = one.get(key)
    return value if isinstance(value, str) else ""


def _words(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    return {key: item for key, item in value.items() if isinstance(item, str)}
