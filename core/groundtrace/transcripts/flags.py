"""The peer's own flags beside what a call amounted to: which of them decide, and which the output contradicts.

A flag can lower an outcome and never raise one; where the two disagree the row keeps both facts.
"""

import json
from typing import NamedTuple

from groundtrace import outcomes
from groundtrace.outcomes import Basis, NoEvidenceReason, Output
from groundtrace.transcripts.events import Returned

FAILED, FINE, NOTHING = "failed", "ok", "no data"
READS_AS_FAILURE = "its peer found nothing, and its output reads as a failure"


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
    match inferred:
        case outcomes.Failure() if inferred.basis is Basis.INFERRED:
            # The peer's word stands over words recognised in a text; what they say is then no proof of absence.
            return Flagged(_nothing(inferred.output, READS_AS_FAILURE), NOTHING)
        case outcomes.Failure():
            return Flagged(inferred, NOTHING)
        case outcomes.Success():
            return Flagged(_nothing(inferred.output, *inferred.partial), NOTHING if _is_data(inferred.output) else None)
        case _:
            return Flagged(inferred, None)


def _nothing(output: Output | None, *partial: str) -> outcomes.NoEvidence:
    return outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=output, partial=partial)


def _is_data(output: Output) -> bool:
    """Tell whether an output is plainly data: a list or object; words may say that there is none."""
    if output[:1] not in ("[", "{", b"[", b"{"):
        return False
    try:
        return isinstance(json.loads(output), dict | list)
    except (ValueError, RecursionError):
        return False
