"""The values of one turn: its rules, what it is about, what it gathered, how it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from groundtrace.decision import Decision, PassNeeds
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.outcomes import Outcome
from groundtrace.ports import LanguageModel
from groundtrace.reply import Reply, ShowUnverified
from groundtrace.verdict import Cause

QUESTION_CHARACTERS = 32_000
"""The longest question, in characters; a longer one is refused, not cut."""

HELD_A_CALL = 1024 * 1024
HELD_A_TURN = 16 * 1024 * 1024
"""Whole redacted outputs held until the evaluation is stored, in characters (section 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRules:
    """Deadlines in seconds and bounds of one turn (section 10), and how strict the gate is.

    `turn_seconds` bounds planning, calls, drafting and verifying; the barrier and each read or write of the store have
    `flush_seconds` besides, so that a turn that is over still leaves its record.
    """

    tool_seconds: float = 30
    verifier_seconds: float = 60
    turn_seconds: float = 180
    flush_seconds: float = 10
    max_steps: int = 3
    max_calls: int = 24
    verifier_retries: int = 1
    pass_needs: PassNeeds = PassNeeds.ANY
    show_unverified: ShowUnverified = ShowUnverified.WHEN_LOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Who plays which role; a verifier of None means that nothing is verified, and so nothing passes."""

    planner: LanguageModel
    executor: LanguageModel
    verifier: LanguageModel | None


class Stage(StrEnum):
    """Where a turn is; told to whoever watches, never with a word of the answer."""

    PLAN = "plan"
    CALL = "call"
    RESULT = "result"
    DRAFT = "draft"
    VERIFY = "verify"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One step of a turn in words."""

    stage: Stage
    detail: str = ""


Watcher = Callable[[Progress], None]


class Reach(StrEnum):
    """Which calls are a turn's: those that this service made, all recorded under its id, or all of its session."""

    MADE = "made"
    TURN = "turn"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a turn is about: the question as asked, its place, and when its time is over (monotonic seconds).

    `elsewhere` are ids of calls of the session that are known to belong to other turns.
    """

    question: str
    session_id: str
    turn_id: str
    until: float
    history: tuple[str, ...] = ()
    reach: Reach = Reach.MADE
    elsewhere: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One call of the turn that has ended: its row (None if it could not be recorded) and what the agent reads."""

    row: Invocation | None
    outcome: Outcome
    text: str
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The calls of a turn in the order they were planned; `fault` is set where planning broke off."""

    calls: tuple[Done, ...] = ()
    fault: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """How a turn ended; `text` is all that the user sees.

    `reply` and `decision` are None for small talk, which rests on nothing; `evaluation` also where it was not stored.
    It is the stored record less what the user was not shown, so that no field of a turn holds that (section 9).
    """

    session_id: str
    turn_id: str
    text: str
    reply: Reply | None = None
    decision: Decision | None = None
    evaluation: Evaluation | None = None
