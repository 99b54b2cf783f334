"""The planner's reply as calls (DESIGN section 10): strict, bounded, and never repaired."""

from collections.abc import Mapping
from dataclasses import dataclass

from returns import result
from returns.result import Result

from groundtrace.problem import Problem
from groundtrace.strict_json import Document, Json, parse_json

CALLS_A_STEP = 16
"""The most calls that one planner reply may ask for; more are refused, not cut."""

_FORM = 'write {"calls": [{"tool": NAME, "params": {...}}]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One call that the planner asks for; the tool may be unknown and the parameters wrong: the tool says so."""

    tool: str
    params: Mapping[str, object]


def parse_plan(text: str | None, /) -> Result[tuple[PlannedCall, ...], Problem]:
    """Return the calls of a plan `{"calls": [{"tool", "params"}]}`; an empty list means enough is seen."""
    if text is None:
        return result.Failure(_problem("the planner answered nothing"))
    return parse_json(text).alt(lambda fault: _problem(f"the plan is no strict JSON ({fault})")).bind(_calls_in)


def _calls_in(document: Document) -> Result[tuple[PlannedCall, ...], Problem]:
    plan = document.value
    calls = plan.get("calls") if isinstance(plan, dict) else None
    if document.repeated or not isinstance(calls, list):
        return result.Failure(_problem("the plan is no object with one list of calls"))
    if len(calls) > CALLS_A_STEP:
        return result.Failure(_problem(f"{len(calls)} calls in one step; at most {CALLS_A_STEP}"))
    read = tuple(_call(call) for call in calls)
    good = tuple(call for call in read if call is not None)
    if len(good) < len(read):
        return result.Failure(_problem(f"call {read.index(None) + 1} is no object with a tool and params"))
    return result.Success(good)


def _call(value: Json) -> PlannedCall | None:
    if not isinstance(value, dict) or not value.keys() <= {"tool", "params"}:
        return None
    tool, params = value.get("tool"), value.get("params", {})
    if not isinstance(tool, str) or not 0 < len(tool) <= 200 or not isinstance(params, dict):
        return None
    return PlannedCall(tool=tool, params=params)


def _problem(what: str) -> Problem:
    return Problem(what=what, where="planner", mend=_FORM)
