"""The tool `query_metrics`: a thin shell over a `MetricSource`."""

import math
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field
from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.material import series_lines
from groundtrace.outcomes import NoEvidenceReason
from groundtrace.ports import MetricSource
from groundtrace.roles import ToolSpec
from groundtrace.sources import Aggregate, MetricAnswer, MetricQuery
from groundtrace_app.tools.answer import ToolAnswer
from groundtrace_app.tools.gathered import described, failed, found, nothing, reach, refusing, window
from groundtrace_app.tools.params import ENTITY_PARAMETERS, PATTERN_CHARACTERS, Params, bad_params, read_params
from groundtrace_app.tools.params import read_count as without_booleans

_PARAMETERS = {
    "selector": (
        'one series selector: name{label="value", other=~"re2"}; a name with other characters is quoted,'
        ' {"CpuUsage(m)", pod="api-0"}'
    ),
    "start": "first moment, RFC 3339 with a zone or epoch seconds; absent: from the beginning",
    "end": "last moment, itself in the window; absent: to the end",
    "step": "seconds that become one value; absent: the whole window is one step",
    "aggregate": "how points become one value: last, min, max, avg, or for counters rate (per second), increase;"
    " absent: last",
    **dict.fromkeys(ENTITY_PARAMETERS, "short for an equal label of that name"),
}

Seconds = Annotated[float, BeforeValidator(without_booleans), Field(gt=0, allow_inf_nan=False)]


class MetricParams(Params):
    """What `query_metrics` takes."""

    selector: str = Field(min_length=1, max_length=PATTERN_CHARACTERS, strict=True)
    step: Seconds | None = None
    aggregate: Aggregate = Aggregate.LAST


class QueryMetricsTool:
    """Selects and aggregates time series."""

    name = "query_metrics"
    retrieves = False

    def __init__(self, source: MetricSource, /) -> None:
        self._source = source

    async def describe(self) -> ToolSpec:
        """Return what the planner may know; a source that cannot describe itself says why under `unseen`."""
        return ToolSpec(
            name=self.name,
            purpose="read time series: their last, lowest, highest or mean values, rates and increases",
            parameters=_PARAMETERS,
            source=described(await self._source.describe(), name=self.name),
        )

    async def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> ToolAnswer:
        """Query once. No series, no value or only NaN is NoEvidence; 0 is a value; partial data are INDIRECT."""
        del session_id, call_id
        asked = read_params(MetricParams, params).bind(_query)
        return await asked.map(self._ask).lash(refusing).unwrap()

    async def _ask(self, query: MetricQuery) -> ToolAnswer:
        answer = await self._source.query(query)
        held = "" if answer.map(lambda one: bool(one.series)).value_or(True) else reach(await self._source.describe())
        return answer.map(lambda one: _shaped(query, one, held)).lash(failed).unwrap()


def _shaped(query: MetricQuery, answer: MetricAnswer, held: str) -> ToolAnswer:
    within = window(query.start, query.end)
    points = [value for series in answer.series for _, value in series.points]
    if not answer.series and not answer.scanned_points:
        return nothing(NoEvidenceReason.NO_MATCH, f"no series matches{within}", answer.unseen, held=held)
    if not points:
        words = f"the series hold no {query.aggregate.value}{within}: {answer.scanned_points:,} points were read"
        return nothing(NoEvidenceReason.EMPTY_RESULT, words, answer.unseen)
    if all(math.isnan(value) for value in points):
        return nothing(
            NoEvidenceReason.NOT_A_NUMBER, f"every value is NaN{within}: the series are stale", answer.unseen
        )
    return found([series_lines([series], query.aggregate) for series in answer.series], answer.unseen)


def _query(params: MetricParams) -> Result[MetricQuery, outcomes.Failure]:
    if params.start is not None and params.end is not None and params.end < params.start:
        return result.Failure(bad_params("end is before start; a window holds start <= time <= end"))
    return result.Success(
        MetricQuery(
            selector=_selector(params.selector, params.entities()),
            start=params.start,
            end=params.end,
            step_seconds=params.step,
            aggregate=params.aggregate,
        )
    )


def _selector(selector: str, entities: Mapping[str, str]) -> str:
    """Return the selector with entity parameters added as equal labels."""
    if not entities:
        return selector
    text = selector.strip()
    more = ", ".join(f"{name}={_quoted(value)}" for name, value in entities.items())
    if not text.endswith("}"):
        return f"{text}{{{more}}}"
    inside = text[:-1].rstrip()
    return f"{inside}{more}}}" if inside.endswith(("{", ",")) else f"{inside}, {more}}}"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
