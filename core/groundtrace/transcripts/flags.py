"""The peer's own flags beside what a call amounted to: which of them decide, and which the output contradicts.

A flag can lower an outcome and never raise one; where the two disagree the row keeps both facts.
"""

import json
from typing import NamedTuple

from groundtrace import outcomes
from groundtrace.outcomes import Basis, NoEvidenceReason, Output
from groundtrace.transcripts.events import Returned

FAILED, FINE, NOTHING = "failed", "ok", "no data"


class Flagged(NamedTuple):
    """An outcome under the peer's flags, and the flag that stands against it or its output, None where none does."""

    outcome: outcomes.Outcome
    against: str | None


def flagged(event: Returned, inferred: outcomes.Outcome, /) -> Flagged:
    """Return what a call amounted to: a refused repeat brings nothing new, what the peer found empty is no evidence."""
    if event.repeated and not isinstance(inferred, outcomes.Deduped):
        refused = outcomes.deduped_from("refused_repeat", (), basis=Basis.INFERRED)
        return Flagged(refused, FAILED if event.failed else None)
    if event.empty:
        return _found_empty(inferred)
    broke = isinstance(inferred, outcomes.Failure)
    if event.failed is None or event.failed == broke:
        return Flagged(inferred, None)
    return Flagged(inferred, FAILED if event.failed else FINE)


def _found_empty(inferred: outcomes.Outcome) -> Flagged:
    if isinstance(inferred, outcomes.Failure):
        return Flagged(inferred, NOTHING)
    if not isinstance(inferred, outcomes.Success):
        return Flagged(inferred, None)
    lowered = outcomes.NoEvidence(
        reason=NoEvidenceReason.EMPTY_RESULT, output=inferred.output, partial=inferred.partial
    )
    return Flagged(lowered, NOTHING if _is_data(inferred.output) else None)


def _is_data(output: Output) -> bool:
    """Tell whether an output is plainly data: a list or object; words may say that there is none."""
    if output[:1] not in ("[", "{", b"[", b"{"):
        return False
    try:
        return isinstance(json.loads(output), dict | list)
    except (ValueError, RecursionError):
        return False
