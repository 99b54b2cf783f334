"""A row or an evaluation as one flat line of an export, and back.

What was withheld from a user is left out of a line unless asked for (DESIGN section 9), and such a line says so.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from types import MappingProxyType
from typing import Never, TypeAlias, assert_never

import pydantic
from pydantic import AwareDatetime, ConfigDict, Json, ValidationError, with_config
from returns import result
from returns.result import Result
from typing_extensions import TypedDict

from groundtrace.disclosure import must_hide, public_view
from groundtrace.evaluation import Evaluation
from groundtrace.export_columns import COLUMNS, COLUMNS_OF, EVALUATION_COLUMNS, ROW_COLUMNS, ColumnType
from groundtrace.invocation import Invocation
from groundtrace.json_text import JsonValue, plain
from groundtrace.problem import Problem
from groundtrace.refusals import refusal
from groundtrace.row_json import row_from_json
from groundtrace.upkeep import Cursor, RecordKey, RecordKind
from groundtrace.verdict import Cause, Verdict

_BLANK: Mapping[str, JsonValue] = MappingProxyType(dict.fromkeys(COLUMNS))
_STRANGE_TO: Mapping[RecordKind, tuple[str, ...]] = MappingProxyType(
    {
        kind: tuple(name for name in COLUMNS if name not in {*own, "record", "left_out"})
        for kind, own in COLUMNS_OF.items()
    }
)
_MEND = "give lines as `groundtrace store export` writes them"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A line of an evaluation from which the withheld texts were left out: it names a record, and is none.

    `stub` is what such a line tells all the same, its verdict and cause and what the user saw, for a reader that keeps
    nothing; None where even that cannot be read.
    """

    key: RecordKey
    stub: Evaluation | None = field(default=None, compare=False)


Line: TypeAlias = Invocation | Evaluation | LeftOut
"""What a line tells of."""


def line_of(record: Invocation | Evaluation, /, *, reveal: bool) -> str:
    """Return a record as one line of strict JSON without its line end.

    Unless `reveal`, the line of an evaluation whose answer was withheld shows what `public_view` shows, and its
    `left_out` is true.
    """
    match record:
        case Invocation():
            return _line(RecordKind.INVOCATION, {name: getattr(record, name) for name in ROW_COLUMNS}, left_out=False)
        case Evaluation():
            return _evaluation_line(record, hidden=must_hide(record) and not reveal)
        case _:
            assert_never(record)


def record_of(text: str, /) -> Result[Line, Problem]:
    """Return what one line tells of; total: whatever is no such line, or a part of one, is a Problem without values."""
    return _members(text).bind(_checked).bind(_record)


def cursor_of(text: str, /) -> Result[Cursor, Problem]:
    """Return the place behind a line: any JSON object with its `record`, `session_id` and `id` will do."""
    return _members(text).bind(
        lambda members: _kind(members).bind(
            lambda kind: _key(members).map(lambda key: Cursor(kind=kind, key=key)),
        )
    )


def _evaluation_line(record: Evaluation, *, hidden: bool) -> str:
    # `evidence` of an open record is the very text that is stored, so that it comes back equal.
    values = {name: getattr(record, name) for name in EVALUATION_COLUMNS}
    if hidden:
        values = {**public_view(record, reveal=False), "created_at": record.created_at}
    return _line(RecordKind.EVALUATION, values, left_out=hidden)


def _line(kind: RecordKind, values: Mapping[str, object], *, left_out: bool) -> str:
    own = {name: _plain(name, values[name]) for name in COLUMNS_OF[kind]}
    return plain({**_BLANK, "record": kind.value, **own, "left_out": left_out})


def _plain(name: str, value: object) -> JsonValue:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if COLUMNS[name] is ColumnType.JSON and not isinstance(value, str | None):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str | int | None):
        return value
    raise TypeError(f"{name} is no value of a column")


def _members(text: str) -> Result[dict[str, JsonValue], Problem]:
    try:
        members = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return result.Failure(Problem(what="this is no JSON, or only a part of it", mend=_MEND))
    if not isinstance(members, dict):
        return result.Failure(Problem(what="this is no JSON object", mend=_MEND))
    return result.Success(members)


def _checked(members: dict[str, JsonValue]) -> Result[dict[str, JsonValue], Problem]:
    if members.keys() == COLUMNS.keys():
        return result.Success(members)
    missing = next((name for name in COLUMNS if name not in members), None)
    if missing is not None:
        return result.Failure(Problem(what="this column is missing", where=missing, mend=_MEND))
    what = "it has columns that this release does not know"
    return result.Failure(Problem(what=what, mend="load it with the release that wrote it, or a newer one"))


def _record(members: dict[str, JsonValue]) -> Result[Line, Problem]:
    return _kind(members).bind(lambda kind: _record_of(kind, members))


def _record_of(kind: RecordKind, members: dict[str, JsonValue]) -> Result[Line, Problem]:
    strange = next((name for name in _STRANGE_TO[kind] if members[name] is not None), None)
    if strange is not None:
        return result.Failure(Problem(what=f"no {kind.value} has this column", where=strange, mend=_MEND))
    left_out = members["left_out"]
    if not isinstance(left_out, bool):
        return result.Failure(Problem(what="this is neither true nor false", where="left_out", mend=_MEND))
    text = plain({name: members[name] for name in COLUMNS_OF[kind]})
    if kind is RecordKind.INVOCATION:
        if left_out:
            return result.Failure(Problem(what="nothing is left out of an invocation", where="left_out", mend=_MEND))
        return row_from_json(text).alt(lambda problem: replace(problem, mend=_MEND)).map(_as_line)
    return _key(members).map(lambda key: _left_out(key, text)) if left_out else _evaluation(text)


def _as_line(row: Invocation) -> Line:
    return row


def _left_out(key: RecordKey, text: str) -> Line:
    # Whatever the line says: what it left out was withheld.
    return LeftOut(key=key, stub=_read(text).map(lambda one: replace(one, withheld=True)).value_or(None))


def _evaluation(text: str) -> Result[Line, Problem]:
    return _read(text).map(_as_evaluation)


def _as_evaluation(record: Evaluation) -> Line:
    return record


def _read(text: str) -> Result[Evaluation, Problem]:
    try:
        read = _reader().validate_json(text.encode("utf-8", "replace"))
        read["created_at"] = read["created_at"].astimezone(UTC)
    except ValidationError as refused:
        return result.Failure(refusal(refused, mend=_MEND))
    except OverflowError:
        return result.Failure(Problem(what="this time is outside the calendar", where="created_at", mend=_MEND))
    return result.Success(Evaluation(**read))


def _kind(members: Mapping[str, JsonValue]) -> Result[RecordKind, Problem]:
    told = members.get("record")
    if told in list(RecordKind):
        return result.Success(RecordKind(str(told)))
    known = " or ".join(f"`{kind.value}`" for kind in RecordKind)
    return result.Failure(Problem(what=f"this is not {known}", where="record", mend=_MEND))


def _key(members: Mapping[str, JsonValue]) -> Result[RecordKey, Problem]:
    session_id, id = members.get("session_id"), members.get("id")
    if isinstance(session_id, str) and isinstance(id, str):
        return result.Success(RecordKey(session_id=session_id, id=id))
    where = "id" if isinstance(session_id, str) else "session_id"
    return result.Failure(Problem(what="this is no text", where=where, mend=_MEND))


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is no JSON")


@with_config(ConfigDict(extra="forbid", strict=True))
class _EvaluationColumns(TypedDict):
    session_id: str
    id: str
    turn_id: str
    created_at: AwareDatetime
    question: str
    given: str | None
    decision: Verdict
    cause: Cause
    fallback: bool
    raw: str | None
    raw_cut: bool
    reasons: Json[tuple[str, ...]]
    model: str
    prompt_version: str
    prompt_sha256: str
    duration_ms: int
    attempts: int
    cited: Json[tuple[str, ...]]
    unknown: Json[tuple[str, ...]]
    evidence: str
    answer: str | None
    shown: str
    withheld: bool


@cache
def _reader() -> "pydantic.TypeAdapter[_EvaluationColumns]":
    """Return the reader of an evaluation's line, made at its first use, as that of a row is."""
    return pydantic.TypeAdapter(_EvaluationColumns)
