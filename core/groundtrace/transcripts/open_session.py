"""A session under way in a transcript: its open calls, a window of finished ones, its turn."""

from collections import OrderedDict
from collections.abc import Iterator
from datetime import datetime, timedelta

from groundtrace import outcomes
from groundtrace.judging import QUESTION_CHARACTERS
from groundtrace.outcomes import OutcomeKind
from groundtrace.text import is_blank
from groundtrace.transcripts.arguments import Arguments
from groundtrace.transcripts.events import Answered, Asked, Called, Returned
from groundtrace.transcripts.finished_calls import FinishedCalls
from groundtrace.transcripts.open_call import OpenCall, Turn
from groundtrace.transcripts.steps import mark_of

OPEN_CALLS = 500
"""So many calls of a session wait for their results; then the oldest has none."""

WAITING_TURNS = 64

STEP = timedelta(microseconds=1)
"""So far apart are answers that share one time, that their order holds."""

_SAME = timedelta(milliseconds=1)


class OpenSession:
    """What is known of one session so far."""

    __slots__ = ("_answered", "_finished", "_last", "_left_at", "_open", "_turn", "id", "seq")

    def __init__(self, session_id: str, finished: FinishedCalls, /, *, seq: int = 0, turn: int = 0) -> None:
        """Begin a session, or go on with one of which more comes."""
        self.id = session_id
        self.seq = seq
        self._turn = Turn(number=turn + 1)
        self._open: OrderedDict[int, OpenCall] = OrderedDict()
        self._finished = finished
        self._answered: list[Turn] = []
        self._last: datetime | None = None
        self._left_at: datetime | None = None

    @property
    def turns(self) -> int:
        """Return the number of the current turn."""
        return self._turn.number

    def saw(self, moment: datetime | None, /) -> None:
        """Remember the latest time told."""
        if moment is not None and (self._last is None or moment > self._last):
            self._last = moment

    def said_before(self, event: Asked | Answered, /) -> bool:
        """Tell whether this very message was read before: by its id and text, so that one written anew counts."""
        if event.message_id is None:
            return False
        return self._finished.said_before(self.id, f"{event.message_id} {mark_of(event.text)}")

    def ask(self, text: str, /) -> None:
        """Begin a turn, unless nothing came since the last question: then both are asked together."""
        if self._turn.calls or self._turn.text:
            self._leave()
            self._turn = Turn(number=self._turn.number + 1)
        room = QUESTION_CHARACTERS - sum(map(len, self._turn.questions))
        if room > 0 and not is_blank(text):
            self._turn.questions.append(text[: room + 1])

    def answer(self, event: Answered, /) -> None:
        """Take a text in place of the turn's earlier ones."""
        self._turn.text = event.text
        self._turn.at = event.at or self._last
        self._turn.offset = timedelta(milliseconds=self.seq) + self._turn.number * STEP

    def answered(self, *, closing: bool) -> Iterator[Turn]:
        """Yield finished turns whose calls all have their results; all turns where the session ends."""
        if closing:
            self._leave()
        waiting = set() if closing else {call.turn_id for call in self._open.values() if not call.maybe}
        ready = [turn for turn in self._answered if turn.turn_id not in waiting]
        ready = ready or self._answered[:-WAITING_TURNS]
        for turn in ready:
            self._answered.remove(turn)
            yield turn

    def open(self, event: Called, name: str, arguments: Arguments, /, *, question: str, key: str) -> None:
        """Keep a call until its result comes."""
        self.seq += 1
        self._turn.calls += 1
        before = self._last if event.at is None else None
        self._open[self.seq] = OpenCall(
            called=event,
            name=name,
            question=question,
            key=key,
            arguments=arguments,
            turn_id=self._turn.turn_id,
            seq=self.seq,
            before=before,
        )

    def settled(self, call_id: str | None, /) -> Iterator[OpenCall]:
        """Yield second records for which no result came before a new call took their id."""
        for call in [one for one in self._open.values() if one.maybe and one.called.call_id == call_id]:
            yield self._open.pop(call.seq)

    def overdue(self) -> Iterator[OpenCall]:
        """Yield the oldest calls where too many are open."""
        while len(self._open) > OPEN_CALLS:
            yield self._open.popitem(last=False)[1]

    def has_open(self, call_id: str | None, /) -> bool:
        """Tell whether a call with this id waits."""
        return call_id is not None and any(call.called.call_id == call_id for call in self._open.values())

    def knows(self, key: str, /) -> bool:
        """Tell whether this very call was seen before."""
        return self._finished.has(self.id, key) or any(call.key == key for call in self._open.values())

    def twin(self, key: str, /) -> bool:
        """Tell whether this very call is open already, and count it there: a call of its own if a result comes."""
        for call in self._open.values():
            if call.key == key and call.called.call_id is not None and not call.maybe:
                call.twins += 1
                return True
        return False

    def claim(self, event: Returned, /) -> OpenCall | None:
        """Return the call that a result belongs to: by id, in order; without an id the oldest one of that tool."""
        found = [call for call in self._open.values() if _matches(call, event)]
        named = [call for call in found if event.tool_name is not None and call.name == event.tool_name]
        call = next(iter(named or found), None)
        if call is None:
            return None
        del self._open[call.seq]
        if call.twins:
            self._open_twin(call)
        return call

    def _open_twin(self, call: OpenCall) -> None:
        self.seq += 1
        self._open[self.seq] = OpenCall(
            called=call.called,
            name=call.name,
            question=call.question,
            key=call.key,
            arguments=call.arguments,
            turn_id=call.turn_id,
            seq=self.seq,
            before=call.before,
            twins=call.twins - 1,
            maybe=True,
        )

    def done(self, call: OpenCall, row_id: str, outcome: outcomes.Outcome, /) -> None:
        """Remember a finished call."""
        self._finished.add(
            self.id,
            key=call.key,
            call_id=call.called.call_id,
            question=call.question,
            row_id=row_id,
            outcome=outcome,
        )

    def finished(self, call_id: str, /) -> bool:
        """Tell whether a call with this id has its result."""
        return self._finished.has_id(self.id, call_id)

    def earlier(self, question: str, /) -> tuple[str, OutcomeKind] | None:
        """Return the last call of the same tool with the same arguments, and what it amounted to."""
        return self._finished.earlier(self.id, question)

    def occurrence(self, moment: datetime, key: str, /) -> int:
        """Return how often this very call was seen at this time before."""
        return self._finished.occurrence(self.id, f"{moment.isoformat()} {key}")

    def rest(self) -> Iterator[OpenCall]:
        """Yield the calls that have no result, the oldest first; of a second record too."""
        while self._open:
            call = self._open.popitem(last=False)[1]
            yield call
            if call.twins:
                self._open_twin(call)

    def _leave(self) -> None:
        if self._turn.text:
            self._turn.at = self._left_at = self._in_order(self._turn.at)
            self._answered.append(self._turn)
            self._turn = Turn(number=self._turn.number)

    def _in_order(self, moment: datetime | None) -> datetime | None:
        """Return an answer's time, a step behind the answer before it where both have the same one."""
        before = self._left_at
        if moment is None or before is None or not before - _SAME < moment <= before:
            return moment
        return before + STEP


def _matches(call: OpenCall, event: Returned) -> bool:
    if event.call_id is None:
        return event.tool_name is None or event.tool_name == call.name
    return call.called.call_id in (event.call_id, None)
