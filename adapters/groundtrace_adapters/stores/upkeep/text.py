"""The statements of upkeep, as text: pages over all sessions, the walk from session to session, retention, figures.

Each looks at a bounded part of a table, found through the keys and the order that every schema of ours indexes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS
from groundtrace_adapters.stores.sql_text import CLASSIFIED, JSON_COLUMNS, POSTGRES, SQLITE, Dialect

TIMES: Mapping[str, str] = MappingProxyType({"tool_invocation": "started_at", "verifier_evaluation": "created_at"})
"""The column that says when a record of a table was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStatements:
    """How one table is read page by page, over all sessions or within one.

    Parameters: `session`, `id` (the place behind which a page begins), `limit`; `end` finds the key with which it
    ends (`skipped` is `limit` less one), `chosen` reads what lies between (`end_session`, `end_id`) and is of a time
    (`since`, `until`), and `rest` what is of that time on the last page, which has no end.
    """

    page: str
    end: str
    chosen: str
    rest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepStatements:
    """All other statements; each field's parameters stand in `upkeep_statements`."""

    walk: str
    sessions: str
    prune_evaluations: str
    prune_rows: str
    outcomes: str
    evaluations: str
    version: str
    row_estimates: tuple[str, ...]
    evaluation_estimates: tuple[str, ...]
    ends: str
    room: str


@cache
def page_statements(table: str, dialect: Dialect, /, *, one_session: bool) -> PageStatements:
    """Return how `table` is paged."""
    columns = (INVOCATIONS if table == INVOCATIONS.table else EVALUATIONS).columns
    # Words that only a row needs; an evaluation has none of these columns.
    words = {**CLASSIFIED, **{name: dialect.json_text(name) for name in JSON_COLUMNS}}
    read = ", ".join(words.get(name, name) for name in columns)
    p = dialect.parameter
    behind = (
        f"session_id = {p('session')} AND id > {p('id')}"
        if one_session
        else f"(session_id, id) > ({p('session')}, {p('id')})"
    )
    order = "ORDER BY session_id, id"
    time = TIMES[table]
    of_a_time = f"{time} >= {p('since')} AND {time} < {p('until')}"
    within = f"(session_id, id) <= ({p('end_session')}, {p('end_id')})"
    return PageStatements(
        page=f"SELECT {read} FROM {table} WHERE {behind} {order} LIMIT {p('limit')}",  # noqa: S608 - constants
        end=f"SELECT session_id, id FROM {table} WHERE {behind} {order} LIMIT 1 OFFSET {p('skipped')}",  # noqa: S608
        chosen=f"SELECT {read} FROM {table} WHERE {behind} AND {within} AND {of_a_time} {order}",  # noqa: S608
        rest=f"SELECT {read} FROM {table} WHERE {behind} AND {of_a_time} {order} LIMIT {p('limit')}",  # noqa: S608
    )


@cache
def upkeep_statements(dialect: Dialect, /) -> UpkeepStatements:
    """Return the statements. Parameters: `after` (a session), `most`; `before` (a time); `sessions` (JSON), `limit`;
    `upto` (a session)."""
    p = dialect.parameter
    own = _OWN[dialect]
    marks = {name: p(name) for name in ("after", "upto", "most", "before", "limit")}
    words = dialect.words(p("sessions"))
    return UpkeepStatements(
        walk=_WALK.format(steps=_STEPS.format(**marks), **marks),
        sessions=_SESSIONS.format(steps=_STEPS.format(**marks)),
        prune_evaluations=_PRUNE.format(table="verifier_evaluation", words=words, **marks),
        prune_rows=_PRUNE.format(table="tool_invocation", words=words, **marks),
        outcomes=_OUTCOMES.format(**marks),
        evaluations=_EVALUATIONS.format(**marks),
        version="SELECT version, name FROM groundtrace_schema ORDER BY version DESC LIMIT 1",
        **own,
    )


# From each session to the next by the index, over both tables: a turn that never reached a call has no rows.
_NEXT = """(SELECT min(first) FROM (
    SELECT min(session_id) AS first FROM tool_invocation WHERE session_id > {place}
    UNION ALL
    SELECT min(session_id) FROM verifier_evaluation WHERE session_id > {place}) AS firsts)"""
_STEPS = f"""WITH RECURSIVE steps(session_id, place) AS (
    SELECT {_NEXT.format(place="{after}")}, 1
    UNION ALL
    SELECT {_NEXT.format(place="steps.session_id")}, place + 1 FROM steps
    WHERE session_id IS NOT NULL AND place < {{most}})"""  # noqa: S608 - of constants alone
_SESSIONS = "{steps} SELECT session_id FROM steps WHERE session_id IS NOT NULL"
_WALK = """{steps} SELECT session_id,
    (SELECT max(started_at) FROM tool_invocation AS t WHERE t.session_id = steps.session_id),
    (SELECT max(created_at) FROM verifier_evaluation AS t WHERE t.session_id = steps.session_id),
    (SELECT count(*) FROM tool_invocation AS t WHERE t.session_id = steps.session_id AND t.started_at < {before}),
    (SELECT count(*) FROM verifier_evaluation AS t WHERE t.session_id = steps.session_id)
FROM steps WHERE session_id IS NOT NULL"""

# A session that went on since it was looked at is left alone.
_PRUNE = """WITH given(session_id) AS ({words}), old AS (SELECT session_id FROM given
    WHERE NOT EXISTS (SELECT 1 FROM tool_invocation AS t
        WHERE t.session_id = given.session_id AND t.started_at >= {before})
    AND NOT EXISTS (SELECT 1 FROM verifier_evaluation AS t
        WHERE t.session_id = given.session_id AND t.created_at >= {before}))
DELETE FROM {table} WHERE (session_id, id) IN (SELECT t.session_id, t.id FROM {table} AS t
    WHERE t.session_id IN (SELECT session_id FROM old) ORDER BY t.session_id, t.id LIMIT {limit})
RETURNING session_id"""

_OUTCOMES = f"""SELECT outcome, count(*), min(started_at), max(started_at) FROM (
    SELECT {CLASSIFIED["outcome"]} AS outcome, started_at FROM tool_invocation
    WHERE session_id > {{after}} AND session_id <= {{upto}} LIMIT {{most}}) AS looked GROUP BY outcome"""  # noqa: S608
_EVALUATIONS = """SELECT count(*), min(created_at), max(created_at) FROM (SELECT created_at FROM verifier_evaluation
    WHERE session_id > {after} AND session_id <= {upto} LIMIT {most}) AS looked"""

# Of a table that is not partitioned, the tree is empty.
_TREE = "SELECT '{0}'::regclass AS relid UNION SELECT relid FROM pg_partition_tree('{0}')"
_ROOM = f"""SELECT (SELECT sum(pg_total_relation_size(relid))::bigint FROM (
    {_TREE.format("tool_invocation")} UNION {_TREE.format("verifier_evaluation")}) AS tables), NULL"""  # noqa: S608
_LIVE = f"SELECT COALESCE(sum(n_live_tup), 0)::bigint FROM pg_stat_user_tables WHERE relid IN ({_TREE})"  # noqa: S608
_PLAN = "EXPLAIN (FORMAT JSON) SELECT 1 FROM {0}"
# Exact until something was pruned from between the first and the last row.
_ROWIDS = "SELECT COALESCE((SELECT max(rowid) FROM {0}) - (SELECT min(rowid) FROM {0}) + 1, 0)"
_OWN: Mapping[Dialect, Mapping[str, Any]] = {
    SQLITE: {
        "row_estimates": (_ROWIDS.format("tool_invocation"),),
        "evaluation_estimates": (_ROWIDS.format("verifier_evaluation"),),
        "ends": "SELECT started_at FROM tool_invocation WHERE rowid IN "
        "((SELECT min(rowid) FROM tool_invocation), (SELECT max(rowid) FROM tool_invocation))",
        "room": "SELECT page_count * page_size, freelist_count * page_size "
        "FROM pragma_page_count, pragma_page_size, pragma_freelist_count",
    },
    POSTGRES: {
        # What the server counted as it went; after a crash it has forgotten, and the planner's guess stands in.
        "row_estimates": (_LIVE.format("tool_invocation"), _PLAN.format("tool_invocation")),
        "evaluation_estimates": (_LIVE.format("verifier_evaluation"), _PLAN.format("verifier_evaluation")),
        "ends": "SELECT unnest(ARRAY[bounds[1], bounds[array_length(bounds, 1)]]) FROM ("
        "SELECT histogram_bounds::text::timestamptz[] AS bounds FROM pg_stats WHERE attname = 'started_at' "
        "AND tablename = 'tool_invocation' AND schemaname = ANY (current_schemas(false))) AS told "
        "WHERE bounds IS NOT NULL",
        "room": _ROOM,
    },
}
