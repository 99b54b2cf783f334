"""The runs of tools that steps tell of, each once: a client's and its server's spans of one call are one run."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.arguments import read_arguments
from groundtrace.transcripts.lineage import Lineage
from groundtrace.transcripts.steps import Step, ToolStep, mark_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A tool's run as a step tells it; `number` is its place among all."""

    step: Step
    tool: ToolStep
    number: int


def distinct_runs(runs: Iterable[Run], lineage: Lineage, /) -> Iterator[Run]:
    """Yield the runs without those that tell of the same call again: below another run of it, or beside, by its id."""
    kept: dict[str, Run] = {}
    by_call: dict[str, str] = {}
    for run in sorted(runs, key=lambda run: (_seconds(run), lineage.depth(run.step.id), run.number)):
        name = run.step.id or f"run {run.number}"
        twin = name if name in kept else _above(run, kept, lineage) or _beside(run, kept, by_call)
        if twin is not None and _same(kept[twin].tool, run.tool):
            name = twin
            kept[name] = replace(kept[name], tool=_filled(kept[name].tool, run.tool))
        else:
            name = f"{name} {run.number}" if name in kept else name
            kept[name] = run
        if kept[name].tool.call_id:
            by_call[kept[name].tool.call_id or ""] = name
    return iter(kept.values())


def _above(run: Run, kept: Mapping[str, Run], lineage: Lineage) -> str | None:
    """Return the run that a run is a part of, unless an agent stands between."""
    for one in lineage.above(run.step.id):
        if one in kept:
            return one
        if lineage.agent(one):
            break
    return None


def _beside(run: Run, kept: Mapping[str, Run], by_call: Mapping[str, str]) -> str | None:
    name = by_call.get(run.tool.call_id or "")
    if name is None or run.step.start is None:
        return None
    ended = kept[name].step.end
    return name if ended is not None and run.step.start < ended else None


def _same(one: ToolStep, other: ToolStep) -> bool:
    ids = one.call_id is None or other.call_id is None or one.call_id == other.call_id
    arguments = (
        one.arguments is None
        or other.arguments is None
        or arguments_mark(one.arguments) == arguments_mark(other.arguments)
    )
    return one.name == other.name and ids and arguments


def _filled(one: ToolStep, other: ToolStep) -> ToolStep:
    """Return a run with what only another record of it tells; a failure that either tells counts."""
    ended = other if not one.done or (other.failed and not one.failed) else one
    return replace(
        ended,
        call_id=one.call_id or other.call_id,
        arguments=one.arguments if one.arguments is not None else other.arguments,
        sure=one.sure or other.sure,
    )


def _seconds(run: Run) -> float:
    return run.step.start.timestamp() if run.step.start is not None else float("inf")


def arguments_mark(arguments: JsonValue, /) -> str:
    """Return what is equal for equal arguments, written or not."""
    return mark_of(read_arguments(arguments).params.value)
