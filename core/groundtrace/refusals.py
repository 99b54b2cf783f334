"""What pydantic refuses, said as one Problem: the first fault, its place, how many more there are; never a value."""

from pydantic import ValidationError

from groundtrace.problem import Problem
from groundtrace.text import clean, cut

_WHERE_CHARACTERS = 120

# Where pydantic's own words would not help the person who wrote the line.
_WHAT = {
    "extra_forbidden": "this key is not known",
    "missing": "this key is missing",
    "json_invalid": "this is no JSON",
    "json_type": "this is no JSON text",
    "timezone_aware": "this time has no zone",
}


def refusal(refused: ValidationError, /, *, mend: str) -> Problem:
    """Return a refusal in words; values stay out of it, since they may be secrets or megabytes long."""
    faults = refused.errors(include_url=False, include_context=False, include_input=False)
    first = faults[0]
    what = _WHAT.get(first["type"], first["msg"])
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    where = ".".join(str(part) for part in first["loc"])
    return Problem(what=cut(clean(what), 300) + more, where=cut(clean(where), _WHERE_CHARACTERS), mend=mend)
