"""A peer's refusal to run a call again, or to send again what it sent before: no error and no evidence, a repeat."""

from groundtrace.inference.known_texts import Known, KnownTexts

LONGEST = 600
MOST_LINES = 5

_DONE = (
    r"(?:called|executed|ran|run|made|invoked|requested|queried|tried|performed|searched|issued|read|fetched|used|seen)"
)
_SAME = r"(?:same|identical|exact(?:ly)?(?: the)? same|these|exact)"
_WHAT = (
    r"(?:arguments?|args|parameters?|params|inputs?|quer(?:y|ies)|command|call|request|action input|values|tool call)"
)


def _up_to(most: int) -> str:
    return rf"(?s:.{{0,{most}}})"


REFUSALS = KnownTexts(
    (
        Known(
            "refusing to run",
            rf"refus(?:ing|ed) to (?:run|execute|repeat|call)\b{_up_to(200)}\balready\b{_up_to(200)}",
            "Refusing to run this tool call because it was already made.",
        ),
        Known(
            "already called with the same",
            rf"{_up_to(160)}\balready (?:been |have )?{_DONE}\b{_up_to(120)}\b{_SAME} {_WHAT}\b{_up_to(300)}",
            "You have already called list_hosts with the same arguments.",
        ),
        Known(
            "the same was already called",
            rf"{_up_to(160)}\b{_SAME} {_WHAT}\b{_up_to(120)}\balready (?:been )?{_DONE}\b{_up_to(300)}",
            "The exact same query was already executed.",
        ),
        Known(
            "duplicate call",
            r"(?:error: )?(?:duplicate|repeated|redundant|identical) (?:tool |function )?(?:call|request|query"
            rf"|invocation)\b{_up_to(400)}",
            "Duplicate tool call; see the first result.",
        ),
        Known(
            "skipped as a duplicate",
            rf"(?:skipped|skipping|not executed|call skipped|ignored)\b{_up_to(60)}\b(?:duplicate|repeat(?:ed)?"
            rf"|identical|already)\b{_up_to(300)}",
            "Skipped: duplicate of an earlier call.",
        ),
        Known(
            "loop detected",
            rf"(?:error: )?(?:loop|repetition) detected\b{_up_to(400)}",
            "Loop detected: try another way.",
        ),
        Known(
            "unchanged since the last read",
            r"(?:file|content|resource|page) (?:is )?unchanged since (?:the |your )?last (?:read|fetch|request)\b"
            rf"{_up_to(400)}",
            "File unchanged since last read.",
        ),
        Known(
            "tried the same input",
            rf"i tried reusing the same input\b{_up_to(300)}",
            "I tried reusing the same input, I must stop using this action input.",
        ),
    )
)
"""Whole texts, of a few lines at most, by which harnesses refuse a repeat."""


def refuses_a_repeat(text: str, /) -> bool:
    """Tell whether a whole text is a harness's refusal to repeat a call."""
    if len(text) > 2 * LONGEST:
        return False
    plain = text.strip()
    return 0 < len(plain) <= LONGEST and plain.count("\n") < MOST_LINES and REFUSALS.knows(plain)
