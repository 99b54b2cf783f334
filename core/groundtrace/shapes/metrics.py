"""Prometheus, Loki and what speaks like them (Thanos, Mimir, VictoriaMetrics): `status` declares, `data` holds."""

from datetime import UTC, datetime

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, NoEvidenceReason
from groundtrace.shapes.asked import limit_mark
from groundtrace.shapes.declaring import failed, found, items, kept_as, marked, members, text_of, texts
from groundtrace.shapes.shape import Body, Shape, Told

SERVER_LIMIT = 100
"""So many lines Loki gives a call that names no limit."""

_KINDS = {
    "timeout": FailureKind.TIMEOUT,
    "canceled": FailureKind.CANCELLED,
    "unavailable": FailureKind.UNAVAILABLE,
    "too_many_requests": FailureKind.RATE_LIMITED,
}
_ENVELOPE = frozenset({"status", "data", "warnings", "infos", "isPartial", "stats", "message", "error"})
_RESULT_TYPES = frozenset({"vector", "matrix", "scalar", "string", "streams"})
_STALE = ("NaN", "nan")


def _read(body: Body, told: Told) -> outcomes.Outcome | None:
    status, data = body.get("status"), body.get("data")
    if status is None and text_of(body.get("resultType")) in _RESULT_TYPES and isinstance(body.get("result"), list):
        # The data alone, without the envelope, as many tools hand it on.
        status, data = "success", dict(body)
    if status == "error" and (kind := text_of(body.get("errorType"))):
        message = f"{kind}: {text_of(body.get('error')) or 'no message'}"
        return failed(_KINDS.get(kind, FailureKind.ERROR), message, told.output)
    if status != "success" or data is None:
        return None
    if isinstance(data, dict) and "resultType" in data:
        return _streams(body, data, told) if data["resultType"] == "streams" else _series(body, data, told)
    if not _ENVELOPE.issuperset(body):
        return None
    return marked(kept_as(told.inner(data), told.output), _marks(body))


def _series(body: Body, data: Body, told: Told) -> outcomes.Outcome:
    values = [value for series in _all_series(data) for value in series]
    stale = bool(values) and all(value in _STALE for value in values)
    nothing = NoEvidenceReason.NOT_A_NUMBER if stale else NoEvidenceReason.EMPTY_RESULT
    marks = _marks(body)
    if stale:
        return outcomes.NoEvidence(reason=nothing, output=told.output, partial=marks)
    return found(told.output, some=bool(values), marks=marks)


def _streams(body: Body, data: Body, told: Told) -> outcomes.Outcome:
    streams = [items(stream.get("values")) for stream in items(data.get("result")) if isinstance(stream, dict)]
    times = [line[0] for stream in streams for line in stream if isinstance(line, list) and line]
    limit = told.limit or (SERVER_LIMIT if len(times) == SERVER_LIMIT else None)
    reached = tuple(f"{mark}; {_span(times)}" for mark in limit_mark(len(times), limit, "lines"))
    return found(told.output, some=bool(times), marks=(*_marks(body), *reached))


def _span(times: list[JsonValue]) -> str:
    """Tell between which times lines were seen: a full answer ends where its limit was reached, not where it asked."""
    at = sorted(int(time) for time in times if isinstance(time, str) and time.isascii() and time.isdigit())
    if not at:
        return "which span of time they cover is not known"
    first, last = (_moment(time) for time in (at[0], at[-1]))
    return f"seen are those from {first} to {last}"


def _moment(nanoseconds: int) -> str:
    try:
        return datetime.fromtimestamp(nanoseconds / 1e9, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return str(nanoseconds)


def _marks(body: Body) -> tuple[str, ...]:
    partial = ("the server marks its answer as partial",) if body.get("isPartial") is True else ()
    warnings = body.get("warnings")
    return (*texts([warnings] if isinstance(warnings, str) else warnings), *partial)


def _all_series(data: Body) -> list[list[JsonValue]]:
    """Return the values of each series; a scalar or a text is one series of one value."""
    result = data.get("result")
    if data.get("resultType") in ("scalar", "string"):
        return [result[-1:]] if isinstance(result, list) else []
    return [_values(series) for series in items(result) if isinstance(series, dict)]


def _values(series: Body) -> list[JsonValue]:
    points = [series.get("value"), *items(series.get("values"))]
    histograms = [series.get("histogram"), *items(series.get("histograms"))]
    return [point[-1] for point in (*points, *histograms) if isinstance(point, list) and point]


def _read_loki(body: Body, told: Told) -> outcomes.Outcome | None:
    """Read a body of Loki alone, for tools that name it."""
    streams = "streams" in (members(body.get("data")).get("resultType"), body.get("resultType"))
    return _read(body, told) if streams or body.get("status") == "error" else None


_STATUS = frozenset({"status", "resultType"})
PROMETHEUS = Shape(name="prometheus", members=_STATUS, read_body=_read)
LOKI = Shape(name="loki", members=_STATUS, read_body=_read_loki)
