"""Gathers the steps of a session, which come in any order and from several records, and tells it in order of time.

What waits is bounded: the session that was silent longest is told first where too much is held, and goes on later.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

from groundtrace.transcripts.asked_calls import Key, Messages, Order
from groundtrace.transcripts.events import Called, Ended, Event, Returned
from groundtrace.transcripts.lineage import Lineage
from groundtrace.transcripts.runs import Run
from groundtrace.transcripts.steps import Step, weight_of
from groundtrace.transcripts.whole_calls import whole_calls

HELD_BYTES = 32 * 1024 * 1024
"""So much of what steps tell is held at once, over all sessions, by a rough measure."""

SESSIONS_HELD = 1_000
RUNS_HELD = 2_000
TOLD_KEYS = 20_000
TRACES_KNOWN = 100_000


class Gathered:
    """One session as far as it came."""

    def __init__(self, session: str | None) -> None:
        """Begin with nothing."""
        self.session = session
        self._messages = Messages()
        self._runs: list[Run] = []
        self._lineage = Lineage()
        self._told: set[Key] = set()
        self._number = 0
        self.weight = 0

    @property
    def full(self) -> bool:
        """Tell whether more runs wait than may."""
        return len(self._runs) >= RUNS_HELD

    def take(self, step: Step) -> None:
        """Add a step."""
        self._lineage.add(step)
        before = self._messages.weight
        self._messages.take(step)
        self.weight += self._messages.weight - before + 200
        if step.tool is not None:
            self._number += 1
            self._runs.append(Run(step=replace(step, before=(), after=()), tool=step.tool, number=self._number))
            self.weight += weight_of(step.tool.arguments) + weight_of(step.tool.output)

    def absorb(self, other: "Gathered") -> None:
        """Add all of another one, which turned out to be the same session."""
        self._lineage.absorb(other._lineage)
        self._messages.absorb(other._messages)
        self._runs += [replace(run, number=run.number + self._number) for run in other._runs]
        self._number += other._number
        self.weight += other.weight

    def tell(self) -> Iterator[Event]:
        """Yield all that came since it was told last, in order."""
        messages = self._messages
        messages.settle()
        parts: list[tuple[Order, tuple[Event, ...]]] = []
        for key, said in messages.said.items():
            if key not in self._told and not all(map(self._lineage.nested, said.steps)):
                at = said.order.at
                parts.append((said.order, (replace(said.event, session=self.session, at=at),)))
        asked = [call for key, call in messages.calls.items() if key not in self._told]
        calls = whole_calls(asked, self._runs, self._lineage)
        parts += [(whole.order, self._call(whole.called, whole.returned)) for whole in calls]
        for _, events in sorted(parts, key=lambda part: part[0].key):
            yield from events
        known = {key[0] for key in (*messages.calls, *self._told)} | {run.tool.call_id for run in self._runs}
        for orphan in messages.orphans.values():
            if orphan.call_id is None or orphan.call_id not in known:
                yield replace(orphan, session=self.session, call_id=orphan.call_id or "no id")
        self._clear()

    def _call(self, called: Called, returned: Returned | None) -> tuple[Event, ...]:
        first = replace(called, session=self.session)
        return (first,) if returned is None else (first, replace(returned, session=self.session))

    def _clear(self) -> None:
        self._told |= {*self._messages.said, *self._messages.calls}
        if len(self._told) > TOLD_KEYS:
            self._told.clear()
        self._messages, self._runs, self._lineage, self.weight = Messages(), [], Lineage(), 0


class Gathering:
    """All sessions of a file; a trace belongs to the first conversation that one of its steps names."""

    def __init__(self, *, held: int = HELD_BYTES) -> None:
        """Begin with none; `held` is how many bytes may wait, by a rough measure."""
        self._most = held
        self._held: OrderedDict[str | None, Gathered] = OrderedDict()
        self._conversations: OrderedDict[str, str] = OrderedDict()
        self.weight = 0

    def take(self, step: Step) -> Iterator[Event]:
        """Add a step; yield what has to be told for the room it takes."""
        session = self._of(step)
        before = session.weight
        session.take(step)
        self.weight += session.weight - before
        if session.full:
            yield from self._tell(session)
        while self.weight > self._most:
            yield from self._tell(next(one for one in self._held.values() if one.weight))
        while len(self._held) > SESSIONS_HELD:
            yield from self._leave()

    def end(self) -> Iterator[Event]:
        """Yield the rest."""
        while self._held:
            yield from self._leave()

    def _of(self, step: Step) -> Gathered:
        known = self._conversations.get(step.trace or "")
        name = step.conversation or known or step.trace
        if step.conversation and step.trace and known is None:
            self._conversations[step.trace] = step.conversation
            if len(self._conversations) > TRACES_KNOWN:
                self._conversations.popitem(last=False)
            self._rename(step.trace, step.conversation)
        found = self._held.get(name)
        if found is None:
            found = self._held[name] = Gathered(name)
        self._held.move_to_end(name)
        return found

    def _rename(self, trace: str, conversation: str) -> None:
        """Give what came of a trace to its conversation, now that a step names it."""
        found = self._held.pop(trace, None) if trace != conversation else None
        if found is None:
            return
        there = self._held.get(conversation)
        if there is None:
            found.session = conversation
            self._held[conversation] = found
        else:
            there.absorb(found)

    def _tell(self, session: Gathered) -> Iterator[Event]:
        self.weight -= session.weight
        yield from session.tell()

    def _leave(self) -> Iterator[Event]:
        name, oldest = self._held.popitem(last=False)
        yield from self._tell(oldest)
        yield Ended(session=name)
