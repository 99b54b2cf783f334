"""The planner role: which calls would answer the question, from what it names and what the sources hold.

At most CALLS calls a step and STEPS steps. First what happened (logs, metrics) or what is written (knowledge); then
what the first look suggests.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundtrace.roles import PlanRequest, ToolSpec
from groundtrace_adapters.models.rules.asking import is_of_all, shapes_of
from groundtrace_adapters.models.rules.entities import Name, names_in
from groundtrace_adapters.models.rules.evidence import read_rows
from groundtrace_adapters.models.rules.follow_up import (
    lacks_own_words,
    later_query,
    section_uris,
    wants_all_entries,
)
from groundtrace_adapters.models.rules.log_plan import log_calls, word_calls
from groundtrace_adapters.models.rules.looking import Looking, looking
from groundtrace_adapters.models.rules.metric_plan import metric_calls
from groundtrace_adapters.models.rules.subject import Subject, read_subject
from groundtrace_adapters.models.rules.words import PROCEDURE, STOP, tokens

CALLS = 8
STEPS = 3
RUNBOOKS = 3
_UNTELLING = STOP | PROCEDURE
_LOGS, _METRICS, _KNOWLEDGE = "query_logs", "query_metrics", "lookup_knowledge"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    subject: Subject
    looking: Looking
    tools: Mapping[str, ToolSpec]
    names: tuple[Name, ...]


_Call = tuple[str, Mapping[str, object]]


def plan(request: PlanRequest, /) -> str:
    """Return the plan as JSON text; no calls means that enough is seen."""
    if request.step > STEPS:
        return _text(())
    scene = _scene(request)
    calls = _first(scene) if not request.seen else _second(scene, request)
    made = [(row.tool, row.params) for row in read_rows(request.seen)]
    return _text([call for call in calls if call not in made][:CALLS])


def _scene(request: PlanRequest) -> _Scene:
    tools = {tool.name: tool for tool in request.tools}
    timed = [tools[name].source for name in (_LOGS, _METRICS) if name in tools]
    names = names_in(*(source.entities for source in timed))
    metrics = tools[_METRICS].source.metrics if _METRICS in tools else ()
    subject = read_subject(request.question, now=request.now, names=names, metrics=metrics)
    where = looking(subject.asked, request.now, timed, of_all=is_of_all(shapes_of(subject)))
    return _Scene(subject=subject, looking=where, tools=tools, names=names)


def _first(scene: _Scene) -> list[_Call]:
    if scene.subject.procedural and _KNOWLEDGE in scene.tools:
        return [_lookup(scene.subject.text, scene)]
    calls: list[_Call] = []
    if _LOGS in scene.tools:
        source = scene.tools[_LOGS].source
        calls += [(_LOGS, params) for params in log_calls(scene.subject, scene.looking, source)]
    if _METRICS in scene.tools:
        source = scene.tools[_METRICS].source
        calls += [(_METRICS, params) for params in metric_calls(scene.subject, scene.looking, source)]
    if not calls and _KNOWLEDGE in scene.tools:
        calls.append(_lookup(scene.subject.text, scene))
    return calls


def _second(scene: _Scene, request: PlanRequest) -> list[_Call]:
    rows = read_rows(request.seen)
    if request.step > 2:
        return []
    if scene.subject.procedural:
        return [(_KNOWLEDGE, {"uri": uri}) for uri in section_uris(scene.subject, rows)]
    calls: list[_Call] = []
    if _LOGS in scene.tools and wants_all_entries(scene.subject, rows):
        source = scene.tools[_LOGS].source
        calls += [(_LOGS, params) for params in log_calls(scene.subject, scene.looking, source, every=True)]
    if _LOGS in scene.tools and lacks_own_words(scene.subject, rows):
        calls += [(_LOGS, params) for params in word_calls(scene.subject, scene.looking)]
    asked_before = any(shown.row.tool_name == _KNOWLEDGE for shown in request.seen)
    query = later_query(scene.subject, rows) or (scene.subject.text if calls else "")
    if _KNOWLEDGE in scene.tools and query and not asked_before:
        calls.append(_lookup(query, scene))
    return calls


def _lookup(query: str, scene: _Scene) -> _Call:
    titles = scene.tools[_KNOWLEDGE].source.titles
    named = _title_in(query, titles)
    words = (word.strip("?!.,;:") for word in query.split())
    telling = " ".join(word for word in words if not set(tokens(word)) <= _UNTELLING)
    return _KNOWLEDGE, {"query": named or telling or query, "top_k": RUNBOOKS}


def _title_in(query: str, titles: Iterable[str]) -> str:
    """Return the title that a question holds as a whole, if it is one word of its own (an alert's name)."""
    words = {word.strip("?.,:;!'\"`()").casefold() for word in query.split()}
    return next((title for title in titles if " " not in title and title.casefold() in words), "")


def _text(calls: Iterable[_Call]) -> str:
    return json.dumps({"calls": [{"tool": tool, "params": dict(params)} for tool, params in calls]}, ensure_ascii=False)
