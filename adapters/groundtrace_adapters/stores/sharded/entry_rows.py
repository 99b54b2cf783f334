"""Records on their way through the entry to one data server: many in a statement, and their digests where in doubt."""

from collections.abc import Sequence
from typing import TypeAlias

from psycopg import RawCursor

from groundtrace_adapters.stores.columns import Kind
from groundtrace_adapters.stores.plain_values import to_plain
from groundtrace_adapters.stores.postgres_connections import BoundedConnection
from groundtrace_adapters.stores.record_codec import Bindings, Record, RecordCodec
from groundtrace_adapters.stores.sharded.entry_text import ROWS_A_STATEMENT, digests_of, insert_many

Values: TypeAlias = Sequence[object]
"""One record's values by position, its digest behind them."""

# Numbers and flags as text of no stated type, so that one prepared statement serves every row.
BINDINGS = Bindings(
    {
        Kind.WORD: str,
        Kind.NUMBER: str,
        Kind.FLAG: lambda flag: "t" if flag else "f",
        Kind.WORDS: to_plain,
    }
)
"""How the codec makes values of the kinds that psycopg would write otherwise than we do."""


def insert_new(connection: BoundedConnection, codec: RecordCodec[Record], values: Sequence[Values], /) -> int:
    """Insert records whose keys are not there, and return how many these were. Raises psycopg.Error.

    All live on one server. In the order of keys, so that two writers of the same rows never wait for each other
    crosswise; the sort is stable, so of two with one key the first one given stays.
    """
    ordered = sorted(values, key=lambda one: (str(one[0]), str(one[1])))
    columns = (*codec.columns, "row_digest")
    cursor = RawCursor(connection)
    inserted = 0
    for start in range(0, len(ordered), ROWS_A_STATEMENT):
        part = ordered[start : start + ROWS_A_STATEMENT]
        given = [value for one in part for value in one]
        statement = insert_many(codec.table, columns, len(part))
        inserted += cursor.execute(statement, given, prepare=len(part) == 1 and connection.owns_its_session).rowcount
    return inserted


def digests_held(
    connection: BoundedConnection, table: str, keys: Sequence[tuple[str, str]], /
) -> dict[tuple[str, str], object]:
    """Return the digests that stand under keys of one server. Raises psycopg.Error."""
    cursor = RawCursor(connection)
    sessions = sorted({session_id for session_id, _ in keys})
    found: dict[tuple[str, str], object] = {}
    for start in range(0, len(sessions), ROWS_A_STATEMENT):
        part = sessions[start : start + ROWS_A_STATEMENT]
        ids = sorted({id for session_id, id in keys if part[0] <= session_id <= part[-1]})
        answer = cursor.execute(digests_of(table, len(part)), [*part, ids]).fetchall()
        found.update({(str(row[0]), str(row[1])): row[2] for row in answer})
    return found
