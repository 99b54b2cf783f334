"""The outcome of an imported call: what its peer declared first, then whole known shapes, with basis `inferred`.

Only importers infer this much (DESIGN section 3): a recorder that was there when the call was made knows better. Every
rule looks at a whole answer, never for words inside one; what no rule knows is a Success of INDIRECT support.
"""

from dataclasses import replace

from groundtrace import outcomes
from groundtrace.inference.answers import text_of
from groundtrace.inference.call import Call
from groundtrace.inference.judging import Read, judged, pointed, read
from groundtrace.inference.peer_flags import FLAGGED_FAILED, FLAGGED_FINE, beside_flags, is_flagged
from groundtrace.inference.repeats import refuses_a_repeat
from groundtrace.outcomes import Basis, DedupReason, FailureKind
from groundtrace.transcripts.events import Returned

__all__ = ["FLAGGED_FAILED", "FLAGGED_FINE", "infer"]

NO_RESULT = "no result of this call was recorded"


def infer(returned: Returned, /, *, tool_name: str, arguments: object) -> outcomes.Outcome:
    """Return what an imported call amounted to; pure and total, whatever the transcript holds.

    A Success is INDIRECT, never DIRECT. A flag that the body plainly contradicts decides nothing, and is told beside
    what does: in the message of a Failure, or as a mark of an answer that is then partial.
    """
    text = "" if returned.output is None else text_of(returned.output)
    if returned.repeated or refuses_a_repeat(text) or refuses_a_repeat(returned.error or ""):
        return outcomes.Deduped(reason=DedupReason.REFUSED_REPEAT, of=(), basis=Basis.INFERRED)
    if returned.output is None and not is_flagged(returned):
        return outcomes.failure_because(FailureKind.NOT_RECORDED, NO_RESULT)
    call = Call(tool_name=tool_name, arguments=arguments)
    answer = _with_code(read(text), returned)
    seen = pointed(judged(answer, call), answer, call)
    return _marked(beside_flags(seen, returned, answer), returned)


def _with_code(answer: Read, returned: Returned) -> Read:
    if returned.exit_code is None:
        return answer
    return replace(answer, peeled=replace(answer.peeled, exit_code=returned.exit_code))


def _marked(outcome: outcomes.Outcome, returned: Returned) -> outcomes.Outcome:
    if returned.partial and isinstance(outcome, outcomes.Success | outcomes.NoEvidence):
        return replace(outcome, partial=(*outcome.partial, *returned.partial))
    return outcome
