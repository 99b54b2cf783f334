"""Puts together what messages and runs tell of the same call: the one asked for it, the other has its times and fate.

They are matched by the peer's id; where a run has none, by tool and arguments, then by tool and order.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.arguments import read_arguments
from groundtrace.transcripts.asked_calls import AskedCall, Order
from groundtrace.transcripts.attributes import unwritten
from groundtrace.transcripts.events import Called, Returned
from groundtrace.transcripts.lineage import Lineage
from groundtrace.transcripts.runs import Run, arguments_mark, distinct_runs

_MARK = 8


LOOKED_AT = 1_000
"""So many calls are looked at for one that a run may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeCall:
    """A call with all that is known of it."""

    called: Called
    returned: Returned | None
    order: Order


def whole_calls(asked: Iterable[AskedCall], runs: Iterable[Run], lineage: Lineage, /) -> Iterator[WholeCall]:
    """Yield each call once; a run that nobody asked for is a call too, if it is sure to be one."""
    wanted = sorted(asked, key=lambda one: one.order.key)
    found: dict[int, Run] = {}
    left = list(distinct_runs(runs, lineage))
    for key in _KEYS:
        left = _match(wanted, left, found, key)
    for number, call in enumerate(wanted):
        yield _together(call, found.get(number))
    used: set[str] = {_call_id(call) for call in wanted}
    for run in left:
        if run.tool.sure:
            yield _alone(run, used)


def _by_both(name: str, call_id: str | None, arguments: JsonValue) -> tuple[str, ...] | None:
    if call_id is None or arguments is None:
        return None
    return (name, call_id, arguments_mark(arguments))


def _by_id(name: str, call_id: str | None, arguments: JsonValue) -> tuple[str, ...] | None:
    del arguments
    return None if call_id is None else (name, call_id)


def _by_arguments(name: str, call_id: str | None, arguments: JsonValue) -> tuple[str, ...] | None:
    del call_id
    return None if arguments is None else (name, arguments_mark(arguments))


def _by_name(name: str, call_id: str | None, arguments: JsonValue) -> tuple[str, ...] | None:
    del call_id, arguments
    return (name,)


_Key = Callable[[str, str | None, JsonValue], tuple[str, ...] | None]
_SURE: tuple[_Key, ...] = (_by_both, _by_id)
_KEYS: tuple[_Key, ...] = (*_SURE, _by_arguments, _by_name)


def _match(wanted: Sequence[AskedCall], runs: list[Run], found: dict[int, Run], key: _Key) -> list[Run]:
    """Match runs with calls that have none yet, in order; return the runs that are left."""
    free: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, call in enumerate(wanted):
        called = call.called
        name = key(called.tool_name, called.call_id, _given(called.arguments))
        if number not in found and name is not None:
            free[name].append(number)
    left = []
    for run in runs:
        name = key(run.tool.name, run.tool.call_id, run.tool.arguments)
        may = (
            one for one in islice(free.get(name or (), ()), LOOKED_AT) if key in _SURE or _may_be(wanted[one], run, key)
        )
        which = next(may, None)
        if which is None:
            left.append(run)
            continue
        free[name or ()].remove(which)
        found[which] = run
    return left


def _may_be(call: AskedCall, run: Run, key: _Key) -> bool:
    """Tell whether a run without the id of a call can be its.

    Another id says no, or a start before it was asked, or other arguments where the call has its result already.
    """
    given = None if call.returned is None or key is not _by_name else _given(call.called.arguments)
    if given is not None and run.tool.arguments is not None:
        return False
    if run.tool.call_id is not None and call.called.call_id is not None:
        return False
    asked, began = call.called.at, run.step.start
    return asked is None or began is None or asked <= began


def _together(call: AskedCall, run: Run | None) -> WholeCall:
    called = replace(call.called, call_id=_call_id(call))
    returned = None if call.returned is None else replace(call.returned, call_id=called.call_id, at=None)
    if run is None:
        return WholeCall(called=called, returned=returned, order=call.order)
    began = run.step.start or called.at
    if called.arguments is None:
        called = replace(called, arguments=run.tool.arguments)
    order = Order(at=began or call.order.at, number=call.order.number)
    whole = replace(called, at=began, place=run.step.place)
    return WholeCall(called=whole, returned=_ended(whole, run, returned), order=order)


def _alone(run: Run, used: set[str]) -> WholeCall:
    own = run.tool.call_id
    call_id = own if own and own not in used else run.step.id or f"{own or run.tool.name}#{run.number}"
    used.add(call_id)
    called = Called(
        place=run.step.place,
        call_id=call_id,
        tool_name=run.tool.name,
        arguments=run.tool.arguments,
        at=run.step.start,
    )
    order = Order(at=run.step.start, number=run.number)
    return WholeCall(called=called, returned=_ended(called, run, None), order=order)


def _ended(called: Called, run: Run, told: Returned | None) -> Returned | None:
    """Return what came back: what the agent was given, unless the run kept an object of which that is a text."""
    tool = run.tool
    if told is None and not tool.done:
        return None
    kept = told is None or (tool.done and _is_object(tool.output) and not _is_object(told.output))
    return Returned(
        place=run.step.place,
        call_id=called.call_id,
        output=tool.output if kept or told is None else told.output,
        failed=tool.failed if tool.failed is not None or told is None else told.failed,
        error=tool.error or (None if told is None else told.error),
        kind=tool.kind or (None if told is None else told.kind),
        empty=tool.empty,
        repeated=tool.repeated,
        tool_name=called.tool_name,
        at=run.step.end,
    )


def _is_object(output: object) -> bool:
    return isinstance(unwritten(output) if isinstance(output, str) else output, dict | list)


def _call_id(call: AskedCall) -> str:
    """Return a call's id, which no other call of its session has."""
    name = call.called.call_id or f"{call.called.tool_name}-{arguments_mark(_given(call.called.arguments))[:_MARK]}"
    return name if call.number == 1 else f"{name}#{call.number}"


def _given(arguments: object) -> JsonValue:
    return None if arguments is None else read_arguments(arguments).params.value
