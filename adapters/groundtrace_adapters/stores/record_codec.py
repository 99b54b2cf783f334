"""Invocations and evaluations as plain values by column, and back; shared by the stores, and pure.

A value that cannot be kept refuses the whole batch (`refused_row`): the caller appends the rows one by one to find it.
A row that cannot be read refuses the whole answer (`corrupt`), naming row and column: nothing is left out silently,
and no made-up value stands in for it. The content of a row is compared by its digest over all columns.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Generic, TypeAlias, TypeVar

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.ports import StoreError, StoreFault
from groundtrace.retrieval import Layer, Relevance
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.plain_values import (
    KEY_BYTES,
    Reader,
    as_flag,
    as_integer,
    as_json,
    as_text,
    as_time,
    as_words,
    optional,
    optional_json,
    read_columns,
    to_plain,
)

Plain: TypeAlias = Mapping[str, object]
"""Values by column: text, integers, booleans, times in UTC, None; with `row_digest`."""

JSON_READERS = frozenset({as_json, optional_json})
"""Text in these columns is checked before it is kept; what other columns hold, its type says."""

Record = TypeVar("Record", Invocation, Evaluation)
Given = TypeVar("Given")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCodec(Generic[Record]):
    """How one kind of record stands in its table: a reader for each column, in the order of its fields."""

    kind: type[Record]
    table: str
    readers: Mapping[str, Reader]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns that are fields, in order; `row_digest` is the store's own."""
        return tuple(self.readers)

    def encode(self, record: Record, /, *, operation: str) -> Result[Plain, StoreError]:
        """Return the values by column, or `refused_row` naming the first column that no store can keep."""
        plain: dict[str, object] = {}
        for column, reader in self.readers.items():
            try:
                plain[column] = to_plain(getattr(record, column))
                if reader in JSON_READERS:
                    reader(plain[column])
            except (ValueError, TypeError, OverflowError, RecursionError):
                return result.Failure(_refused(operation, f"the value for `{self.table}.{column}` cannot be stored"))
        if len(f"{record.session_id}{record.id}".encode()) > KEY_BYTES:
            return result.Failure(_refused(operation, f"a key of `{self.table}` is longer than {KEY_BYTES} bytes"))
        return result.Success({**plain, "row_digest": _digest(plain)})

    def encode_all(self, records: Iterable[Record], /, *, operation: str) -> Result[tuple[Plain, ...], StoreError]:
        """Return the values of each record, or the first refusal."""
        return _all(self.encode(record, operation=operation) for record in records)

    def decode(self, values: tuple[object, ...], /, *, operation: str) -> Result[Record, StoreError]:
        """Return the record whose columns these are, or `corrupt` naming its key and the column."""
        found = read_columns(self.readers, values)
        if isinstance(found, str):
            return result.Failure(unreadable(operation, self.table, found, values[0], values[1]))
        return result.Success(self.kind(**found))

    def decode_all(
        self, answer: Iterable[tuple[object, ...]], /, *, operation: str
    ) -> Result[tuple[Record, ...], StoreError]:
        """Return each record, or the first one that cannot be read as `corrupt`."""
        return _all(self.decode(values, operation=operation) for values in answer)


def unreadable(operation: str, table: str, column: str, session_id: object, id: object, /) -> StoreError:
    """Return the error for a stored row that does not hold what its column may hold; the key names it, cut."""
    where = f"{table} row {str(id)[:200]!r} of session {str(session_id)[:200]!r} has an unknown value in `{column}`"
    return store_error(StoreFault.CORRUPT, operation, where, mend="correct or delete that row, or upgrade groundtrace")


def _all(results: Iterable[Result[Given, StoreError]]) -> Result[tuple[Given, ...], StoreError]:
    found: list[Given] = []
    for one in results:
        if not is_successful(one):
            return result.Failure(one.failure())
        found.append(one.unwrap())
    return result.Success(tuple(found))


def _refused(operation: str, what: str) -> StoreError:
    return store_error(StoreFault.REFUSED_ROW, operation, what)


def _digest(plain: Plain) -> str:
    values = [value.isoformat() if isinstance(value, datetime) else value for value in plain.values()]
    return sha256(json.dumps(values).encode("ascii")).hexdigest()


INVOCATIONS: RecordCodec[Invocation] = RecordCodec(
    kind=Invocation,
    table="tool_invocation",
    readers=MappingProxyType(
        {
            "session_id": as_text,
            "id": as_text,
            "turn_id": optional(as_text),
            "seq": as_integer,
            "tool_name": as_text,
            "topic_domain": as_text,
            "outcome": OutcomeKind,
            "support": optional(Support),
            "reason": optional(as_text),
            "partial": as_flag,
            "basis": Basis,
            "input_params": as_json,
            "input_fingerprint": as_text,
            "started_at": as_time,
            "duration_ms": optional(as_integer),
            "success": as_flag,
            "output_preview": optional(as_text),
            "output_state": OutputState,
            "output_bytes": optional(as_integer),
            "output_sha256": optional(as_text),
            "error_message": optional(as_text),
            "retrieval_layer": optional(Layer),
            "l0_count": optional(as_integer),
            "l1_count": optional(as_integer),
            "relevance_level": optional(Relevance),
            "retrieval_details": optional_json,
            "dedup_reason": optional(as_text),
            "details": as_json,
        }
    ),
)

EVALUATIONS: RecordCodec[Evaluation] = RecordCodec(
    kind=Evaluation,
    table="verifier_evaluation",
    readers=MappingProxyType(
        {
            "session_id": as_text,
            "id": as_text,
            "turn_id": as_text,
            "created_at": as_time,
            "question": as_text,
            "given": optional(as_text),
            "decision": Verdict,
            "cause": Cause,
            "fallback": as_flag,
            "raw": optional(as_text),
            "raw_cut": as_flag,
            "reasons": as_words,
            "model": as_text,
            "prompt_version": as_text,
            "prompt_sha256": as_text,
            "duration_ms": as_integer,
            "attempts": as_integer,
            "cited": as_words,
            "unknown": as_words,
            "evidence": as_json,
            "answer": optional(as_text),
            "shown": as_text,
            "withheld": as_flag,
        }
    ),
)
