"""The list of sessions: back in time from the latest call, a stretch at a time, until a page is full.

A stretch is read from the end of an index by time and grouped by session; those whose last call lies in it are lines.
So a page costs what happened since its last line, and not what is stored. A stretch that does not fill the page is
looked at again four times as long: many sessions at once, or one that never ends, are then passed over in a few steps.
"""

from groundtrace.ports import SessionLine
from groundtrace_adapters.stores.answer_rows import Answer
from groundtrace_adapters.stores.plain_values import INTEGERS
from groundtrace_adapters.stores.work import Work

FIRST_STRETCH = 64
"""So many calls for each line of a page are looked at first."""

_LONGER = 4


def session_rows(work: Work, statements: tuple[str, str], /, *, before: SessionLine | None, limit: int) -> Answer:
    """Return a row a session, the latest first, at most `limit`; `statements` list from the start and from behind."""
    statement, page = statements[0], dict[str, object](limit=limit)
    if before is not None:
        statement = statements[1]
        page |= {"before_at": before.last_at, "before_id": before.session_id}
    look = max(limit, 1) * FIRST_STRETCH
    while True:
        look = min(look, INTEGERS[-1])
        *lines, (_, _, floor, *_) = work.fetch(statement, {**page, "look": look})
        if len(lines) >= limit or floor is None:
            return lines
        look *= _LONGER


def sessions_listed(*, limit: str, look: str, behind: tuple[str, str] | None) -> str:
    """Return the statement, given the marks of its parameters: a page's length, a stretch's, and what lies before.

    Its last row holds the time down to which the list is whole, NULL if that is its end; the others are lines.
    """
    return _LISTED.format(
        limit=limit, look=look, calls=_behind("started_at", behind), evaluations=_behind("created_at", behind)
    )


# A subquery that gives one value is looked up session by session, in their order and no further than the page needs;
# what could be turned into a join would be joined as a whole. A session whose turns never reached a call has
# evaluations only, and is listed by their times.
_LISTED = """WITH called AS MATERIALIZED (
    SELECT session_id, started_at AS at FROM tool_invocation {calls} ORDER BY started_at DESC, session_id LIMIT {look}),
judged AS MATERIALIZED (
    SELECT session_id, created_at AS at FROM verifier_evaluation {evaluations}
    ORDER BY created_at DESC, session_id LIMIT {look}),
whole AS MATERIALIZED (
    SELECT max(at) AS floor FROM (
        SELECT CASE WHEN count(*) = {look} THEN min(at) END AS at FROM called
        UNION ALL SELECT CASE WHEN count(*) = {look} THEN min(at) END FROM judged) AS ends),
seen AS MATERIALIZED (
    SELECT session_id, last_at FROM (
        SELECT session_id, last_at FROM (SELECT session_id, max(at) AS last_at FROM called
            GROUP BY session_id ORDER BY last_at DESC, session_id) AS c
        WHERE last_at = (SELECT max(started_at) FROM tool_invocation AS l WHERE l.session_id = c.session_id)
        UNION ALL
        SELECT session_id, last_at FROM (SELECT session_id, max(at) AS last_at FROM judged
            GROUP BY session_id ORDER BY last_at DESC, session_id) AS j
        WHERE last_at = (SELECT max(created_at) FROM verifier_evaluation AS l WHERE l.session_id = j.session_id)
            AND (SELECT max(started_at) FROM tool_invocation AS l WHERE l.session_id = j.session_id) IS NULL
        ) AS found
    WHERE (SELECT floor FROM whole) IS NULL OR last_at > (SELECT floor FROM whole)
    ORDER BY last_at DESC, session_id LIMIT {limit})
SELECT * FROM (SELECT session_id,
        COALESCE((SELECT min(started_at) FROM tool_invocation AS f WHERE f.session_id = seen.session_id),
            (SELECT min(created_at) FROM verifier_evaluation AS f WHERE f.session_id = seen.session_id)),
        last_at,
        (SELECT count(*) FROM tool_invocation AS c WHERE c.session_id = seen.session_id),
        (SELECT decision FROM verifier_evaluation AS v WHERE v.session_id = seen.session_id
            ORDER BY created_at DESC, id DESC LIMIT 1),
        0 AS place
    FROM seen UNION ALL SELECT NULL, NULL, floor, NULL, NULL, 1 FROM whole) AS lines
ORDER BY place, last_at DESC, session_id"""


def _behind(time: str, place: tuple[str, str] | None) -> str:
    if place is None:
        return ""
    at, id = place
    return f"WHERE {time} <= {at} AND ({time} < {at} OR session_id > {id})"
