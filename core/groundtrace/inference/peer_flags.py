"""What a call amounted to once its peer's own flags are heard: an error bit, an error text, a kind, an exit code."""

from dataclasses import replace

from groundtrace import outcomes
from groundtrace.inference.judging import Read
from groundtrace.inference.kinds import kind_of_message
from groundtrace.outcomes import Basis
from groundtrace.text import is_blank
from groundtrace.transcripts.events import Returned

FLAGGED_FINE = "its peer flagged this call as fine"
FLAGGED_FAILED = "its peer flagged this call as failed"

_HEAD = 4_000


def is_flagged(returned: Returned, /) -> bool:
    """Tell whether anything that the peer kept beside the output speaks against the call."""
    return bool(returned.failed or returned.kind or not is_blank(returned.error or "") or returned.exit_code)


def beside_flags(seen: outcomes.Outcome, returned: Returned, answer: Read, /) -> outcomes.Outcome:
    """Return the outcome of `seen`, which the body alone showed, beside the flags; a contradiction is told."""
    match seen:
        case outcomes.Failure():
            return _failed(seen, returned)
        case outcomes.NoEvidence() if is_flagged(returned):
            return _empty_but_flagged(seen, returned, answer)
        case outcomes.Success() if is_flagged(returned) and not _is_exit_alone(returned):
            return _told_failure(returned, answer)
        case outcomes.Success():
            return replace(seen, basis=Basis.DECLARED) if _is_declared_fine(returned) else seen
        case _:
            return seen


def _failed(seen: outcomes.Failure, returned: Returned) -> outcomes.Failure:
    """Return a failure that both the flag and the body tell, or the body alone against the flag."""
    if is_flagged(returned):
        told = returned.error if returned.error and not is_blank(returned.error) else seen.message
        return replace(outcomes.failure_because(returned.kind or seen.kind, told), output=seen.output)
    if returned.failed is False:
        told = outcomes.failure_because(seen.kind, f"{seen.message} ({FLAGGED_FINE})").message
        return replace(seen, message=told)
    return seen


def _empty_but_flagged(seen: outcomes.NoEvidence, returned: Returned, answer: Read) -> outcomes.Outcome:
    """A flagged call that says it found nothing is empty, unless an error text or a kind stands apart from that."""
    apart = returned.kind is not None or not is_blank(returned.error or "")
    if apart or (is_blank(answer.body) and not returned.exit_code):
        return _told_failure(returned, answer)
    return replace(seen, partial=(*seen.partial, FLAGGED_FAILED)) if returned.failed else seen


def _told_failure(returned: Returned, answer: Read) -> outcomes.Failure:
    error = returned.error or ""
    told = first_line(answer.body) if is_blank(error) else error
    told = told or FLAGGED_FAILED
    failure = outcomes.failure_because(returned.kind or kind_of_message(told), told)
    return replace(failure, output=answer.whole if returned.output is not None else None)


def first_line(text: str, /) -> str:
    """Return the first line of a text that is not blank, blank if there is none near its start."""
    return next((line.strip() for line in text[:_HEAD].splitlines() if line.strip()), "")


def _is_exit_alone(returned: Returned) -> bool:
    """Tell whether only an exit code speaks against the call, which `judged` has read by its command already."""
    return returned.kind is None and is_blank(returned.error or "") and not returned.failed


def _is_declared_fine(returned: Returned) -> bool:
    return returned.failed is False or returned.exit_code == 0
