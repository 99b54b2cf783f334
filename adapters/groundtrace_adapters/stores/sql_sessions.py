"""The list of sessions as one statement that goes back in time from the latest call, and stops when the page is full.

Both indexes by time are read from their end. A call that is not the last one of its session is passed over by one look
into the order of that session's calls, so that a page costs what happened since its last line and not what is stored.
"""


def sessions_listed(*, limit: str, earliest: str, behind: tuple[str, str] | None) -> str:
    """Return the statement, given the marks of its parameters: a page's length, and the line that it begins behind."""
    return _LISTED.format(
        limit=limit,
        earliest=earliest,
        calls_behind=_behind("started_at", behind),
        evaluations_behind=_behind("created_at", behind),
    )


def sessions_counted(*, limit: str, behind: tuple[str, str] | None) -> str:
    """Return a statement of the same answer that looks at every row: for tables whose indexes lie on other servers."""
    before = "" if behind is None else f"WHERE {_behind('last_at', behind).removesuffix(' AND')}"
    return _COUNTED.format(before=before, limit=limit)


# A subquery that gives one value is looked up row by row; what could be turned into a join would be joined as a whole.
# A session whose turns never reached a call has evaluations only, and is listed by their times; these need no looking
# through beyond the last line of a page that calls have filled.
_LISTED = """WITH called AS MATERIALIZED (
    SELECT DISTINCT started_at AS last_at, session_id FROM tool_invocation AS t
    WHERE {calls_behind} started_at = (SELECT max(started_at) FROM tool_invocation AS l
        WHERE l.session_id = t.session_id)
    ORDER BY last_at DESC, session_id LIMIT {limit}),
lone AS MATERIALIZED (
    SELECT DISTINCT created_at AS last_at, session_id FROM verifier_evaluation AS t
    WHERE {evaluations_behind} created_at >= COALESCE(
        (SELECT CASE WHEN count(*) = {limit} THEN min(last_at) END FROM called), {earliest})
    AND created_at = (SELECT max(created_at) FROM verifier_evaluation AS l WHERE l.session_id = t.session_id)
    AND (SELECT id FROM tool_invocation AS c WHERE c.session_id = t.session_id LIMIT 1) IS NULL
    ORDER BY last_at DESC, session_id LIMIT {limit})
SELECT session_id,
    COALESCE((SELECT min(started_at) FROM tool_invocation AS f WHERE f.session_id = seen.session_id),
        (SELECT min(created_at) FROM verifier_evaluation AS f WHERE f.session_id = seen.session_id)),
    last_at,
    (SELECT count(*) FROM tool_invocation AS c WHERE c.session_id = seen.session_id),
    (SELECT decision FROM verifier_evaluation AS v WHERE v.session_id = seen.session_id
        ORDER BY created_at DESC, id DESC LIMIT 1)
FROM (SELECT * FROM called UNION ALL SELECT * FROM lone) AS seen ORDER BY last_at DESC, session_id LIMIT {limit}"""


_COUNTED = """WITH seen AS (
    SELECT session_id, min(started_at) AS first_at, max(started_at) AS last_at, count(*) AS calls
    FROM tool_invocation GROUP BY session_id
    UNION ALL
    SELECT session_id, min(created_at), max(created_at), 0 FROM verifier_evaluation AS lone
    WHERE NOT EXISTS (SELECT 1 FROM tool_invocation WHERE tool_invocation.session_id = lone.session_id)
    GROUP BY session_id)
SELECT session_id, first_at, last_at, calls, (SELECT decision FROM verifier_evaluation
    WHERE verifier_evaluation.session_id = seen.session_id ORDER BY created_at DESC, id DESC LIMIT 1)
FROM seen {before} ORDER BY last_at DESC, session_id LIMIT {limit}"""


def _behind(time: str, place: tuple[str, str] | None) -> str:
    if place is None:
        return ""
    at, id = place
    return f"{time} <= {at} AND ({time} < {at} OR session_id > {id}) AND"
