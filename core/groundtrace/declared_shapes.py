"""Results whose own field declares what the call amounted to (DESIGN section 3): they decide before anything else.

Known are the bodies of Prometheus and Loki, the results of MCP, the envelope of JSON-RPC, and the searches of
Elasticsearch. A body that only looks like one of them, without the field that declares, is none of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Output, Support
from groundtrace.text import is_blank

Body: TypeAlias = Mapping[str, JsonValue]

MARKS_KEPT = 20
"""How many warnings of a source are kept as marks of a partial answer."""

_FAILURE_KINDS = {
    "timeout": FailureKind.TIMEOUT,
    "canceled": FailureKind.CANCELLED,
    "unavailable": FailureKind.UNAVAILABLE,
    "too_many_requests": FailureKind.RATE_LIMITED,
}
_STALE = ("NaN", "nan")


def declared_outcome(value: JsonValue, output: Output, /) -> outcomes.Outcome | None:
    """Return what a whole result declares of itself, None where it is of no known shape; `output` is kept as it is."""
    if not isinstance(value, dict):
        return None
    return next((told for read in _SHAPES if (told := read(value, output)) is not None), None)


def _json_rpc(body: Body, output: Output) -> outcomes.Outcome | None:
    if body.get("jsonrpc") != "2.0":
        return None
    error = body.get("error")
    if isinstance(error, dict):
        return _failure(FailureKind.ERROR, _text(error.get("message")) or f"code {error.get('code')}", output)
    return declared_outcome(body.get("result"), output)


def _mcp(body: Body, output: Output) -> outcomes.Outcome | None:
    content, flag = body.get("content"), body.get("isError", body.get("is_error"))
    if not isinstance(content, list) or not isinstance(flag, bool):
        return None
    texts = [text for item in content if isinstance(item, dict) if (text := _text(item.get("text")))]
    if flag:
        return _failure(FailureKind.ERROR, "; ".join(texts) or "the tool reported an error without a text", output)
    other = any(not isinstance(item, dict) or "text" not in item for item in content)
    if texts or other or body.get("structuredContent"):
        return None
    return outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=output)


def _prometheus(body: Body, output: Output) -> outcomes.Outcome | None:
    status, data = body.get("status"), body.get("data")
    if status == "error" and (kind := _text(body.get("errorType"))):
        message = f"{kind}: {_text(body.get('error')) or 'no message'}"
        return _failure(_FAILURE_KINDS.get(kind, FailureKind.ERROR), message, output)
    if status != "success" or not isinstance(data, dict) or "resultType" not in data:
        return None
    marks = _marks(body.get("warnings"))
    marks += ("the server marks its answer as partial",) if body.get("isPartial") is True else ()
    values = [value for series in _series(data) for value in series]
    stale = data["resultType"] != "streams" and all(value in _STALE for value in values)
    return _found(output, some=bool(values), stale=stale, marks=marks)


def _elasticsearch(body: Body, output: Output) -> outcomes.Outcome | None:
    hits, shards = body.get("hits"), body.get("_shards")
    if not isinstance(hits, dict) or not isinstance(hits.get("hits"), list) or not isinstance(shards, dict):
        return None
    late = ("the search timed out",) if body.get("timed_out") is True else ()
    broken = (f"{shards['failed']} shards failed",) if shards.get("failed") else ()
    total = hits.get("total")
    counted = total.get("value") if isinstance(total, dict) else total
    some = bool(hits["hits"] or body.get("aggregations") or counted)
    return _found(output, some=some, stale=False, marks=(*late, *broken))


_SHAPES: tuple[Callable[[Body, Output], outcomes.Outcome | None], ...] = (_json_rpc, _mcp, _prometheus, _elasticsearch)


def _series(data: Body) -> list[list[JsonValue]]:
    """Return the values of each series or stream; a scalar or a text is one series of one value."""
    result = data.get("result")
    if data.get("resultType") in ("scalar", "string"):
        return [result[-1:]] if isinstance(result, list) else []
    return [_values(one) for one in result if isinstance(one, dict)] if isinstance(result, list) else []


def _values(series: Body) -> list[JsonValue]:
    points = [series.get("value"), *_list(series.get("values"))]
    histograms = [series.get("histogram"), *_list(series.get("histograms"))]
    return [point[-1] for point in (*points, *histograms) if isinstance(point, list) and point]


def _found(output: Output, /, *, some: bool, stale: bool, marks: tuple[str, ...]) -> outcomes.Outcome:
    if some and not stale:
        return outcomes.Success(support=Support.INDIRECT, output=output, partial=marks)
    reason = NoEvidenceReason.NOT_A_NUMBER if some else NoEvidenceReason.EMPTY_RESULT
    return outcomes.NoEvidence(
        reason=NoEvidenceReason.PARTIAL_EMPTY if marks and not some else reason, output=output, partial=marks
    )


def _failure(kind: FailureKind, message: str, output: Output) -> outcomes.Failure:
    return replace(outcomes.failure_because(kind, message), output=output)


def _marks(warnings: JsonValue) -> tuple[str, ...]:
    return tuple(text for one in _list(warnings)[:MARKS_KEPT] if (text := _text(one)))


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) and not is_blank(value) else ""
