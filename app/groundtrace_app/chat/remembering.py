"""What this process still knows of calls whose turn is not over: their rows and whole outputs, within bounds.

The store keeps a preview of a large output; a verifier reads the whole (DESIGN section 4). What is forgotten here is
read from the store, as far as that has it.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from typing_extensions import override

from groundtrace import outcomes
from groundtrace.invocation import NAME_CHARACTERS, ToolCall
from groundtrace.outcomes import FailureKind
from groundtrace.ports import Receipt, RowSink
from groundtrace.preview import whole_redacted
from groundtrace.recording import RecordRules, outcome_of
from groundtrace.redaction import Redactor
from groundtrace.retrieval import Retrieval
from groundtrace.text import clean, cut
from groundtrace_adapters.forking import call_in_child
from groundtrace_app.chat.turn import HELD_A_CALL, HELD_A_TURN, Done
from groundtrace_app.clock import Clock
from groundtrace_app.recorder import OpenCall, ToolInvocationRecorder

CALLS_KEPT = 1_000
TURNS_KEPT = 1_000
HELD_IN_ALL = 64 * 1024 * 1024
"""Whole outputs held over all turns, in characters; beyond, the turn that was quiet the longest is forgotten."""

IDS_KEPT = 20_000
"""Of so many calls it is known to which turn they belong, also when that turn is over."""


class Kept(NamedTuple):
    """One ended call: its receipt (None: it could not be handed over), and its output if that is held."""

    receipt: Receipt | None
    output: outcomes.Output | None


@dataclass(slots=True)
class _Turn:
    calls: deque[Kept] = field(default_factory=deque)
    characters: int = 0


class TurnMemory:
    """Remembers calls by session and turn; may be used from any thread."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._turns: OrderedDict[tuple[str, str | None], _Turn] = OrderedDict()
        self._turn_of: OrderedDict[tuple[str, str], str | None] = OrderedDict()
        self._characters = 0
        call_in_child(self._free_lock)

    def keep(self, session_id: str, turn_id: str | None, call_id: str, kept: Kept, /) -> None:
        """Remember an ended call; an output that is too large to hold is let go."""
        turn_id = stored_turn_id(turn_id)
        with self._lock:
            turn = self._turns.setdefault((session_id, turn_id), _Turn())
            self._turns.move_to_end((session_id, turn_id))
            size = _size(kept)
            if size > HELD_A_CALL or turn.characters + size > HELD_A_TURN:
                size, kept = 0, kept._replace(output=None)
            turn.calls.append(kept)
            freed = _size(turn.calls.popleft()) if len(turn.calls) > CALLS_KEPT else 0
            turn.characters += size - freed
            self._characters += size - freed
            self._turn_of[session_id, call_id] = turn_id
            self._bound()

    def calls(self, session_id: str, turn_id: str | None, /) -> tuple[Kept, ...]:
        """Return the calls of a turn in the order of their ends; those of the whole session where it is None."""
        with self._lock:
            return tuple(kept for key in self._keys(session_id, turn_id) for kept in self._turns[key].calls)

    def elsewhere(self, session_id: str, turn_id: str | None, /) -> frozenset[str]:
        """Return ids of calls of the session that are known to be of other turns than this one."""
        if turn_id is None:
            return frozenset()
        with self._lock:
            known = tuple(self._turn_of.items())
        return frozenset(call for (session, call), turn in known if session == session_id and turn != turn_id)

    def forget(self, session_id: str, turn_id: str | None, /) -> None:
        """Let go of a turn, or of a whole session; to which turn a call belongs stays known."""
        with self._lock:
            for key in self._keys(session_id, turn_id):
                self._characters -= self._turns.pop(key).characters

    def _keys(self, session_id: str, turn_id: str | None) -> list[tuple[str, str | None]]:
        if turn_id is not None:
            return [(session_id, turn_id)] if (session_id, turn_id) in self._turns else []
        return [key for key in self._turns if key[0] == session_id]

    def _bound(self) -> None:
        while len(self._turns) > TURNS_KEPT or (self._characters > HELD_IN_ALL and len(self._turns) > 1):
            self._characters -= self._turns.popitem(last=False)[1].characters
        while len(self._turn_of) > IDS_KEPT:
            self._turn_of.popitem(last=False)

    def _free_lock(self) -> None:
        self._lock = threading.Lock()


class RememberingRecorder(ToolInvocationRecorder):
    """A recorder whose calls are remembered until their turn is over."""

    def __init__(self, sink: RowSink, memory: TurnMemory, /, *, rules: RecordRules, clock: Clock | None = None) -> None:
        """Record into `sink`, and remember in `memory`."""
        super().__init__(sink, rules=rules, clock=clock)
        self._memory = memory

    @override
    def record(self, call: ToolCall | OpenCall, outcome: outcomes.Outcome, /) -> Receipt | None:
        return self._remembered(call, super().record(call, outcome), outcome)

    @override
    def record_retrieval(
        self, call: ToolCall | OpenCall, retrieval: Retrieval | None, outcome: outcomes.Outcome, /
    ) -> Receipt | None:
        return self._remembered(call, super().record_retrieval(call, retrieval, outcome), outcome)

    def _remembered(
        self, call: ToolCall | OpenCall, receipt: Receipt | None, outcome: outcomes.Outcome
    ) -> Receipt | None:
        turn_id = call.turn_id if isinstance(call, ToolCall) else call.begun.turn_id
        output = None if isinstance(outcome, outcomes.Deduped) else outcome.output
        self._memory.keep(clean(call.session_id), turn_id, call.id, Kept(receipt, output))
        return receipt


def stored_turn_id(turn_id: str | None, /) -> str | None:
    """Return a turn id as its rows have it."""
    return None if turn_id is None else cut(clean(turn_id), NAME_CHARACTERS)


def done_of(kept: Sequence[Kept], redactor: Redactor, /) -> tuple[Done, ...]:
    """Return remembered calls as a turn reads them: each row built, each held output redacted."""
    return tuple(_done(one, redactor) for one in kept)


def _done(kept: Kept, redactor: Redactor) -> Done:
    if kept.receipt is None:
        unknown = outcomes.failure_because(FailureKind.NOT_RECORDED, "the call could not be recorded")
        return Done(row=None, outcome=unknown, text="", whole=False)
    row = kept.receipt.row
    whole = whole_redacted(kept.output, redactor, limit=HELD_A_CALL)
    if whole is None:
        return Done(row=row, outcome=outcome_of(row), text=row.output_preview or "", whole=False)
    return Done(row=row, outcome=outcome_of(row), text=whole, whole=True)


def _size(kept: Kept) -> int:
    return 0 if kept.output is None else len(kept.output)
