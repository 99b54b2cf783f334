"""What every framework shares: how a call begins to be recorded, and how a final answer is let out or replaced."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from groundtrace.classify import Classifier
from groundtrace.encoding import encode
from groundtrace.shapes.asked import limit_of
from groundtrace.text import is_blank
from groundtrace.verdict import Verdict
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.chat.turn import Turn
from groundtrace_app.frameworks.calls import BegunCall
from groundtrace_app.gate import Gate

_log = CarefulLog("groundtrace.gate")

Heard: TypeAlias = Callable[[Turn], None]
"""Is told each turn that was checked; it holds nothing that its user was not shown."""


class AnswerWithheldError(Exception):
    """Raised where an answer may not go out and no text can stand in its place: it was to be a structured value.

    Its text is the shaped reply, as is `turn.text`; neither holds the answer.
    """

    def __init__(self, turn: Turn, /) -> None:
        """Tell what may be shown instead."""
        super().__init__(turn.text)
        self.turn = turn


def nobody(_: Turn) -> None:
    """Hear nothing."""


class Place(NamedTuple):
    """Where in a trace a run belongs."""

    session_id: str
    turn_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """How one agent is recorded and its answers are checked.

    `session_id` counts before the session that the framework names; without either, each turn is a session of its own.
    `classify` decides what a tool's returned value amounts to. A confirmed answer goes out unchanged, with `cite`
    followed by the calls that it rests on.
    """

    gate: Gate
    session_id: str | None = None
    classify: Classifier | None = None
    cite: bool = False
    heard: Heard = nobody

    def place(self, session: str | None, turn: str | None, /) -> Place:
        """Return the place of a turn; `session` and `turn` are the framework's own words for it, where it has some."""
        turn_id = turn if turn is not None and not is_blank(turn) else self.gate.new_turn_id()
        named = (one for one in (self.session_id, session) if one is not None and not is_blank(one))
        return Place(next(named, turn_id), turn_id)

    def begin(self, tool_name: str, params: object, /, *, session_id: str, turn_id: str) -> BegunCall:
        """Begin a call; tell it `returned` or `raised`, the first of which is recorded."""
        recorder = self.gate.recorder
        opened = recorder.open(tool_name, params, session_id=session_id, turn_id=turn_id)
        return BegunCall(recorder, opened, self.classify, limit=limit_of(params))

    async def check(
        self, question: str, answer: str, /, *, session_id: str, turn_id: str, finish_reason: str | None = None
    ) -> Turn:
        """Return the checked turn, once it is heard."""
        turn = await self.gate.check(
            question, answer, session_id=session_id, turn_id=turn_id, finish_reason=finish_reason
        )
        self._tell(turn)
        return turn

    def check_now(
        self, question: str, answer: str, /, *, session_id: str, turn_id: str, finish_reason: str | None = None
    ) -> Turn:
        """Return what `check` does, from synchronous code."""
        turn = self.gate.check_now(
            question, answer, session_id=session_id, turn_id=turn_id, finish_reason=finish_reason
        )
        self._tell(turn)
        return turn

    def _tell(self, turn: Turn) -> None:
        try:
            self.heard(turn)
        except Exception as fault:  # noqa: BLE001 - a listener never breaks what it listens to
            _log.error("the listener of a checked turn raised %s", type(fault).__name__)

    def spoken(self, turn: Turn, answer: str, /) -> str:
        """Return the text that goes out for an answer: itself if it is confirmed, else the shaped reply."""
        return answer if passed(turn) and not self.cite else turn.text


def passed(turn: Turn, /) -> bool:
    """Tell whether a turn's answer is confirmed."""
    return turn.decision is not None and turn.decision.verdict is Verdict.PASS


def text_of(value: object, /) -> str:
    """Return a structured answer as the text that is checked: JSON, or what `str` makes of it."""
    if isinstance(value, str):
        return value
    form = encode(value)
    return form if isinstance(form, str) else json.dumps(form, ensure_ascii=False)
