"""A call that waits for its result, and the turn that it stands in."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from groundtrace.transcripts.arguments import Arguments
from groundtrace.transcripts.events import Called


@dataclass(slots=True, kw_only=True)
class OpenCall:
    """A call that waits for its result; `maybe` is a second record of a call, which is a call only if it has one.

    `question` tells what was asked, the tool and its arguments; `key` tells the peer's id besides.
    """

    called: Called
    name: str
    question: str
    key: str
    arguments: Arguments
    turn_id: str
    seq: int
    before: datetime | None
    twins: int = 0
    maybe: bool = False


@dataclass(slots=True, kw_only=True)
class Turn:
    """One question and the last text that followed it."""

    number: int
    questions: list[str] = field(default_factory=list)
    text: str = ""
    at: datetime | None = None
    offset: timedelta = timedelta()
    calls: int = 0

    @property
    def turn_id(self) -> str:
        """Return the turn's name in its session."""
        return f"turn-{self.number}"

    @property
    def question(self) -> str:
        """Return what was asked."""
        return "\n\n".join(self.questions)
