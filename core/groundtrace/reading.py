"""Rows read back: the outcome that a row stands for, rows of others, and the digest of a row's content.

Inverts `recording`; total, since a store may hold what another hand wrote or changed.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from typing import TypeVar, assert_never

from groundtrace import outcomes
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import (
    Basis,
    DedupReason,
    FailureKind,
    NoEvidenceReason,
    OutcomeKind,
    Output,
    Support,
)
from groundtrace.retrieval import Layer, Relevance
from groundtrace.text import is_blank

NO_MESSAGE = "no message was recorded"

Word = TypeVar("Word", bound=StrEnum)

_COLUMNS = tuple(column.name for column in fields(Invocation))


def outcome_of(row: Invocation, /) -> outcomes.Outcome:
    """Return the outcome that a row stands for; total, also for a row that contradicts itself (it is then lowered).

    Inverts `record` wherever the output fits its preview and holds no secret; a truncated output comes back as its
    preview, and one with nothing visible in it as empty.
    """
    told = _details(row.details)
    match row.outcome:
        case OutcomeKind.SUCCESS:
            return _success(row, told)
        case OutcomeKind.NO_EVIDENCE:
            reason = _word(NoEvidenceReason, row.reason, NoEvidenceReason.EMPTY_RESULT)
            notes = _notes(row, told)
            return outcomes.NoEvidence(reason=reason, output=_output(row, told), partial=notes, basis=row.basis)
        case OutcomeKind.DEDUPED:
            of = tuple(_texts(told.get("of")))
            inherited = _known(OutcomeKind, told.get("inherited"))
            word = row.dedup_reason or row.reason or DedupReason.OTHER
            return outcomes.deduped_from(word, of, inherited=inherited, basis=row.basis)
        case OutcomeKind.FAILURE:
            return _failure(row, told)
        case _:
            assert_never(row.outcome)


def classify_foreign(
    *,
    success: bool | None,
    dedup_reason: str | None = None,
    output: str | None = None,
    relevance: str | None = None,
    layer: str | None = None,
    message: str | None = None,
) -> outcomes.Outcome:
    """Return the outcome of a row that others wrote without our columns; the first rule that holds decides.

    No success -> Failure; a dedup reason -> Deduped; no output, or relevance or layer `none` -> NoEvidence; else
    Success(INDIRECT). A success that nobody stated counts as true. All of it is `inferred`.
    """
    if success is False:
        text = NO_MESSAGE if message is None or is_blank(message) else message
        return outcomes.Failure(kind=FailureKind.ERROR, message=text, output=output, basis=Basis.INFERRED)
    if dedup_reason is not None and not is_blank(dedup_reason):
        return outcomes.deduped_from(dedup_reason, (), basis=Basis.INFERRED)
    reason = _foreign_emptiness(output, relevance, layer)
    if reason is not None:
        return outcomes.NoEvidence(reason=reason, output=output, basis=Basis.INFERRED)
    return outcomes.Success(support=Support.INDIRECT, output=output or "", basis=Basis.INFERRED)


def row_digest(row: Invocation, /) -> str:
    """Return the SHA-256, in hex, of all columns of a row: equal exactly for equal rows."""
    return digest_of(getattr(row, name) for name in _COLUMNS)


def digest_of(values: Iterable[object], /) -> str:
    """Return the SHA-256, in hex, of the values of a record: of text, numbers, flags, times and None."""
    plain = [_plain(value) for value in values]
    return hashlib.sha256(json.dumps(plain).encode("ascii")).hexdigest()


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _foreign_emptiness(output: str | None, relevance: str | None, layer: str | None) -> NoEvidenceReason | None:
    if output is None or is_blank(output):
        return NoEvidenceReason.EMPTY_RESULT
    if relevance == Relevance.NONE or layer == Layer.NONE:
        return NoEvidenceReason.NO_MATCH
    return None


def _success(row: Invocation, told: dict[str, object]) -> outcomes.Success:
    notes = _notes(row, told)
    support = row.support if row.support is not None and not notes else Support.INDIRECT
    return outcomes.Success(support=support, output=_output(row, told) or "", partial=notes, basis=row.basis)


def _failure(row: Invocation, told: dict[str, object]) -> outcomes.Failure:
    message = row.error_message
    return outcomes.Failure(
        kind=_word(FailureKind, row.reason, FailureKind.ERROR),
        message=NO_MESSAGE if message is None or is_blank(message) else message,
        retryable=told.get("retryable") is True,
        output=_output(row, told),
        basis=row.basis,
    )


def _output(row: Invocation, told: dict[str, object]) -> Output | None:
    if row.output_bytes is None and row.output_preview is None:
        return None
    text = "" if row.output_state is OutputState.NONE else row.output_preview or ""
    return text.encode("utf-8", "replace") if told.get("output") == "bytes" else text


def _notes(row: Invocation, told: dict[str, object]) -> tuple[str, ...]:
    notes = tuple(_texts(told.get("partial")))
    return notes if notes or not row.partial else ("what was not seen is not recorded",)


def _details(text: str) -> dict[str, object]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _texts(value: object) -> Iterable[str]:
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _known(words: Callable[[str], Word], value: object) -> Word | None:
    try:
        return words(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _word(words: Callable[[str], Word], value: object, otherwise: Word) -> Word:
    found = _known(words, value)
    return otherwise if found is None else found
