"""Rows on their way through the entry to one data server: many in one statement, and their digests where in doubt."""

from collections.abc import Mapping, Sequence

from psycopg import RawCursor

from groundtrace.ports import Fate
from groundtrace_adapters.stores.postgres_connections import BoundedConnection
from groundtrace_adapters.stores.postgres_entry_text import ROWS_A_STATEMENT, digests_of, insert_many
from groundtrace_adapters.stores.record_codec import Plain


def kept_rows(connection: BoundedConnection, table: str, plain: Sequence[Plain], /) -> tuple[Fate, ...]:
    """Keep rows that all live on one server, and return a fate each. Raises psycopg.Error."""
    # In the order of keys, so that two writers of the same rows never wait for each other crosswise; the sort is
    # stable, so of two rows with one key the first one given stays.
    ordered = sorted(plain, key=_key_of)
    cursor = RawCursor(connection)
    inserted = 0
    for start in range(0, len(ordered), ROWS_A_STATEMENT):
        part = ordered[start : start + ROWS_A_STATEMENT]
        statement = insert_many(table, tuple(part[0]), len(part))
        inserted += cursor.execute(statement, [value for row in part for value in row.values()]).rowcount
    if inserted == len(plain):
        return (Fate.STORED,) * len(plain)
    held = _digests(cursor, table, plain)
    return tuple(Fate.STORED if held[_key_of(row)] == row["row_digest"] else Fate.ID_CONFLICT for row in plain)


def _digests(
    cursor: "RawCursor[tuple[object, ...]]", table: str, plain: Sequence[Plain]
) -> Mapping[tuple[str, str], object]:
    sessions = sorted({str(row["session_id"]) for row in plain})
    found: dict[tuple[str, str], object] = {}
    for start in range(0, len(sessions), ROWS_A_STATEMENT):
        part = sessions[start : start + ROWS_A_STATEMENT]
        ids = [str(row["id"]) for row in plain if str(row["session_id"]) in part]
        answer = cursor.execute(digests_of(table, len(part)), [*part, ids]).fetchall()
        found.update({(str(row[0]), str(row[1])): row[2] for row in answer})
    return found


def _key_of(row: Plain) -> tuple[str, str]:
    return str(row["session_id"]), str(row["id"])
