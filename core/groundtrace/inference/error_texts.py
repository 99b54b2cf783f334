"""Whole texts that say that the call itself failed, and are no answer that tells of failures of others."""

import re

from groundtrace.inference.call import Call
from groundtrace.inference.complaints import complains
from groundtrace.inference.failure_calls import CALLS
from groundtrace.inference.failure_messages import MESSAGES
from groundtrace.inference.failure_network import NETWORK
from groundtrace.inference.failure_own import KUBECTL, OWN
from groundtrace.inference.failure_plain import PLAIN
from groundtrace.inference.stack_traces import is_stack_trace

LONGEST = 4_000
"""Longer texts are answers, whatever they begin with; only a stack trace may be longer."""

LONGEST_SENTENCE = 600

_ABOUT = re.compile(r"(?:error|failed|failure|could(?: not|n't)|cannot|unable)\b[^\n]{1,500}", re.IGNORECASE)

_REFUSED = re.compile(
    r"[^\n.:]{1,150} (?:do(?:es)?(?: not|n't) exist|already (?:exists?|taken|registered|in use)|(?:can"
    r"|could)(?: ?not|n't) be \w+ed"
    r"|(?:is|are) (?:not (?:eligible|allowed|valid|available|supported|recognized|permitted|an? valid)"
    r"|invalid))\b[^\n]{0,250}",
    re.IGNORECASE,
)

_NOT_THERE = re.compile(r"[^\n.:]{1,150} (?:(?:was|is|are|were) )?not (?:found|available)\b[^\n]{0,150}", re.IGNORECASE)


def says_it_failed(text: str, call: Call, /) -> bool:
    """Tell whether a whole text is the failure of the call itself."""
    plain = text.strip()
    if is_stack_trace(plain):
        return not call.reads
    if not plain or len(plain) > LONGEST:
        return False
    if call.command and KUBECTL.knows(plain):
        return True
    if OWN.knows(plain) or complains(plain, call) or _is_about_its_argument(plain, call):
        return True
    if call.probes and (NETWORK.knows(plain) or CALLS.knows(plain)):
        return False
    return not call.reads and _is_of_a_call(plain)


def _is_about_its_argument(text: str, call: Call) -> bool:
    return _is_about(text, call) or _is_about_document(text, call) or _is_refused(text, call)


def _is_about_document(text: str, call: Call) -> bool:
    """Tell whether one line names the document that was to be opened, in a form of a failed call."""
    one_line = len(text) <= LONGEST_SENTENCE and "\n" not in text
    if not one_line or not (call.opens or "resource" in call.words) or not call.repeated_in(text):
        return False
    return _is_of_a_call(text) or _NOT_THERE.fullmatch(text) is not None


def _is_refused(text: str, call: Call) -> bool:
    """Tell whether one line refuses what the call asked, by naming an argument: `Order W1 cannot be cancelled`."""
    short = len(text) <= LONGEST_SENTENCE and "\n" not in text
    if not short or call.reads or not call.repeated_in(text):
        return False
    return _REFUSED.fullmatch(text) is not None or (call.acts and _NOT_THERE.fullmatch(text) is not None)


def _is_of_a_call(text: str) -> bool:
    return any(table.knows(text) for table in (PLAIN, NETWORK, CALLS))


def message_of_failure(text: str, /) -> bool:
    """Tell whether the one message of an object without data says that something is wrong."""
    return len(text) <= LONGEST_SENTENCE and MESSAGES.knows(text.strip())


def _is_about(text: str, call: Call) -> bool:
    """Tell whether one line names an argument of the call and what was wrong with it: `Failed to load URL: ...`."""
    return len(text) <= LONGEST_SENTENCE and _ABOUT.fullmatch(text) is not None and call.repeated_in(text)
