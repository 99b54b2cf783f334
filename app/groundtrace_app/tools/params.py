"""Untrusted parameters of the query tools: parsed by pydantic, refused in one line that says how to mend them.

Unknown names are refused; null is absent. A moment is RFC 3339 with a zone, or epoch seconds; one without a zone is
refused, since a wrong guess would look at another hour. A refusal never repeats the value that it refuses.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictStr, ValidationError
from pydantic_core import ErrorDetails
from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind, failure_because
from groundtrace.text import clean, cut
from groundtrace.topics import LABELS

MOST_FIELDS = 20
FIELD_CHARACTERS = 1_024
PATTERN_CHARACTERS = 10_000

ENTITY_PARAMETERS = LABELS
"""Parameters that name what a call is about, as the topic domain reads them."""

_MOMENT_HELP = "write a time with its zone, such as 2026-11-30T16:50:00Z, or epoch seconds"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_EPOCH = 1e11
_NAMED_FAULTS = 3

Parsed = TypeVar("Parsed", bound=BaseModel)


def read_moment(value: object, /) -> datetime:
    """Return a moment in UTC; anything that is none is a ValueError that says what to write."""
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str) and not _is_number(value):
        moment = _from_text(value)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        moment = _from_epoch(value)
    else:
        raise ValueError(f"is no time; {_MOMENT_HELP}")
    if moment.utcoffset() is None:
        raise ValueError(f"has no zone; {_MOMENT_HELP}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"is out of range; {_MOMENT_HELP}") from None


def read_field(value: object, /) -> str:
    """Return the text of a field's value: text as it is, a whole number as written."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**30 else ""
    if not isinstance(value, str):
        raise ValueError("is no text; write the value in quotes")
    return value


def read_count(value: object, /) -> object:
    """Refuse the booleans that pydantic would read as 0 and 1."""
    if isinstance(value, bool):
        raise ValueError("is no number")
    return value


Moment = Annotated[datetime, BeforeValidator(read_moment)]
FieldValue = Annotated[StrictStr, BeforeValidator(read_field), Field(min_length=1, max_length=FIELD_CHARACTERS)]
Count = Annotated[int, BeforeValidator(read_count)]
Flag = StrictBool


class Params(BaseModel):
    """Parameters that every query takes: the window, and what the call is about."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    start: Moment | None = None
    end: Moment | None = None
    service: FieldValue | None = None
    app: FieldValue | None = None
    component: FieldValue | None = None
    job: FieldValue | None = None
    deployment: FieldValue | None = None
    container: FieldValue | None = None
    pod: FieldValue | None = None
    instance: FieldValue | None = None
    host: FieldValue | None = None
    namespace: FieldValue | None = None

    def entities(self) -> dict[str, str]:
        """Return the entity parameters that are given."""
        given = ((name, getattr(self, name)) for name in ENTITY_PARAMETERS)
        return {name: value for name, value in given if value is not None}


def read_params(model: type[Parsed], params: Mapping[str, object], /) -> Result[Parsed, outcomes.Failure]:
    """Return the parameters as a value, or a Failure whose message names each bad one in one line."""
    given = {str(name): value for name, value in params.items() if value is not None}
    try:
        return result.Success(model.model_validate(given))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
    known = ", ".join(model.model_fields)
    faults = sorted(faults, key=lambda fault: fault["type"] != "extra_forbidden")
    words = "; ".join(_fault(fault) for fault in faults[:_NAMED_FAULTS])
    more = f"; and {len(faults) - _NAMED_FAULTS} more" if len(faults) > _NAMED_FAULTS else ""
    return result.Failure(bad_params(f"{words}{more} (parameters: {known})"))


def bad_params(words: str, /) -> outcomes.Failure:
    """Return the Failure for parameters that cannot be used."""
    return failure_because(FailureKind.ERROR, f"bad parameters: {' '.join(words.split())}", retryable=False)


def _fault(fault: ErrorDetails) -> str:
    name = cut(clean(".".join(str(part) for part in fault["loc"])), 80)
    if fault["type"] == "extra_forbidden":
        return f"unknown parameter {name!r}"
    return f"{name}: {fault['msg'].removeprefix('Value error, ')}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _from_text(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"is no time; {_MOMENT_HELP}") from None
    if ":" not in text:
        raise ValueError(f"has no time of day; {_MOMENT_HELP}")
    return moment


def _from_epoch(value: str | float) -> datetime:
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not 0 <= seconds < _LATEST_EPOCH:
        raise ValueError(f"is no epoch time in seconds; {_MOMENT_HELP}")
    return _EPOCH + timedelta(seconds=seconds)
