"""What the number of an HTTP status says of a call."""

from groundtrace.outcomes import FailureKind

_KINDS = {
    401: FailureKind.DENIED,
    403: FailureKind.DENIED,
    407: FailureKind.DENIED,
    408: FailureKind.TIMEOUT,
    429: FailureKind.RATE_LIMITED,
    451: FailureKind.DENIED,
    499: FailureKind.CANCELLED,
    501: FailureKind.ERROR,
    504: FailureKind.TIMEOUT,
    505: FailureKind.ERROR,
    511: FailureKind.DENIED,
    524: FailureKind.TIMEOUT,
}
"""Statuses that say more than their class: 4xx is an error, 5xx a server that is unavailable."""


def kind_of_status(status: int, /) -> FailureKind | None:
    """Return how a call broke that was answered with this status; None where it did not break, or is no status."""
    if not 400 <= status <= 599:
        return None
    return _KINDS.get(status, FailureKind.UNAVAILABLE if status >= 500 else FailureKind.ERROR)
