"""How records come into PostgreSQL: one by a prepared INSERT, many by binary COPY, and those that may be there already
through a stage. Each function works in the transaction that its caller has begun, or in one of the statement's own.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from typing import Generic, TypeVar

from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.ports import StoreError, StoreFault
from groundtrace_adapters.stores.columns import Kind
from groundtrace_adapters.stores.faults import store_error
from groundtrace_adapters.stores.plain_values import to_plain
from groundtrace_adapters.stores.postgres_connections import BoundedConnection
from groundtrace_adapters.stores.record_codec import Bindings, Record, RecordCodec
from groundtrace_adapters.stores.write_text import STAGE, copy_text, insert_text, stage_texts

Given = TypeVar("Given")

ROWS_A_PIECE = 100
"""So many rows are one COPY; those behind them are encoded while the server works on it.

In larger pieces it would not: what a binary COPY brings is inserted at every 1,000th row and at the end.
"""

_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = b"\xff\xff"

_AS_TEXT = Bindings(
    {
        # All parameters are text of no stated type, so that one prepared statement serves every row.
        Kind.WORD: str,
        Kind.NUMBER: str,
        Kind.FLAG: lambda flag: "t" if flag else "f",
        Kind.TIME: datetime.isoformat,
        Kind.WORDS: to_plain,
    }
)


class GivenUpError(Exception):
    """A record that no store can keep, or that this one keeps out; what was sent of its neighbours is given up."""

    def __init__(self, refusal: StoreError, /) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def insert_one(connection: BoundedConnection, codec: RecordCodec[Record], record: Record, /, *, operation: str) -> None:
    """Insert a record, by a prepared statement where the session is ours.

    Raises GivenUpError and psycopg.Error; that is `UniqueViolation` if its key is there. So do those below.
    """
    (values,) = _taken(codec.as_values([record], _AS_TEXT, operation=operation))
    connection.execute(_insert_statement(codec), values, prepare=connection.owns_its_session)


@lru_cache(8)
def _insert_statement(codec: RecordCodec[Record]) -> bytes:
    return insert_text(codec, "%s").encode()


class Encoded(Generic[Record]):
    """Records in pieces of a binary COPY, each encoded when it is first wanted and remembered for a second time."""

    def __init__(self, codec: RecordCodec[Record], records: Sequence[Record], /, *, operation: str) -> None:
        self.codec: RecordCodec[Record] = codec
        self.records: Sequence[Record] = records
        self.operation = operation
        self.pieces = range(0, len(records), ROWS_A_PIECE)
        self._encoded: dict[int, Result[bytes, StoreError]] = {}

    def encode(self, start: int, /) -> Result[bytes, StoreError]:
        """Return the piece that begins with that record."""
        if start not in self._encoded:
            part = self.records[start : start + ROWS_A_PIECE]
            self._encoded[start] = self.codec.as_binary(part, operation=self.operation)
        return self._encoded[start]


def copy_many(connection: BoundedConnection, encoded: Encoded[Record], /, *, table: str | None = None) -> None:
    """Copy records into their own table or another with its columns; in a transaction if they are several pieces."""
    statement = copy_text(encoded.codec, table or encoded.codec.table).encode()
    with connection.one_deadline(), connection.cursor() as cursor:
        for start in encoded.pieces:
            rows = _taken(encoded.encode(start))
            with cursor.copy(statement) as copy:
                copy.write(_SIGNATURE)
                copy.write(rows)
                copy.write(_TRAILER)
                connection.meanwhile = partial(encoded.encode, start + ROWS_A_PIECE)


def keep_by_stage(connection: BoundedConnection, encoded: Encoded[Record], /) -> Mapping[tuple[str, str], object]:
    """Keep what is new of records, in a transaction of several statements; return what stands under their keys.

    That is a digest for each key, or nothing if all of them were new.
    """
    make, move, look_up = (text.encode() for text in stage_texts(encoded.codec))
    connection.execute(make)
    copy_many(connection, encoded, table=STAGE)
    if connection.execute(move).rowcount == len(encoded.records):
        return {}
    # Between the two statements a row may have been pruned, so that its key is free again.
    for _ in range(2):
        held = {(row[0], row[1]): row[2] for row in connection.execute(look_up)}
        if None not in held.values():
            return held
        connection.execute(move)
    what = f"a rule that others have made for `{encoded.codec.table}` keeps a row out"
    raise GivenUpError(store_error(StoreFault.REFUSED_ROW, encoded.operation, what))


def _taken(found: Result[Given, StoreError]) -> Given:
    if not is_successful(found):
        raise GivenUpError(found.failure())
    return found.unwrap()
