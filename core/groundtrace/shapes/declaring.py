"""The few ways in which a result declares itself: data, whole or in part, nothing, or a failure."""

from collections.abc import Iterable
from dataclasses import replace

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Output, Support
from groundtrace.text import is_blank

MARKS_KEPT = 20
"""How many warnings of a source are kept as marks of a partial answer."""


def found(
    output: Output,
    /,
    *,
    some: bool,
    marks: tuple[str, ...] = (),
    nothing: NoEvidenceReason = NoEvidenceReason.EMPTY_RESULT,
) -> outcomes.Outcome:
    """Return a Success where there is some data, else a NoEvidence; `marks` make either partial."""
    if some:
        return outcomes.Success(support=Support.INDIRECT, output=output, partial=marks)
    reason = NoEvidenceReason.PARTIAL_EMPTY if marks else nothing
    return outcomes.NoEvidence(reason=reason, output=output, partial=marks)


def failed(
    kind: FailureKind, message: str, output: Output | None, /, *, retryable: bool | None = None
) -> outcomes.Failure:
    """Return a failure that a result declares, with what the tool gave; an output that is blank is none."""
    kept = None if isinstance(output, str) and is_blank(output) else output
    return replace(outcomes.failure_because(kind, message, retryable=retryable), output=kept)


def unread(what: str, /, output: Output | None = None) -> outcomes.NoEvidence:
    """Return the outcome of a call whose answer was not there to be read when it returned."""
    return outcomes.NoEvidence(reason=NoEvidenceReason.PARTIAL_EMPTY, output=output, partial=(what,))


def marked(outcome: outcomes.Outcome, marks: Iterable[str], /) -> outcomes.Outcome:
    """Return an outcome that is partial for these reasons too; a mark only lowers."""
    more = tuple(marks)
    if not more:
        return outcome
    if isinstance(outcome, outcomes.Success):
        return replace(outcome, support=Support.INDIRECT, partial=(*outcome.partial, *more))
    if isinstance(outcome, outcomes.NoEvidence):
        return replace(outcome, reason=NoEvidenceReason.PARTIAL_EMPTY, partial=(*outcome.partial, *more))
    return outcome


def kept_as(outcome: outcomes.Outcome, output: Output, /) -> outcomes.Outcome:
    """Return an outcome whose output is what the tool gave, where a part of it was read."""
    return outcome if isinstance(outcome, outcomes.Deduped) else replace(outcome, output=output)


def texts(value: JsonValue, /) -> tuple[str, ...]:
    """Return the first texts of a list that are not blank."""
    return tuple(text for one in items(value)[:MARKS_KEPT] if (text := text_of(one)))


def items(value: JsonValue, /) -> list[JsonValue]:
    """Return a list, empty where there is none."""
    return value if isinstance(value, list) else []


def members(value: JsonValue, /) -> dict[str, JsonValue]:
    """Return an object, empty where there is none."""
    return value if isinstance(value, dict) else {}


def text_of(value: JsonValue, /) -> str:
    """Return a text that is not blank, else an empty one."""
    return value if isinstance(value, str) and not is_blank(value) else ""


def whole(value: JsonValue, /) -> int | None:
    """Return a whole number; a boolean is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
