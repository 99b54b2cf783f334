"""The statements of summaries: of one session by way of the covering index, and of any rows by way of their words.

Three statements make a summary: counts, levels and times; supporting ids; error texts. In partitions by id the first
one that looks for a summary's rows also tells between which ids they lie, and the others look there alone.
"""

from dataclasses import dataclass

from groundtrace.entries import ERROR_TEXT_CHARACTERS, ERRORS_KEPT
from groundtrace_adapters.stores.sql_text import CLASSIFIED, ROW_ORDER, Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Summing:
    """The three statements over some rows."""

    counts: str
    supporting: str
    errors: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryStatements:
    """Every statement of summaries in one table.

    `plain` sums up those rows of a session that the covering index holds, and `apart` tells whether it has others;
    `session` sums up all of them. `of_sessions` and `of_time` sum up a scope, and `size_of_sessions` and
    `size_of_time` count its rows, but no further than asked.
    """

    plain: Summing
    apart: str
    session: Summing
    of_sessions: Summing
    size_of_sessions: str
    of_time: Summing
    size_of_time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyStatements:
    """Every statement of summaries in partitions by id.

    `counts` looks for all rows of a session; its rows are those of `SummaryStatements.plain.counts`, and behind them
    stand the least and the most of the ids, and 1 where the other two would have to classify. Each size tells the least
    and the most behind the number. All others take these as parameters.
    """

    counts: str
    supporting: str
    errors: str
    session: Summing
    of_sessions: Summing
    size_of_sessions: str
    of_time: Summing
    size_of_time: str


def summaries_for(dialect: Dialect, /) -> SummaryStatements:
    """Return the statements. Parameters: `session`; `sessions` (JSON), `since` and `until` (times), `limit`."""
    session, sessions, time = _scopes(dialect)
    plain = f"{session} AND {dialect.plain}"
    return SummaryStatements(
        plain=Summing(
            counts=_PLAIN_COUNTS.format(ends="", where=plain, joined=dialect.joined("input_fingerprint")),
            supporting=_SUPPORTING.format(calls="tool_invocation", where=plain),
            errors=_ERRORS.format(calls="tool_invocation", where=plain),
        ),
        apart=f"SELECT 1 FROM tool_invocation WHERE {session} AND {dialect.apart} LIMIT 1",  # noqa: S608 - of constants
        session=_classified(session),
        of_sessions=_classified(sessions),
        size_of_sessions=_SIZE.format(where=sessions, limit=dialect.parameter("limit")),
        of_time=_classified(time),
        size_of_time=_SIZE.format(where=time, limit=dialect.parameter("limit")),
    )


def monthly_summaries_for(dialect: Dialect, /) -> MonthlyStatements:
    """Return the statements. Parameters: those of `summaries_for`, and `least` and `most` (ids)."""
    p = dialect.parameter
    session, sessions, time = _scopes(dialect)
    between = f"AND id >= {p('least')} AND id <= {p('most')}"
    plain = f"{session} {between} AND {dialect.plain}"
    ends = f", min(id), max(id), max(CASE WHEN {dialect.apart} THEN 1 ELSE 0 END)"
    return MonthlyStatements(
        counts=_PLAIN_COUNTS.format(ends=ends, where=session, joined=dialect.joined("input_fingerprint")),
        supporting=_SUPPORTING.format(calls="tool_invocation", where=plain),
        errors=_ERRORS.format(calls="tool_invocation", where=plain),
        session=_classified(f"{session} {between}"),
        of_sessions=_classified(f"{sessions} {between}"),
        size_of_sessions=_SIZE_AND_ENDS.format(where=sessions, limit=p("limit")),
        of_time=_classified(f"{time} {between}"),
        size_of_time=_SIZE_AND_ENDS.format(where=time, limit=p("limit")),
    )


_SUMMED = ("outcome", "support", "input_fingerprint", "error_message")
_CALLS = f"""(SELECT session_id, id, seq, tool_name, topic_domain, started_at, partial,
    {", ".join(f"{CLASSIFIED[name]} AS {name}" for name in _SUMMED)}
    FROM tool_invocation) AS calls"""  # noqa: S608 - of constants alone

_COUNTED = """SELECT tool_name, topic_domain,
    max(CASE WHEN outcome <> 'success' THEN 0 WHEN support = 'DIRECT' THEN 2 ELSE 1 END),
    count(*),
    count(*) FILTER (WHERE outcome = 'success'),
    count(*) FILTER (WHERE outcome = 'failure'),
    count(*) FILTER (WHERE outcome = 'no_evidence'),
    count(*) FILTER (WHERE outcome = 'deduped'),
    count(*) FILTER (WHERE partial),
    {repeated},
    min(started_at), max(started_at)"""

# Whoever asks counts the fingerprints that come more than once: by a window here, the session's counts would take half
# as long again.
_PLAIN_COUNTS = f"""{_COUNTED.format(repeated="{joined}")}{{ends}}
FROM tool_invocation WHERE {{where}} GROUP BY tool_name, topic_domain"""

_COUNTS = f"""{_COUNTED.format(repeated="count(*) FILTER (WHERE shared > 1)")},
    min(CASE WHEN outcome NOT IN ('success', 'failure', 'no_evidence', 'deduped') THEN id END),
    min(CASE WHEN support NOT IN ('DIRECT', 'INDIRECT') THEN id END)
FROM (SELECT calls.*, count(*) OVER (PARTITION BY tool_name, topic_domain, input_fingerprint) AS shared
    FROM {{calls}} WHERE {{where}}) AS counted
GROUP BY tool_name, topic_domain"""  # noqa: S608 - of constants alone

_SUPPORTING = f"""SELECT tool_name, topic_domain, id FROM {{calls}}
WHERE {{where}} AND outcome = 'success' {ROW_ORDER}"""  # noqa: S608 - of constants alone

_ERRORS = f"""SELECT tool_name, topic_domain, message FROM (
    SELECT tool_name, topic_domain, message, row_number() OVER (
        PARTITION BY tool_name, topic_domain ORDER BY count(*) DESC, min(started_at), message) AS place
    FROM (SELECT tool_name, topic_domain, started_at, substr(error_message, 1, {ERROR_TEXT_CHARACTERS}) AS message
        FROM {{calls}} WHERE {{where}} AND outcome = 'failure' AND error_message IS NOT NULL) AS failed
    GROUP BY tool_name, topic_domain, message) AS ranked
WHERE place <= {ERRORS_KEPT} ORDER BY tool_name, topic_domain, place"""  # noqa: S608 - of constants alone

_SIZE = "SELECT count(*) FROM (SELECT 1 FROM tool_invocation WHERE {where} LIMIT {limit}) AS held"
_SIZE_AND_ENDS = """SELECT count(*), min(id), max(id)
FROM (SELECT id FROM tool_invocation WHERE {where} LIMIT {limit}) AS held"""


def _scopes(dialect: Dialect) -> tuple[str, str, str]:
    """Return the conditions of one session, of many within a time, and of a time."""
    p = dialect.parameter
    time = f"started_at >= {p('since')} AND started_at < {p('until')}"
    return f"session_id = {p('session')}", f"session_id {dialect.among(p('sessions'))} AND {time}", time


def _classified(where: str) -> Summing:
    return Summing(
        counts=_COUNTS.format(calls=_CALLS, where=where),
        supporting=_SUPPORTING.format(calls=_CALLS, where=where),
        errors=_ERRORS.format(calls=_CALLS, where=where),
    )
