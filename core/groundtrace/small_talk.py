"""Which turns need no evidence, and the fixed text they get: an explicit rule, not a hole in the gate (section 10)."""

import re

_GREETINGS = frozenset(
    "hi|hello|hey|hi there|hello there|good morning|good afternoon|good evening|thanks|thank you|thx|bye|goodbye".split(
        "|"
    )
)
_ABOUT_US = frozenset(
    "help|what can you do|what do you do|who are you|what are you|how do i use you|how does this work".split("|")
)

GREETING = (
    "Hello. Ask about an incident: a service or pod, a time and a symptom help, for example "
    '"why were connections refused at 16:52?". Every answer shows what it rests on.'
)
ABOUT_US = (
    "I look things up in runbooks, logs and metrics, and answer only as far as what they returned carries the answer. "
    "Ask about a service or pod, a time and a symptom; I say what was found, what was empty, what failed and what was "
    "never asked."
)


def small_talk(question: str, /) -> str | None:
    """Return our fixed text if the whole question is a greeting or asks what this is; else None.

    Only a whole question counts: "hello, why is checkout down?" needs evidence.
    """
    words = re.sub(r"[^\w\s]", " ", question.casefold())
    plain = " ".join(words.split())
    if plain in _GREETINGS:
        return GREETING
    return ABOUT_US if plain in _ABOUT_US else None
