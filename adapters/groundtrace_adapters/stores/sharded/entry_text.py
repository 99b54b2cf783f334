"""SQL for partitions that are foreign tables: no key to name, sessions as parameters, many rows in one statement.

Only so does the entry ask the one server that keeps a session, and nothing of the others.
"""

from functools import lru_cache

ROWS_A_STATEMENT = 250
"""So many rows go into one INSERT: a statement takes 65,535 parameters at most."""

_TEXTS_KEPT = 8


# Each side is counted on its data server, and one line a session comes over. What each session was decided is asked
# for the lines of a page alone: a join would name the sessions in a way that no data server is asked by.
_LINES = """SELECT session_id, COALESCE(called.first_at, judged.first_at),
    COALESCE(called.last_at, judged.last_at) AS last_at, COALESCE(calls, 0)
FROM (SELECT session_id, min(started_at) AS first_at, max(started_at) AS last_at, count(*) AS calls
    FROM tool_invocation GROUP BY session_id) AS called
FULL JOIN (SELECT session_id, min(created_at) AS first_at, max(created_at) AS last_at
    FROM verifier_evaluation GROUP BY session_id) AS judged USING (session_id)"""
_BEHIND = """WHERE COALESCE(called.last_at, judged.last_at) < %(before_at)s
    OR (COALESCE(called.last_at, judged.last_at) = %(before_at)s AND session_id > %(before_id)s)"""
_LATEST_FIRST = "ORDER BY last_at DESC, session_id LIMIT %(limit)s"

SESSIONS = f"{_LINES} {_LATEST_FIRST}"
"""Lists sessions without their decisions. Parameter: `limit`."""

SESSIONS_BEFORE = f"{_LINES} {_BEHIND} {_LATEST_FIRST}"
"""The same behind a line. Parameters: `limit`; `before_at`, `before_id`."""

DECISIONS = """SELECT DISTINCT ON (session_id) session_id, decision FROM verifier_evaluation
    WHERE session_id = ANY(%(sessions)s) ORDER BY session_id, created_at DESC, id DESC"""
"""The latest decision of each of some sessions. Parameter: `sessions`, an array."""


def younger(table: str, time: str, sessions: int, /) -> str:
    """Return the query for those of so many sessions that have a record at `before` or later.

    In this and the two below a session is the parameter `session_0` and so on, each by itself: named by a subquery or
    an array it would be looked for on every server.
    """
    return f"SELECT DISTINCT session_id FROM {table} WHERE {_among(sessions)} AND {time} >= %(before)s"  # noqa: S608


def keys_of(table: str, sessions: int, /) -> str:
    """Return the query for the first keys of so many sessions. Parameter: `limit`."""
    return (
        f"SELECT session_id, id FROM {table} WHERE {_among(sessions)}"  # noqa: S608 - of constants alone
        " ORDER BY session_id, id LIMIT %(limit)s"
    )


def remove(table: str, sessions: int, /) -> str:
    """Return the statement that removes some ids (`ids`, an array) from so many sessions, by each server itself."""
    return f"DELETE FROM {table} WHERE {_among(sessions)} AND id = ANY(%(ids)s) RETURNING session_id"  # noqa: S608


def _among(sessions: int) -> str:
    return f"session_id IN ({', '.join(f'%(session_{place})s' for place in range(sessions))})"


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
