"""Invocations and evaluations as plain values by column, and back; shared by the stores, and pure.

A value that cannot be kept refuses the whole batch (`refused_row`): the caller appends the rows one by one to find it.
A row that cannot be read refuses the whole answer (`corrupt`), naming row and column: nothing is left out silently,
and no made-up value stands in for it. The content of a row is compared by its digest over all columns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import chain, repeat
from operator import add, attrgetter
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from returns import result
from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.ports import Fate, StoreError, StoreFault
from groundtrace.reading import digest_of
from groundtrace.retrieval import Layer, Relevance
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.stores.columns import (
    FLAG,
    JSON,
    NAME,
    NUMBER,
    TEXT,
    TIME,
    WORDS,
    Column,
    Kind,
    nullable,
    word,
)
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.field_bytes import (
    CHECKS,
    COLUMNS,
    FIELDS,
    NULL,
    UNSTORABLE,
    Check,
    Field,
    Fields,
    text_field,
)
from groundtrace_adapters.stores.plain_values import KEY_BYTES, Reader, as_json, read_columns, to_plain

Plain: TypeAlias = Mapping[str, object]
"""Values by column: text, integers, booleans, times in UTC, None; with `row_digest`."""


@dataclass(frozen=True, slots=True, eq=False)
class Bindings:
    """How a driver is given the values of some kinds of columns, other than None; the others stand as they are."""

    by_kind: Mapping[Kind, Callable[[Any], object]]


AS_THEY_ARE = Bindings({})

Places: TypeAlias = tuple[tuple[int, Callable[[Any], object]], ...]
"""The columns, by position, whose values a driver is given in another form, and how it is made."""

DIGEST = "2:"
"""How digests begin. The first release's, a bare SHA-256 over JSON, still stand in older stores and are known again."""

_DIGEST_START = text_field(DIGEST + "0" * 64)[:-64]
"""What stands before the 64 digits in a digest's field."""

_KEY_FIELDS = KEY_BYTES + 2 * len(NULL)

_MANY = 4
"""So many records are quicker encoded column by column than one by one."""

Record = TypeVar("Record", Invocation, Evaluation)
Given = TypeVar("Given")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordCodec(Generic[Record]):
    """How one kind of record stands in its table: what each column holds, in the order of its fields."""

    kind: type[Record]
    table: str
    held: Mapping[str, Column]
    readers: Mapping[str, Reader] = field(init=False)
    key_of: Callable[[Record], tuple[str, str]] = field(init=False)
    _values_of: Callable[[Record], tuple[Any, ...]] = field(init=False)
    _fields: tuple[Field, ...] = field(init=False)
    _columns: tuple[Fields, ...] = field(init=False)
    _checks: tuple[Check, ...] = field(init=False)
    _start: bytes = field(init=False)

    def __post_init__(self) -> None:
        """Make ready what each row needs."""
        ready = {
            "readers": MappingProxyType({name: column.read for name, column in self.held.items()}),
            "key_of": attrgetter("session_id", "id"),
            "_values_of": attrgetter(*self.held),
            "_fields": tuple(FIELDS[column.kind] for column in self.held.values()),
            "_columns": tuple(COLUMNS[column.kind] for column in self.held.values()),
            "_checks": tuple(CHECKS[column.kind] for column in self.held.values()),
            "_start": (len(self.held) + 1).to_bytes(2, "big"),
        }
        for name, value in ready.items():
            object.__setattr__(self, name, value)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns that are fields, in order; `row_digest` is the store's own."""
        return tuple(self.held)

    def encode(self, record: Record, /, *, operation: str) -> Result[Plain, StoreError]:
        """Return the values by column, or `refused_row` naming the first column that no store can keep."""
        plain: dict[str, object] = {}
        for name, column in self.held.items():
            try:
                plain[name] = to_plain(getattr(record, name))
                if column.kind is Kind.JSON and plain[name] is not None:
                    as_json(plain[name])
            except (ValueError, TypeError, OverflowError, RecursionError):
                return result.Failure(_refused(operation, f"the value for `{self.table}.{name}` cannot be stored"))
        if len(f"{record.session_id}{record.id}".encode()) > KEY_BYTES:
            return result.Failure(_refused(operation, f"a key of `{self.table}` is longer than {KEY_BYTES} bytes"))
        try:
            return result.Success({**plain, "row_digest": self._digest_of(record)})
        except UNSTORABLE:
            return result.Failure(_refused(operation, f"a value for `{self.table}` is of another type"))

    def encode_all(self, records: Iterable[Record], /, *, operation: str) -> Result[tuple[Plain, ...], StoreError]:
        """Return the values of each record, or the first refusal."""
        return _all(self.encode(record, operation=operation) for record in records)

    def as_binary(self, records: Sequence[Record], /, *, operation: str) -> Result[bytes, StoreError]:
        """Return rows of PostgreSQL's binary COPY, digests with them, or the first refusal."""

        def rows() -> bytes:
            contents = self._contents([self._values_of(record) for record in records])
            digests = [_DIGEST_START + sha256(content).hexdigest().encode() for content in contents]
            return b"".join(chain.from_iterable(zip(repeat(self._start), contents, digests, strict=False)))

        return self._or_refusal(rows, records, operation)

    def as_values(
        self, records: Sequence[Record], bindings: Bindings, /, *, operation: str
    ) -> Result[list[tuple[object, ...]], StoreError]:
        """Return each record's values by position, the digest behind them, or the first refusal."""

        def rows() -> list[tuple[object, ...]]:
            values = [self._values_of(record) for record in records]
            digests = [_digest(content) for content in self._contents(values)]
            # A tuple of one behind each tuple of values.
            return self._bound(list(map(add, values, zip(digests, strict=True))), bindings)

        return self._or_refusal(rows, records, operation)

    def as_bare_values(
        self, records: Sequence[Record], bindings: Bindings, /, *, operation: str
    ) -> Result[list[tuple[object, ...]], StoreError]:
        """Return each record's values by position, without a digest, or the first refusal."""

        def rows() -> list[tuple[object, ...]]:
            values = [self._values_of(record) for record in records]
            self._check(values)
            return self._bound(values, bindings)

        return self._or_refusal(rows, records, operation)

    def fate_of(self, record: Record, held: object, /) -> Fate:
        """Return what became of a record under whose key a row with the digest `held` stands."""
        same = held == self._digest_of(record) or held == self.first_digest(record)
        return Fate.STORED if same else Fate.ID_CONFLICT

    def fate_beside(self, record: Record, held: tuple[object, ...], /) -> Fate:
        """Return what became of a record under whose key stand these columns, and the digest behind them.

        Without a digest the content itself is compared; what cannot be read is not the same.
        """
        *values, digest = held
        if digest:
            return self.fate_of(record, digest)
        same = self.decode(tuple(values), operation="append").map(self._digest_of)
        return same.map(lambda one: self.fate_of(record, one)).value_or(Fate.ID_CONFLICT)

    def first_digest(self, record: Record, /) -> str:
        """Return the digest under which the first release stored a record; of a row it is the core's."""
        return digest_of(to_plain(getattr(record, name)) for name in self.held)

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

    def _or_refusal(
        self, written: Callable[[], Given], records: Sequence[Record], operation: str
    ) -> Result[Given, StoreError]:
        try:
            return result.Success(written())
        except UNSTORABLE:
            # Looked for once more, column by column: rare, and the way that finds nothing stays quick.
            return self.encode_all(records, operation=operation).bind(
                lambda _: result.Failure(_refused(operation, f"a value for `{self.table}` is of another type"))
            )

    def _digest_of(self, record: Record) -> str:
        return _digest(self._content(self._values_of(record)))

    def _check(self, values: Sequence[tuple[Any, ...]]) -> None:
        """Raise one of `UNSTORABLE` exactly where `_contents` does, in a third of its time."""
        if len(values) < _MANY:
            self._contents(values)
            return
        unset = (None,) * len(values)
        columns = list(zip(*values, strict=True))
        for check, column in zip(self._checks, columns, strict=True):
            if column != unset:
                check(column)
        if max(map(len, map(str.encode, map(add, *columns[:2])))) > KEY_BYTES:
            raise ValueError("a key is too long")

    def _content(self, values: tuple[Any, ...]) -> bytes:
        """Return all fields of a record, whose values are given in the order of columns."""
        fields = [
            NULL if value is None else as_field(value) for as_field, value in zip(self._fields, values, strict=True)
        ]
        if len(fields[0]) + len(fields[1]) > _KEY_FIELDS:
            raise ValueError("a key is too long")
        return b"".join(fields)

    def _contents(self, values: Sequence[tuple[Any, ...]]) -> list[bytes]:
        """Return what `_content` does of each record: of many column by column, which takes two thirds of the time."""
        if len(values) < _MANY:
            return [self._content(each) for each in values]
        unset, absent = (None,) * len(values), [NULL] * len(values)
        fields = [
            absent if column == unset else as_fields(column)
            for as_fields, column in zip(self._columns, zip(*values, strict=True), strict=True)
        ]
        if max(map(add, map(len, fields[0]), map(len, fields[1]))) > _KEY_FIELDS:
            raise ValueError("a key is too long")
        return list(map(b"".join, zip(*fields, strict=True)))

    def _bound(self, values: Sequence[tuple[Any, ...]], bindings: Bindings) -> list[tuple[object, ...]]:
        """Return the values of each record as a driver is given them; of many they are made column by column."""
        places = _bound_places(self, bindings)
        if len(values) < _MANY:
            return [_bound_one(each, places) for each in values]
        columns: list[Sequence[object]] = list(zip(*values, strict=True))
        for place, bind in places:
            columns[place] = [None if value is None else bind(value) for value in columns[place]]
        return list(zip(*columns, strict=True))


def _bound_one(values: tuple[Any, ...], places: Places) -> tuple[object, ...]:
    bound = list(values)
    for place, bind in places:
        value = bound[place]
        if value is not None:
            bound[place] = bind(value)
    return tuple(bound)


@lru_cache(16)
def _bound_places(codec: RecordCodec[Record], bindings: Bindings, /) -> Places:
    kinds = [column.kind for column in codec.held.values()]
    return tuple((place, bindings.by_kind[kind]) for place, kind in enumerate(kinds) if kind in bindings.by_kind)


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


def _digest(content: bytes) -> str:
    return DIGEST + sha256(content).hexdigest()


INVOCATIONS: RecordCodec[Invocation] = RecordCodec(
    kind=Invocation,
    table="tool_invocation",
    held=MappingProxyType(
        {
            "session_id": NAME,
            "id": TEXT,
            "turn_id": nullable(TEXT),
            "seq": NUMBER,
            "tool_name": NAME,
            "topic_domain": NAME,
            "outcome": word(OutcomeKind),
            "support": nullable(word(Support)),
            "reason": nullable(TEXT),
            "partial": FLAG,
            "basis": word(Basis),
            "input_params": JSON,
            "input_fingerprint": TEXT,
            "started_at": TIME,
            "duration_ms": nullable(NUMBER),
            "success": FLAG,
            "output_preview": nullable(TEXT),
            "output_state": word(OutputState),
            "output_bytes": nullable(NUMBER),
            "output_sha256": nullable(TEXT),
            "error_message": nullable(TEXT),
            "retrieval_layer": nullable(word(Layer)),
            "l0_count": nullable(NUMBER),
            "l1_count": nullable(NUMBER),
            "relevance_level": nullable(word(Relevance)),
            "retrieval_details": nullable(JSON),
            "dedup_reason": nullable(TEXT),
            "details": JSON,
        }
    ),
)

EVALUATIONS: RecordCodec[Evaluation] = RecordCodec(
    kind=Evaluation,
    table="verifier_evaluation",
    held=MappingProxyType(
        {
            "session_id": NAME,
            "id": TEXT,
            "turn_id": TEXT,
            "created_at": TIME,
            "question": TEXT,
            "given": nullable(TEXT),
            "decision": word(Verdict),
            "cause": word(Cause),
            "fallback": FLAG,
            "raw": nullable(TEXT),
            "raw_cut": FLAG,
            "reasons": WORDS,
            "model": TEXT,
            "prompt_version": TEXT,
            "prompt_sha256": TEXT,
            "duration_ms": NUMBER,
            "attempts": NUMBER,
            "cited": WORDS,
            "unknown": WORDS,
            "evidence": JSON,
            "answer": nullable(TEXT),
            "shown": TEXT,
            "withheld": FLAG,
        }
    ),
)
