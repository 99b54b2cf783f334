"""The calls and words that a session's messages tell, each once, however often a history repeats them."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias, assert_never

from groundtrace.transcripts.arguments import read_arguments
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Returned, Skipped
from groundtrace.transcripts.steps import Step, mark_of, weight_of

Key: TypeAlias = tuple[str, ...]
STEPS_NAMED = 8


@dataclass(slots=True, kw_only=True)
class Order:
    """Where something stands: at a time, then in the order in which it was told."""

    at: datetime | None
    number: int

    @property
    def key(self) -> tuple[float, int]:
        """Return what sorts it among others; what has no time comes first."""
        return (self.at.timestamp() if self.at is not None else 0.0, self.number)

    def before(self, other: "Order") -> bool:
        """Tell whether this one comes first; a time that is told is better than none."""
        if self.at is None or other.at is None:
            return self.at is not None and other.at is None
        return self.at < other.at


@dataclass(slots=True, kw_only=True)
class Said:
    """A text of a user or an agent, and the steps whose messages hold it."""

    event: Asked | Answered
    order: Order
    steps: list[str | None]


@dataclass(slots=True, kw_only=True)
class AskedCall:
    """A call that a model asked for; `number` tells it from others of the same id, tool and arguments."""

    called: Called
    order: Order
    number: int
    returned: Returned | None = None


class Messages:
    """What the messages of a session's steps tell; each list is taken for a history of its own."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self.said: dict[Key, Said] = {}
        self.calls: dict[Key, AskedCall] = {}
        self.orphans: dict[Key, Returned] = {}
        self.weight = 0
        self._number = 0

    def take(self, step: Step, /) -> None:
        """Add what a step's messages tell that was not told before."""
        seen: Counter[Key] = Counter()
        waiting: dict[str, deque[AskedCall]] = {}
        for event, at in _timed(step):
            self._number += 1
            match event:
                case Asked() | Answered():
                    self._say(event, Order(at=at, number=self._number), step.id or step.parent, seen)
                case Called():
                    call = self._call(event, Order(at=at, number=self._number), seen)
                    waiting.setdefault(call.called.call_id or call.called.tool_name, deque()).append(call)
                case Returned():
                    self._return(event, waiting)
                case Skipped() | Ended():
                    pass
                case _:
                    assert_never(event)

    def settle(self) -> None:
        """Give results that stand alone in a list to calls of another one that have none: by id, else by tool."""
        waiting: defaultdict[str, deque[AskedCall]] = defaultdict(deque)
        for call in self.calls.values():
            if call.returned is None:
                for name in {call.called.call_id or "", call.called.tool_name} - {""}:
                    waiting[name].append(call)
        for key, orphan in list(self.orphans.items()):
            free = waiting[orphan.call_id or orphan.tool_name or ""]
            while free and free[0].returned is not None:
                free.popleft()
            if free:
                free.popleft().returned = self.orphans.pop(key)

    def absorb(self, other: "Messages", /) -> None:
        """Add all that another one holds; where both hold the same, what stands here stays."""
        for said in other.said.values():
            said.order.number += self._number
        for call in other.calls.values():
            call.order.number += self._number
        self.said = {**other.said, **self.said}
        self.calls = {**other.calls, **self.calls}
        self.orphans = {**other.orphans, **self.orphans}
        self._number += other._number
        self.weight += other.weight

    def _say(self, event: Asked | Answered, order: Order, step: str | None, seen: Counter[Key]) -> None:
        kind = "asked" if isinstance(event, Asked) else "answered"
        found = self.said.setdefault(
            _numbered((kind, mark_of(event.text)), seen), Said(event=event, order=order, steps=[])
        )
        if not found.steps:
            self.weight += weight_of(event.text)
        if len(found.steps) < STEPS_NAMED:
            found.steps.append(step)
        if order.before(found.order):
            found.order = order

    def _call(self, event: Called, order: Order, seen: Counter[Key]) -> AskedCall:
        arguments = read_arguments(event.arguments).params.value
        key = _numbered((event.call_id or "", event.tool_name, mark_of(arguments)), seen)
        found = self.calls.get(key)
        if found is None:
            found = self.calls[key] = AskedCall(called=event, order=order, number=int(key[-1]))
            self.weight += weight_of(event.arguments) + 500
        elif order.before(found.order):
            found.order = order
        return found

    def _return(self, event: Returned, waiting: dict[str, deque[AskedCall]]) -> None:
        calls = waiting.get(event.call_id or "") or waiting.get(event.tool_name or "")
        if calls:
            call = calls.popleft()
            if call.returned is None:
                call.returned = event
                self.weight += weight_of(event.output)
            return
        self.orphans.setdefault((event.call_id or "", event.tool_name or "", mark_of(event.output)), event)
        self.weight += weight_of(event.output)


def _timed(step: Step) -> Iterator[tuple[Event, datetime | None]]:
    """Yield a step's events with their times: what went in with the start, what came out with the end."""
    yield from ((event, event_time(event) or step.start) for event in step.before)
    for event in step.after:
        at = event_time(event) or step.end
        yield replace(event, at=at) if isinstance(event, Called | Answered) else event, at


def event_time(event: Event) -> datetime | None:
    """Return the time that an event tells itself."""
    return event.at if isinstance(event, Called | Returned | Asked | Answered) else None


def _numbered(key: Key, seen: Counter[Key]) -> Key:
    seen[key] += 1
    return (*key, str(seen[key]))
