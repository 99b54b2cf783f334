"""When a whole value or a whole text holds nothing (DESIGN section 3): the rules, and the published table of sentences.

A part of a text never decides, and a measured zero is a value.
"""

import re
from collections.abc import Iterator

from groundtrace.json_text import JsonValue
from groundtrace.outcomes import NoEvidenceReason
from groundtrace.text import is_blank

COUNTS = frozenset({"total", "count", "size", "hits"})
"""Names under which 0 says that there is nothing; anywhere else 0 is a value."""

NO_RESULT_TEXTS = frozenset(
    {
        "none",
        "null",
        "nil",
        "empty",
        "nothing found",
        "no match",
        "no output",
        "no result",
        "0 rows",
        "0 results",
        "0 matches",
        *(f"no {thing}" for thing in "results matches data records entries rows hits documents resources".split()),
    }
)
"""Whole texts that say that there is nothing, compared without case, outer brackets and a final full stop."""

_THINGS = (
    "results?|match(?:es)?|data(?: ?points?)?|records?|entr(?:y|ies)|rows?|hits?|documents?|logs?|log (?:lines|entries)"
    "|metrics?|series|time series|traces?|spans?|events?|resources?|items?|files?|samples?"
)
NO_RESULT_SENTENCE = re.compile(
    rf"no (?:matching )?(?:{_THINGS})(?: (?:were|was))? (?:found|returned|available)"
    r"(?: (?:for|in|matching|with|between|within|from|at|under) [^\n.;!?]{1,200})?",
    re.IGNORECASE,
)
"""A whole one-line text of this form says the same; nothing may follow it."""


def is_empty(value: JsonValue, /) -> bool:
    """Tell whether a JSON value holds nothing.

    Null and blank text do. A list does if every item does. An object does if it has no members, or if it holds at
    least one list or object, all of these are empty, and each other value is null, blank, or 0 under a name of
    `COUNTS`. Numbers and booleans are values: 0, false, `{"count": 0}` and `{"error_rate": 0}` are not empty.
    """
    match value:
        case None:
            return True
        case str():
            return is_blank(value)
        case list():
            return all(is_empty(item) for item in value)
        case dict():
            return not value or _is_empty_object(value)
        case _:
            return False


def empty_reason(value: JsonValue, /) -> NoEvidenceReason | None:
    """Return why an encoded value is no evidence, None if it is some: empty, or no number where only numbers stand."""
    if is_empty(value):
        return NoEvidenceReason.EMPTY_RESULT
    return NoEvidenceReason.NOT_A_NUMBER if _only_nan(value) else None


def says_nothing(text: str, /) -> bool:
    """Tell whether a whole text says that nothing was found (the published table)."""
    if len(text) > 400:
        return False
    plain = " ".join(text.split()).strip("()[]<>").rstrip(".! ")
    return plain.casefold() in NO_RESULT_TEXTS or NO_RESULT_SENTENCE.fullmatch(plain) is not None


def _is_empty_object(value: dict[str, JsonValue]) -> bool:
    inner = [item for item in value.values() if isinstance(item, list | dict)]
    return (
        bool(inner)
        and all(is_empty(item) for item in inner)
        and all(
            is_empty(item) or (name.lower() in COUNTS and item == 0 and not isinstance(item, bool))
            for name, item in value.items()
            if not isinstance(item, list | dict)
        )
    )


def _only_nan(value: JsonValue) -> bool:
    """Tell whether the only values in it are NaN (its stored form is the text `NaN`)."""
    leaves = list(_leaves(value))
    return "NaN" in leaves and all(leaf == "NaN" or is_empty(leaf) for leaf in leaves)


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    if not isinstance(value, list | dict):
        yield value
        return
    for item in value.values() if isinstance(value, dict) else value:
        yield from _leaves(item)


def reason_in_text(text: str, form: JsonValue, /) -> NoEvidenceReason | None:
    """Return why a text is no evidence, None if it is some; `form` is the JSON value that it writes, or itself."""
    if text.strip().casefold() == "nan":
        return NoEvidenceReason.NOT_A_NUMBER
    if says_nothing(text) or (isinstance(form, str) and says_nothing(form)):
        return NoEvidenceReason.EMPTY_RESULT
    return empty_reason(form)
