"""Exit codes of the command, as the README documents them."""

from enum import IntEnum


class Exit(IntEnum):
    """What a calling script may rely on."""

    DONE = 0
    SOME_REFUSED = 1
    BAD_INPUT = 2
    UNAVAILABLE = 3
    LOW_CONFID = 5
    REJECT = 6
    BUG = 70
    INTERRUPTED = 130
