"""Of what kind a known failure is, by its message; asked only once it is clear that the call failed."""

import re

from groundtrace.outcomes import FailureKind

_HEAD = 2_000

_RATE_LIMITED = r"\b429\b|rate.?limit|too many requests|quota (?:was )?exceeded|exceeded .{0,40}quota|throttl"
_TIMEOUT = r"time[d]?.?out\b|deadline exceeded|\b(?:408|504)\b"
_DENIED = (
    r"\b40[137]\b|forbidden|unauthori[sz]ed|permission denied|access (?:is |was )?denied|not authori[sz]ed"
    r"|authentication (?:is )?(?:required|failed)|not permitted|api key|permissionerror|\bEACCES\b"
)
_CANCELLED = r"\bcancell?ed\b|\baborted by\b|interrupted by"
_UNAVAILABLE = (
    r"\b50[23]\b|connection (?:refused|reset|error|aborted)|max retries exceeded|service unavailable|bad gateway"
    r"|name or service not known|no route to host|\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND)\b|unreachable"
    r"|connecterror|lost connection|could not resolve|cannot connect"
)
_BAD_OUTPUT = r"jsondecodeerror|unexpected end of json|error parsing response"

_KINDS = (
    (FailureKind.RATE_LIMITED, _RATE_LIMITED),
    (FailureKind.TIMEOUT, _TIMEOUT),
    (FailureKind.DENIED, _DENIED),
    (FailureKind.CANCELLED, _CANCELLED),
    (FailureKind.UNAVAILABLE, _UNAVAILABLE),
    (FailureKind.BAD_OUTPUT, _BAD_OUTPUT),
)
"""In this order: a refusal for too many calls is told with a 403 as well."""

_kinds = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)


def kind_of_message(message: str, /) -> FailureKind:
    """Return the first kind whose words the message holds, `error` if none."""
    head = message[:_HEAD]
    return next((kind for kind, pattern in _kinds if pattern.search(head)), FailureKind.ERROR)
