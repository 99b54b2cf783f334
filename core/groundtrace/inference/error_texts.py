"""Whole texts that say that the call itself failed, and are no answer that tells of failures of others."""

import re

from groundtrace.inference.call import Call
from groundtrace.inference.complaints import complains
from groundtrace.inference.failure_messages import MESSAGES
from groundtrace.inference.failure_own import OWN
from groundtrace.inference.failure_plain import PLAIN
from groundtrace.inference.stack_traces import is_stack_trace

LONGEST = 4_000
"""Longer texts are answers, whatever they begin with; only a stack trace may be longer."""

LONGEST_SENTENCE = 600

_ABOUT = re.compile(r"(?:error|failed|failure|could(?: not|n't)|cannot|unable)\b[^\n]{1,500}", re.IGNORECASE)


def says_it_failed(text: str, call: Call, /) -> bool:
    """Tell whether a whole text is the failure of the call itself."""
    plain = text.strip()
    if is_stack_trace(plain):
        return not call.reads
    if len(plain) > LONGEST:
        return False
    if OWN.knows(plain) or complains(plain, call) or _is_about(plain, call):
        return True
    return not call.reads and PLAIN.knows(plain)


def message_of_failure(text: str, /) -> bool:
    """Tell whether the one message of an object without data says that something is wrong."""
    return len(text) <= LONGEST_SENTENCE and MESSAGES.knows(text.strip())


def _is_about(text: str, call: Call) -> bool:
    """Tell whether one line names an argument of the call and what was wrong with it: `Failed to load URL: ...`."""
    return len(text) <= LONGEST_SENTENCE and _ABOUT.fullmatch(text) is not None and call.repeated_in(text)
