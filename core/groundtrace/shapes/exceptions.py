"""What an exception says beside its text: the HTTP answer, the exit code or the status that a library puts into it."""

from groundtrace import outcomes
from groundtrace.outcomes import Output


def failure_of(error: BaseException, /, *, output: Output | None = None) -> outcomes.Failure:
    """Return the Failure that tells an exception truly: an exception is one, whatever it holds; total."""
    return outcomes.failure_from(error, output=output)
