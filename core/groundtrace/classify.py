"""What a wrapped tool's plain return value amounts to, when nobody declared it (DESIGN section 3).

Looks at the whole value only: its emptiness, or a whole text from the published table below. Words inside a text,
such as "error", never decide anything. All that is recognised here lowers an outcome, nothing raises one.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from groundtrace import outcomes
from groundtrace.encoding import encode, output_of
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Basis, NoEvidenceReason, Output, Support
from groundtrace.text import is_blank

Classifier: TypeAlias = Callable[[object], outcomes.Outcome | None]
"""A user's own reading of what a tool returned; None leaves it to `classify_output`."""

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

_JSON_CHARACTERS = 64 * 1024
_OUTCOMES = (outcomes.Success, outcomes.NoEvidence, outcomes.Deduped, outcomes.Failure)


def classify_output(value: object, /) -> outcomes.Outcome:
    """Return the outcome of a call that returned `value`: Success(INDIRECT), or NoEvidence if nothing is in it.

    An outcome that the tool returned itself is taken as it is. Text (and bytes) that is JSON as a whole counts by its
    JSON shape: `"[]"`, `"{}"` and `"null"` are as empty as the values.
    """
    if isinstance(value, _OUTCOMES):
        return value
    output = None if value is None else output_of(value)
    if isinstance(output, str | bytes) and isinstance(value, str | bytes):
        reason, basis = _reason_in_text(output), Basis.DECLARED if _blank(output) else Basis.INFERRED
    else:
        reason, basis = empty_reason(encode(value)), Basis.DECLARED
    if reason is not None:
        return outcomes.NoEvidence(reason=reason, output=output, basis=basis)
    return outcomes.Success(support=Support.INDIRECT, output=output or "")


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


def _reason_in_text(output: Output) -> NoEvidenceReason | None:
    if _blank(output):
        return NoEvidenceReason.EMPTY_RESULT
    if len(output) > _JSON_CHARACTERS:
        return None
    text = output if isinstance(output, str) else output.decode("utf-8", "replace")
    if text.strip().casefold() == "nan":
        return NoEvidenceReason.NOT_A_NUMBER
    if says_nothing(text):
        return NoEvidenceReason.EMPTY_RESULT
    return _reason_in_json(text)


def _reason_in_json(text: str) -> NoEvidenceReason | None:
    if text.lstrip()[:1] not in ("[", "{", '"'):
        return None
    try:
        value = encode(json.loads(text))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str) and says_nothing(value):
        return NoEvidenceReason.EMPTY_RESULT
    return empty_reason(value)


def _blank(output: Output) -> bool:
    if isinstance(output, str):
        return is_blank(output)
    return len(output) <= _JSON_CHARACTERS and is_blank(output.decode("utf-8", "replace"))
