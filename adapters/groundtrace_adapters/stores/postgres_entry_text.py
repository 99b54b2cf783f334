"""SQL for partitions that are foreign tables: no key to name, sessions as parameters, many rows in one statement.

Only so does the entry ask the one server that keeps a session, and nothing of the others.
"""

from dataclasses import replace
from functools import lru_cache

from groundtrace_adapters.stores.sql_sessions import sessions_counted
from groundtrace_adapters.stores.sql_text import POSTGRES, Statements, statements_for

ROWS_A_STATEMENT = 250
"""So many rows go into one INSERT: a statement takes 65,535 parameters at most."""

_TEXTS_KEPT = 8


def entry_statements() -> Statements:
    """Return the statements of a PostgreSQL store, changed where they would ask every server or fetch a whole session.

    The list of sessions is counted on each data server: looked up line by line, each line would ask them all.
    """
    p = POSTGRES.parameter
    return replace(
        statements_for(POSTGRES),
        sessions=sessions_counted(limit=p("limit"), behind=None),
        sessions_before=sessions_counted(limit=p("limit"), behind=(p("before_at"), p("before_id"))),
    )


@lru_cache(_TEXTS_KEPT)
def insert_many(table: str, columns: tuple[str, ...], rows: int, /) -> bytes:
    """Return one INSERT of so many rows, whose parameters are numbered row by row; a key that is there is passed over.

    No target is named: PostgreSQL knows none for foreign partitions. Each server has its key.
    """
    width = len(columns)
    values = (", ".join(f"${row * width + place}" for place in range(1, width + 1)) for row in range(rows))
    into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({'), ('.join(values)})"  # noqa: S608 - of constants
    return f"{into} ON CONFLICT DO NOTHING".encode()


@lru_cache(_TEXTS_KEPT)
def digests_of(table: str, sessions: int, /) -> bytes:
    """Return the query for the digests of some ids (the last parameter, an array) in so many sessions."""
    named = ", ".join(f"${place}" for place in range(1, sessions + 1))
    asked = f"session_id IN ({named}) AND id = ANY(${sessions + 1})"
    return f"SELECT session_id, id, row_digest FROM {table} WHERE {asked}".encode()  # noqa: S608 - of constants alone
