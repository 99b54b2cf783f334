"""From a parsed verdict to a decision: the ceiling that the recorded evidence sets (DESIGN section 8)."""

from dataclasses import dataclass
from enum import StrEnum

from groundtrace.verdict import Cause, Verdict


class PassNeeds(StrEnum):
    """What a PASS must cite: any Success, or at least one with DIRECT support."""

    ANY = "any"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict after the ceiling, its cause, and what it rests on.

    `cited` are ids of the cited rows, in the order cited; `unknown` the citations that name no shown row, as written
    (bounded). `own` is the verdict that the reply itself carried, None for a fallback. Holds no text of the answer
    and none of the verifier's reasons, so that it may be logged.
    """

    verdict: Verdict
    cause: Cause
    own: Verdict | None = None
    cited: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def fallback(self) -> bool:
        """Tell whether no well-formed reply stands behind the decision."""
        return self.own is None
