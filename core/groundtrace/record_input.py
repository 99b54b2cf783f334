"""One line of `groundtrace record`: a finished call in JSON, from any language, to the values that `record` takes.

Strict in form (unknown keys are refused by name), tolerant in text: a NUL, half of a surrogate pair or a NaN in
parameters or output is stored visibly, as it is for calls from Python.
"""

import json
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, assert_never

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from returns import result
from returns.result import Result

from groundtrace import outcomes
from groundtrace.encoding import Bounds, encode, output_of
from groundtrace.invocation import LARGEST, NAME_CHARACTERS, SESSION_CHARACTERS, ToolCall
from groundtrace.json_text import plain
from groundtrace.outcomes import (
    ID_CHARACTERS,
    MOST_REFERENCES,
    Basis,
    DedupReason,
    FailureKind,
    NoEvidenceReason,
    OutcomeKind,
    Output,
    Support,
)
from groundtrace.problem import Problem
from groundtrace.refusals import Keys, refusal
from groundtrace.retrieval import Hit, Layer, Mode, Relevance, Retrieval
from groundtrace.text import is_blank

MEND = "`groundtrace record --schema` prints the form of a line"
ONE_A_LINE = f"write one object a line; {MEND}"

_LINE = Bounds(values=1_000_000, characters=64 * 1024 * 1024, one_text=64 * 1024 * 1024)
_MOST_MILLISECONDS = 2**53


_Id: TypeAlias = Annotated[str, Field(max_length=ID_CHARACTERS)]
_Count: TypeAlias = Annotated[int, Field(ge=0, le=LARGEST)]


class RecordInput(NamedTuple):
    """One parsed line: what `record` and `record_retrieval` take; `retrieval` is None for other tools."""

    call: ToolCall
    outcome: outcomes.Outcome
    retrieval: Retrieval | None


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Success(_Form):
    kind: Literal["success"]
    support: Support = Field(Support.INDIRECT, description="DIRECT only if the source itself shows it, completely")
    partial: tuple[str, ...] = Field((), description="what was not seen, in words; a partial answer is INDIRECT")
    basis: Basis = Basis.DECLARED


class _NoEvidence(_Form):
    kind: Literal["no_evidence"]
    reason: NoEvidenceReason = NoEvidenceReason.EMPTY_RESULT
    partial: tuple[str, ...] = ()
    basis: Basis = Basis.DECLARED


class _Deduped(_Form):
    kind: Literal["deduped"]
    reason: DedupReason
    of: tuple[_Id, ...] = Field(
        max_length=MOST_REFERENCES, description="ids of the calls that this one repeats, the first one first"
    )
    inherited: OutcomeKind | None = None
    basis: Basis = Basis.DECLARED


class _Failure(_Form):
    kind: Literal["failure"]
    reason: FailureKind = FailureKind.ERROR
    message: str = Field(description="what broke, in words; not blank")
    retryable: bool | None = None
    basis: Basis = Basis.DECLARED


_Outcome: TypeAlias = Annotated[_Success | _NoEvidence | _Deduped | _Failure, Field(discriminator="kind")]


class _Hit(_Form):
    uri: str
    layer: Layer
    score: float
    coverage: float = 0.0
    content_hash: str = ""


class _Retrieval(_Form):
    mode: Mode = Mode.SEARCH
    layer: Layer
    l0_count: _Count
    l1_count: _Count
    l2_count: _Count = 0
    relevance: Relevance
    floor: float = 0.0
    hits: tuple[_Hit, ...] = ()
    filters: dict[str, str] = Field(default_factory=dict)
    index_revision: str = ""


class _Line(_Form):
    """A finished tool call."""

    id: _Id | None = Field(None, description="made before the call, once; a UUIDv7 is made if it is missing")
    session_id: Annotated[str, Field(min_length=1, max_length=SESSION_CHARACTERS)]
    turn_id: str | None = None
    seq: _Count = 0
    tool_name: Annotated[str, Field(min_length=1, max_length=NAME_CHARACTERS)]
    topic_domain: str | None = None
    input_params: Any = Field(description="any JSON; JSON text of an object counts as that object")
    started_at: AwareDatetime = Field(description="RFC 3339 with a zone")
    duration_ms: Annotated[float, Field(ge=0, le=_MOST_MILLISECONDS)] | None = Field(
        description="from a monotonic clock; null only if it is not known"
    )
    output: Any = Field(None, description="the whole answer: text as it is, else any JSON; null if there was none")
    outcome: _Outcome
    retrieval: _Retrieval | None = None


_KEYS: Keys = {
    place: tuple(form.model_fields)
    for place, form in (
        ((), _Line),
        (("outcome", "success"), _Success),
        (("outcome", "no_evidence"), _NoEvidence),
        (("outcome", "deduped"), _Deduped),
        (("outcome", "failure"), _Failure),
        (("retrieval",), _Retrieval),
        (("retrieval", "hits"), _Hit),
    )
}


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of one line."""
    return _Line.model_json_schema()


def parse_record(text: str, /, *, fallback_id: str) -> Result[RecordInput, Problem]:
    """Return the call that one line tells of; `fallback_id` is its id where the line has none.

    Total. A Problem names the first fault and its key, and holds no value of the line.
    """
    try:
        cleaned = plain(encode(json.loads(text, parse_int=_integer), bounds=_LINE))
        line = _Line.model_validate_json(cleaned)
        return result.Success(_input(line, fallback_id))
    except ValidationError as refused:
        return result.Failure(refusal(refused, mend=MEND, keys=_KEYS))
    except json.JSONDecodeError as broken:
        return result.Failure(_no_json(broken, text))
    except RecursionError:
        return result.Failure(Problem(what="the JSON is nested too deeply", mend=MEND))
    except ValueError as refused:  # our own values' checks; their texts hold no value
        return result.Failure(Problem(what=str(refused), mend=MEND))


def _no_json(broken: json.JSONDecodeError, text: str) -> Problem:
    """Say what is no JSON; an object that a program wrote over several lines breaks at the end of its first one."""
    end = len(text.rstrip())
    goes_on = text.lstrip().startswith(("{", "[")) and broken.pos >= end - 1
    what = f"this is no JSON ({broken.msg})" + (": it does not end on this line" if goes_on else "")
    return Problem(what=what, where=f"column {min(broken.pos, end) + 1}", mend=ONE_A_LINE)


def _integer(digits: str) -> int | str:
    """Return a number; one that the interpreter does not take stands as its digits, which JSON is free to have."""
    try:
        return int(digits)
    except ValueError:
        return digits


def _input(line: _Line, fallback_id: str) -> RecordInput:
    call = ToolCall(
        session_id=line.session_id,
        id=fallback_id if line.id is None else line.id,
        turn_id=line.turn_id,
        seq=line.seq,
        tool_name=line.tool_name,
        topic_domain=line.topic_domain,
        input_params=line.input_params,
        started_at=_representable(line.started_at),
        duration_ms=None if line.duration_ms is None else round(line.duration_ms),
    )
    output = None if line.output is None else output_of(line.output)
    retrieval = None if line.retrieval is None else _retrieval(line.retrieval)
    return RecordInput(call=call, outcome=_outcome(line.outcome, output), retrieval=retrieval)


def _outcome(told: _Success | _NoEvidence | _Deduped | _Failure, output: Output | None) -> outcomes.Outcome:
    match told:
        case _Success():
            if output is None or (isinstance(output, str) and is_blank(output)):
                raise ValueError("a success needs an output; a call that returned nothing is `no_evidence`")
            return outcomes.Success(support=told.support, output=output, partial=told.partial, basis=told.basis)
        case _NoEvidence():
            return outcomes.NoEvidence(reason=told.reason, output=output, partial=told.partial, basis=told.basis)
        case _Deduped():
            return outcomes.Deduped(reason=told.reason, of=told.of, inherited=told.inherited, basis=told.basis)
        case _Failure():
            retryable = told.reason in outcomes.RETRYABLE_KINDS if told.retryable is None else told.retryable
            return outcomes.Failure(
                kind=told.reason, message=told.message, retryable=retryable, output=output, basis=told.basis
            )
        case _:
            assert_never(told)


def _retrieval(told: _Retrieval) -> Retrieval:
    return Retrieval(
        mode=told.mode,
        layer=told.layer,
        l0_count=told.l0_count,
        l1_count=told.l1_count,
        l2_count=told.l2_count,
        relevance=told.relevance,
        floor=told.floor,
        hits=tuple(Hit(**hit.model_dump()) for hit in told.hits),
        filters=dict(told.filters),
        index_revision=told.index_revision,
    )


def _representable(moment: datetime) -> datetime:
    """Refuse the first and last day of the calendar, whose UTC cannot be told."""
    if not 1 < moment.year < 9_999:
        raise ValueError("started_at is outside the calendar")
    return moment
