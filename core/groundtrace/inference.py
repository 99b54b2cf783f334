"""What an imported call amounted to, from what its transcript kept of the result."""

from groundtrace import outcomes
from groundtrace.classify import classify_output
from groundtrace.outcomes import FailureKind
from groundtrace.transcripts.events import Returned


def infer(returned: Returned, /, *, tool_name: str, arguments: object) -> outcomes.Outcome:
    """Return the outcome: the peer's flag first, then the declared shapes and whole texts of `classify`."""
    del tool_name, arguments
    if returned.failed:
        message = returned.error or (returned.output if isinstance(returned.output, str) else "")
        return outcomes.failure_because(returned.kind or FailureKind.ERROR, message)
    return classify_output(returned.output)
