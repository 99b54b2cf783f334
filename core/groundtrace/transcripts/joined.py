"""What the joining of a transcript gives: calls with their outcomes, answers, and what was found beside them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from groundtrace import outcomes
from groundtrace.invocation import ToolCall
from groundtrace.text import clean, cut

NOTES_KEPT = 20
"""So many findings are told with their place; all are counted."""

TYPES_COUNTED = 50
TYPE_CHARACTERS = 80


class Finding(StrEnum):
    """What a transcript holds that a reader of its rows should know of."""

    MISSING_RESULT = "missing_results"
    ORPHAN = "orphans"
    REPLAYED = "replayed_results"
    DUPLICATE = "duplicate_calls"
    SHARED_ID = "shared_call_ids"
    ARGUMENTS = "odd_arguments"
    CONTRADICTED = "contradicted_flags"
    UNDATED = "undated_calls"
    CLOCK = "clock_ran_back"


FINDING_WORDS: Mapping[Finding, str] = {
    Finding.MISSING_RESULT: "no result was recorded; kept as a failure",
    Finding.ORPHAN: "a result without a call; no evidence",
    Finding.REPLAYED: "a further result of a finished call; the first one counts",
    Finding.DUPLICATE: "a second record of the same call",
    Finding.SHARED_ID: "two open calls have one id; results go to them in order",
    Finding.ARGUMENTS: "the arguments are no proper JSON object",
    Finding.CONTRADICTED: "the output contradicts the recorder's own flag",
    Finding.UNDATED: "no time of its own",
    Finding.CLOCK: "the end stands before the start",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCall:
    """One call as it goes to the recorder."""

    call: ToolCall
    outcome: outcomes.Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedAnswer:
    """The last text of a turn: what its user was given; `id` is the evaluation's."""

    session_id: str
    turn_id: str
    id: str
    at: datetime
    question: str
    text: str


Joined: TypeAlias = ImportedCall | ImportedAnswer


@dataclass(slots=True, kw_only=True)
class Findings:
    """Counts over one file, bounded whatever it holds."""

    sessions: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    found: Counter[Finding] = field(default_factory=Counter)
    notes: list[tuple[str, str]] = field(default_factory=list)
    known: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def any(self) -> bool:
        """Tell whether anything of the format was found: a call, an answer, a result, a record of a known type."""
        return bool(self.calls or self.answers or self.found or self.known)

    def note(self, finding: Finding, place: str, what: str = "") -> None:
        """Count a finding, and keep the first ones with their place."""
        self.found[finding] += 1
        if len(self.notes) < NOTES_KEPT and finding is not Finding.UNDATED:
            said = FINDING_WORDS[finding]
            self.notes.append((place, f"{cut(clean(what), TYPE_CHARACTERS)}: {said}" if what else said))

    def skip(self, what: str, *, known: bool) -> None:
        """Count a record that tells of no call."""
        if known:
            self.known += 1
            return
        name = cut(clean(what), TYPE_CHARACTERS)
        self.unknown[name if name in self.unknown or len(self.unknown) < TYPES_COUNTED else "other types"] += 1
