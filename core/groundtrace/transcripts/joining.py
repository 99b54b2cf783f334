"""Pairs the calls of a transcript with their results: every call becomes one row, whatever the file leaves out.

Pure but for its own state, which is bounded: open calls, a window of finished ones, and the turn of each session.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, assert_never

from groundtrace import outcomes
from groundtrace.invocation import ToolCall
from groundtrace.json_text import canonical, fingerprint_of
from groundtrace.outcomes import FailureKind
from groundtrace.row_ids import imported_id
from groundtrace.text import clean, is_blank
from groundtrace.transcripts.arguments import read_arguments
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Format, Returned, Skipped
from groundtrace.transcripts.flags import flagged
from groundtrace.transcripts.joined import Finding, Findings, ImportedAnswer, ImportedCall, Joined
from groundtrace.transcripts.open_call import OpenCall
from groundtrace.transcripts.open_session import OpenSession
from groundtrace.transcripts.sessions import Sessions
from groundtrace.transcripts.timing import UNDATED, Timing, timing_of

NO_RESULT = "no result was recorded for this call"


class Infer(Protocol):
    """Says what a call amounted to, from what came back."""

    def __call__(self, returned: Returned, /, *, tool_name: str, arguments: object) -> outcomes.Outcome:
        """Return the outcome; total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where events come from: the format, and the name of the file's own session.

    `name` stands for sessions without an id; with `prefix` it stands before each. `undated` is the start of calls for
    which the transcript tells no time at all.
    """

    format: Format
    name: str
    prefix: str | None = None
    undated: datetime = UNDATED


class Joining:
    """One file's events on their way to calls and answers."""

    def __init__(self, origin: Origin, /, *, infer: Infer) -> None:
        """Begin a file."""
        self._origin = origin
        self._infer = infer
        self._sessions = Sessions(origin.name, prefix=origin.prefix, unique=origin.format.unique_sessions)
        self.findings = Findings()

    def take(self, event: Event, /) -> Iterator[Joined]:
        """Yield what an event completes."""
        match event:
            case Skipped():
                self.findings.skip(event.what, known=event.known)
            case Ended():
                yield from self._close(self._sessions.take(event.session))
            case Called() | Returned() | Asked() | Answered():
                session = self._sessions.at(event.session)
                session.saw(event.at)
                yield from self._in_session(session, event)
                for crowded in self._sessions.crowded():
                    yield from self._close(crowded)
            case _:
                assert_never(event)

    def end(self) -> Iterator[Joined]:
        """Yield what is left: calls without a result, and last answers."""
        for session in self._sessions.all():
            yield from self._close(session)
        self.findings.sessions = self._sessions.count

    def _in_session(self, session: OpenSession, event: Called | Returned | Asked | Answered) -> Iterator[Joined]:
        match event:
            case Called():
                yield from self._called(session, event)
            case Returned():
                yield from self._returned(session, event)
                yield from self._answers(session)
            case Asked() | Answered() if session.said_before(event):
                self.findings.skip("a message written again", known=True)
            case Asked():
                session.ask(event.text)
                yield from self._answers(session)
            case Answered():
                if not is_blank(event.text):
                    session.answer(event)
            case _:
                assert_never(event)

    def _called(self, session: OpenSession, event: Called) -> Iterator[Joined]:
        arguments = read_arguments(event.arguments)
        name = clean(event.tool_name) if not is_blank(event.tool_name) else "unnamed"
        question = fingerprint_of(canonical([name, arguments.params.value]))
        key = fingerprint_of(f"{question} {clean(event.call_id or '')}")
        if self._unique(event) and session.knows(key):
            self.findings.note(Finding.DUPLICATE, event.place, event.call_id or "")
            return
        if session.twin(key):
            return
        for second in session.settled(event.call_id):
            yield from self._unanswered(session, second)
        if session.has_open(event.call_id):
            self.findings.note(Finding.SHARED_ID, event.place, event.call_id or "")
        if arguments.fault is not None:
            self.findings.note(Finding.ARGUMENTS, event.place, event.call_id or name)
        session.open(event, name, arguments, question=question, key=key)
        for overdue in session.overdue():
            yield from self._unanswered(session, overdue)

    def _returned(self, session: OpenSession, event: Returned) -> Iterator[Joined]:
        call = session.claim(event)
        if call is None:
            again = event.call_id is not None and session.finished(event.call_id)
            self.findings.note(Finding.REPLAYED if again else Finding.ORPHAN, event.place, event.call_id or "")
            return
        yield self._joined(session, call, event)

    def _joined(self, session: OpenSession, call: OpenCall, event: Returned) -> ImportedCall:
        timing = timing_of(call, event, undated=self._origin.undated, unique=self._unique(call.called))
        outcome, flag = flagged(event, self._infer(event, tool_name=call.name, arguments=call.called.arguments))
        row_id = self._id(session, call, timing)
        if isinstance(outcome, outcomes.Deduped) and not outcome.of:
            outcome = _referring(outcome, session.earlier(call.question))
        if flag is not None:
            self.findings.note(Finding.CONTRADICTED, event.place, call.called.call_id or call.name)
        session.done(call, row_id, outcome)
        return self._imported(session, call, outcome, timing, row_id, flag)

    def _unanswered(self, session: OpenSession, call: OpenCall) -> Iterator[Joined]:
        if call.maybe:
            self.findings.note(Finding.DUPLICATE, call.called.place, call.called.call_id or call.name)
        else:
            yield self._missing(session, call)

    def _missing(self, session: OpenSession, call: OpenCall) -> ImportedCall:
        self.findings.note(Finding.MISSING_RESULT, call.called.place, call.called.call_id or call.name)
        outcome = outcomes.failure_because(FailureKind.NOT_RECORDED, NO_RESULT)
        timing = timing_of(call, None, undated=self._origin.undated, unique=self._unique(call.called))
        return self._imported(session, call, outcome, timing, self._id(session, call, timing, "no result"), None)

    def _unique(self, called: Called) -> bool:
        return self._origin.format.unique_calls and called.call_id is not None

    def _id(self, session: OpenSession, call: OpenCall, timing: Timing, *more: str) -> str:
        occurrence = "" if self._unique(call.called) else str(session.occurrence(timing.id_time, call.key))
        return imported_id(timing.id_time, session.id, call.key, occurrence, *more)

    def _imported(
        self,
        session: OpenSession,
        call: OpenCall,
        outcome: outcomes.Outcome,
        timing: Timing,
        row_id: str,
        flag: str | None,
    ) -> ImportedCall:
        self.findings.calls[outcomes.kind_of(outcome).value] += 1
        if timing.told is not None:
            self.findings.note(Finding.UNDATED, call.called.place)
        if timing.skewed:
            self.findings.note(Finding.CLOCK, call.called.place, call.called.call_id or call.name)
        told = {
            "format": self._origin.format.name,
            "call_id": call.called.call_id,
            "called_by": call.called.by,
            "arguments": call.arguments.fault,
            "started_at": timing.told,
            "clock": "ran back" if timing.skewed else None,
            "flag": flag,
        }
        made = ToolCall(
            session_id=session.id,
            id=row_id,
            tool_name=call.name,
            input_params=call.arguments.params,
            started_at=timing.started_at,
            duration_ms=timing.duration_ms,
            turn_id=call.turn_id,
            seq=call.seq,
            details={"import": {name: value for name, value in told.items() if value is not None}},
        )
        return ImportedCall(call=made, outcome=outcome)

    def _answers(self, session: OpenSession, *, closing: bool = False) -> Iterator[Joined]:
        for turn in session.answered(closing=closing):
            self.findings.answers += 1
            at = turn.at if turn.at is not None else self._origin.undated + turn.offset
            # One text ends one turn, whatever time another file of the same session tells.
            row_id = imported_id(UNDATED, session.id, turn.turn_id, "answer", fingerprint_of(clean(turn.text)))
            yield ImportedAnswer(
                session_id=session.id,
                turn_id=turn.turn_id,
                id=row_id,
                at=at,
                question=turn.question,
                text=turn.text,
            )

    def _close(self, session: OpenSession | None) -> Iterator[Joined]:
        if session is None:
            return
        for call in session.rest():
            yield from self._unanswered(session, call)
        yield from self._answers(session, closing=True)


def _referring(told: outcomes.Deduped, earlier: tuple[str, outcomes.OutcomeKind] | None) -> outcomes.Deduped:
    return told if earlier is None else replace(told, of=(earlier[0],), inherited=earlier[1])
