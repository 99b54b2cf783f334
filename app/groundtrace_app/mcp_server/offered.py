"""The tools as a client sees them: their schema is the one their parameters are read by, with words of our own."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from groundtrace.roles import ToolSpec
from groundtrace.sources import Description
from groundtrace_app.tools.lookup_params import LookupParams
from groundtrace_app.tools.query_logs import LogParams
from groundtrace_app.tools.query_metrics import MetricParams

CHECK_ANSWER, SESSION_SUMMARY = "check_answer", "session_summary"
NAMES_SHOWN = 20
"""So many names of one kind a description tells of a source."""

_READS = ToolAnnotations(read_only_hint=True)
_MODELS: Mapping[str, type[BaseModel]] = {
    "lookup_knowledge": LookupParams,
    "query_logs": LogParams,
    "query_metrics": MetricParams,
}


class CheckParams(BaseModel):
    """What `check_answer` takes."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, strict=True)

    question: str = Field(description="what the user asked, word for word", min_length=1, max_length=20_000)
    answer: str = Field(description="the answer as the user would get it", min_length=1, max_length=100_000)


class SummaryParams(BaseModel):
    """What `session_summary` takes."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


_OWN = (
    Tool(
        name=CHECK_ANSWER,
        description="Check a drafted answer against what the tools of this session returned, before the user sees it. "
        "Returns the text that the user may see: the answer with what it rests on, or what could not be confirmed.",
        input_schema=CheckParams.model_json_schema(),
    ),
    Tool(
        name=SESSION_SUMMARY,
        description="Sum up what the tools of this session returned so far: found, empty, failed, repeated.",
        input_schema=SummaryParams.model_json_schema(),
        annotations=_READS,
    ),
)


def offered(specs: Sequence[ToolSpec], /) -> list[Tool]:
    """Return all tools that can be called, those with a source first."""
    return [*(_evidence_tool(spec) for spec in specs), *_OWN]


def _evidence_tool(spec: ToolSpec) -> Tool:
    return Tool(
        name=spec.name,
        description=f"{spec.purpose}. {_held(spec.source)}".strip(),
        input_schema=_schema(spec),
        annotations=_READS,
    )


def _schema(spec: ToolSpec) -> dict[str, Any]:
    model = _MODELS.get(spec.name)
    schema: dict[str, Any] = {"type": "object", "properties": {}} if model is None else model.model_json_schema()
    schema.pop("description", None)
    for name, words in spec.parameters.items():
        schema["properties"].setdefault(name, {})["description"] = words
    return schema


def _held(source: Description) -> str:
    """Return in words what a source holds, as far as it fits."""
    kinds = {**source.entities, "metrics": source.metrics, "titles": source.titles}
    told = [f"{name}: {_some(values)}" for name, values in kinds.items() if values]
    span = [moment.isoformat() for moment in (source.earliest, source.latest) if moment is not None]
    told += [f"from {span[0]} to {span[-1]}"] if span else []
    return f"The source {source.name} holds {'; '.join(told)}." if told else ""


def _some(values: Sequence[str]) -> str:
    more = len(values) - NAMES_SHOWN
    return ", ".join(values[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
