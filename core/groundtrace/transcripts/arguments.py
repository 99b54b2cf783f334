"""A call's arguments as a transcript holds them: an object, or the text that should have been one.

What is no object is kept as it stands and said to be so: this is a record, not a parser of verdicts.
"""

from typing import NamedTuple

from groundtrace.encoding import FrozenParams, freeze_params, frozen
from groundtrace.strict_json import Document, JsonFault, parse_json
from groundtrace.text import is_blank

NO_OBJECT = "not a JSON object; kept as it stands"
TWICE_ENCODED = "an object inside a text; kept as it stands"
NO_NUMBER = "holds NaN or Infinity, which JSON has not"
KEY_REPEATED = "a key repeats; kept as it stands"


class Arguments(NamedTuple):
    """Parameters for a row, and what is wrong with them, None where nothing is."""

    params: FrozenParams
    fault: str | None


def read_arguments(arguments: object, /) -> Arguments:
    """Return the parameters of a call: nothing, blank text and null are no parameters, JSON text is what it writes."""
    if arguments is None or (isinstance(arguments, str) and (is_blank(arguments) or arguments.strip() == "null")):
        return Arguments(frozen({}), None)
    if isinstance(arguments, str):
        return _written(arguments)
    params = freeze_params(arguments)
    return Arguments(params, None if isinstance(params.value, dict) else NO_OBJECT)


def _written(text: str) -> Arguments:
    read = parse_json(text)
    params = freeze_params(text)
    if isinstance(params.value, dict):
        odd = read.swap().value_or(None) is JsonFault.INVALID
        return Arguments(params, NO_NUMBER if odd else None)
    return Arguments(params, read.map(_fault).value_or(NO_OBJECT))


def _fault(document: Document) -> str:
    if document.repeated:
        return KEY_REPEATED
    value = document.value
    inner = freeze_params(value).value if isinstance(value, str) else None
    return TWICE_ENCODED if isinstance(inner, dict) else NO_OBJECT
