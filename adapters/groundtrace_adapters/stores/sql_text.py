"""Every SQL statement of the stores, as text: written once, with the few words in which two databases differ.

A row that other programs wrote without our columns is classified while it is read (DESIGN section 4), by the same
words for rows and for summaries. Text is compared by code point, since both schemas say so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from groundtrace.entries import ERROR_TEXT_CHARACTERS, ERRORS_KEPT
from groundtrace.reading import NO_MESSAGE
from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS

JSON_COLUMNS = frozenset({"input_params", "retrieval_details", "details", "reasons", "cited", "unknown", "evidence"})

# The white space and invisible characters that programs really leave behind; `is_blank` knows some rarer ones too.
_SPACES = " \t\n\v\f\r\x85\u00a0\u2003\u2009\u200b\u2028\u2060\u3000\ufeff"
_BLANK = f"trim(COALESCE(output_preview, ''), '{_SPACES}') = ''"
_REPEATED = f"trim(COALESCE(dedup_reason, ''), '{_SPACES}') <> ''"
_UNEXPLAINED = f"trim(COALESCE(error_message, ''), '{_SPACES}') = ''"
_OUTCOME = f"""COALESCE(outcome, CASE
    WHEN NOT success THEN 'failure'
    WHEN {_REPEATED} THEN 'deduped'
    WHEN {_BLANK} OR relevance_level = 'none' OR retrieval_layer = 'none' THEN 'no_evidence'
    ELSE 'success' END)"""
_CLASSIFIED: Mapping[str, str] = MappingProxyType(
    {
        "outcome": _OUTCOME,
        "support": f"COALESCE(support, CASE WHEN outcome IS NULL AND {_OUTCOME} = 'success' THEN 'INDIRECT' END)",
        "reason": f"""COALESCE(reason, CASE WHEN outcome IS NULL THEN CASE {_OUTCOME}
    WHEN 'failure' THEN 'error' WHEN 'deduped' THEN dedup_reason
    WHEN 'no_evidence' THEN CASE WHEN {_BLANK} THEN 'empty_result' ELSE 'no_match' END END END)""",
        "input_fingerprint": "COALESCE(input_fingerprint, id)",
        "output_state": f"COALESCE(output_state, CASE WHEN {_BLANK} THEN 'none' ELSE 'full' END)",
        "error_message": f"""CASE WHEN outcome IS NULL AND NOT success AND {_UNEXPLAINED}
    THEN '{NO_MESSAGE}' ELSE error_message END""",
    }
)
_SUMMED = ("outcome", "support", "input_fingerprint", "error_message")
_CALLS = f"""(SELECT session_id, id, seq, tool_name, topic_domain, started_at, partial,
    {", ".join(f"{_CLASSIFIED[name]} AS {name}" for name in _SUMMED)}
    FROM tool_invocation) AS calls"""  # noqa: S608 - of constants alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a database writes a parameter, reads JSON as text, and unpacks a JSON array of words or of pairs."""

    parameter: Callable[[str], str]
    json_text: Callable[[str], str]
    words: Callable[[str], str]
    pairs: Callable[[str], tuple[str, str, str]]


SQLITE = Dialect(
    parameter=lambda name: f":{name}",
    json_text=lambda column: column,
    words=lambda given: f"SELECT value FROM json_each({given})",  # noqa: S608 - a parameter's mark
    pairs=lambda given: (f"json_each({given}) AS k", "json_extract(k.value, '$[0]')", "json_extract(k.value, '$[1]')"),
)
POSTGRES = Dialect(
    parameter=lambda name: f"%({name})s",
    json_text=lambda column: f"{column}::text",
    words=lambda given: f"SELECT json_array_elements_text({given}::json)",
    pairs=lambda given: (f"json_array_elements({given}::json) AS k(pair)", "k.pair->>0", "k.pair->>1"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """The statements of one database; each field's parameters stand in `statements_for`."""

    insert_row: str
    row_digests: str
    rows: str
    rows_after: str
    rows_by_id: str
    counts: str
    supporting: str
    errors: str
    sessions: str
    sessions_before: str
    insert_evaluation: str
    evaluation_digests: str
    latest_evaluations: str
    insert_key: str
    key: str


def statements_for(dialect: Dialect, /) -> Statements:
    """Return the statements. Parameters: columns by name; `keys`, `ids` (JSON); `session`, `limit`; a place behind
    which a page begins (`at`, `seq`, `id`; `before_at`, `before_id`)."""
    p = dialect.parameter
    read = _select("tool_invocation", INVOCATIONS.columns, dialect)
    after = f"({p('at')}, {p('seq')}, {p('id')})"
    return Statements(
        insert_row=_insert("tool_invocation", INVOCATIONS.columns, dialect),
        row_digests=_digests("tool_invocation", dialect),
        rows=f"{read} {_ROW_ORDER} LIMIT {p('limit')}",
        rows_after=f"{read} AND (started_at, seq, id) > {after} {_ROW_ORDER} LIMIT {p('limit')}",
        rows_by_id=f"{read} AND id IN ({dialect.words(p('ids'))}) {_ROW_ORDER}",
        counts=_COUNTS.format(session=p("session")),
        supporting=_SUPPORTING.format(session=p("session")),
        errors=_ERRORS.format(session=p("session")),
        sessions=_sessions("", dialect),
        sessions_before=_sessions(_BEFORE.format(at=p("before_at"), id=p("before_id")), dialect),
        insert_evaluation=_insert("verifier_evaluation", EVALUATIONS.columns, dialect),
        evaluation_digests=_digests("verifier_evaluation", dialect),
        latest_evaluations=f"{_select('verifier_evaluation', EVALUATIONS.columns, dialect)} "
        f"ORDER BY created_at DESC, id DESC LIMIT {p('limit')}",
        insert_key=f"INSERT INTO redaction_key (key) VALUES ({p('key')}) ON CONFLICT (only_one) DO NOTHING",  # noqa: S608
        key="SELECT key FROM redaction_key",
    )


_ROW_ORDER = "ORDER BY started_at, seq, id"

_COUNTS = f"""SELECT tool_name, topic_domain,
    max(CASE WHEN outcome <> 'success' THEN 0 WHEN support = 'DIRECT' THEN 2 ELSE 1 END),
    count(*),
    sum(CASE WHEN outcome = 'success' THEN 1 ELSE 0 END),
    sum(CASE WHEN outcome = 'failure' THEN 1 ELSE 0 END),
    sum(CASE WHEN outcome = 'no_evidence' THEN 1 ELSE 0 END),
    sum(CASE WHEN outcome = 'deduped' THEN 1 ELSE 0 END),
    sum(CASE WHEN partial THEN 1 ELSE 0 END),
    sum(CASE WHEN shared > 1 THEN 1 ELSE 0 END),
    min(started_at), max(started_at),
    min(CASE WHEN outcome NOT IN ('success', 'failure', 'no_evidence', 'deduped') THEN id END),
    min(CASE WHEN support NOT IN ('DIRECT', 'INDIRECT') THEN id END)
FROM (SELECT calls.*, count(*) OVER (PARTITION BY tool_name, topic_domain, input_fingerprint) AS shared
    FROM {_CALLS} WHERE session_id = {{session}}) AS counted
GROUP BY tool_name, topic_domain ORDER BY tool_name, topic_domain"""  # noqa: S608 - of constants alone

_SUPPORTING = f"""SELECT tool_name, topic_domain, id FROM {_CALLS}
WHERE session_id = {{session}} AND outcome = 'success' {_ROW_ORDER}"""  # noqa: S608 - of constants alone

_ERRORS = f"""SELECT tool_name, topic_domain, message FROM (
    SELECT tool_name, topic_domain, message, row_number() OVER (
        PARTITION BY tool_name, topic_domain ORDER BY count(*) DESC, min(started_at), message) AS place
    FROM (SELECT calls.*, substr(error_message, 1, {ERROR_TEXT_CHARACTERS}) AS message FROM {_CALLS}
        WHERE session_id = {{session}} AND outcome = 'failure' AND error_message IS NOT NULL) AS failed
    GROUP BY tool_name, topic_domain, message) AS ranked
WHERE place <= {ERRORS_KEPT} ORDER BY tool_name, topic_domain, place"""  # noqa: S608 - of constants alone

# A session whose turns never reached a call has evaluations only; it is listed by their times.
_SESSIONS = """WITH seen AS (
    SELECT session_id, min(started_at) AS first_at, max(started_at) AS last_at, count(*) AS calls
    FROM tool_invocation GROUP BY session_id
    UNION ALL
    SELECT session_id, min(created_at), max(created_at), 0 FROM verifier_evaluation AS lone
    WHERE NOT EXISTS (SELECT 1 FROM tool_invocation WHERE tool_invocation.session_id = lone.session_id)
    GROUP BY session_id)
SELECT session_id, first_at, last_at, calls, (SELECT decision FROM verifier_evaluation
    WHERE verifier_evaluation.session_id = seen.session_id ORDER BY created_at DESC, id DESC LIMIT 1)
FROM seen {before} ORDER BY last_at DESC, session_id LIMIT {limit}"""

_BEFORE = "WHERE last_at < {at} OR (last_at = {at} AND session_id > {id})"


def _sessions(before: str, dialect: Dialect) -> str:
    return _SESSIONS.format(before=before, limit=dialect.parameter("limit"))


def _select(table: str, columns: tuple[str, ...], dialect: Dialect) -> str:
    read = (dialect.json_text(name) if name in JSON_COLUMNS else _CLASSIFIED.get(name, name) for name in columns)
    where = f"WHERE session_id = {dialect.parameter('session')}"
    return f"SELECT {', '.join(read)} FROM {table} {where}"  # noqa: S608 - of constants alone


def _insert(table: str, columns: tuple[str, ...], dialect: Dialect) -> str:
    names = (*columns, "row_digest")
    values = ", ".join(map(dialect.parameter, names))
    into = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})"  # noqa: S608 - of constants alone
    return f"{into} ON CONFLICT (session_id, id) DO NOTHING"


def _digests(table: str, dialect: Dialect) -> str:
    source, session_id, id = dialect.pairs(dialect.parameter("keys"))
    join = f"{source} JOIN {table} AS t ON t.session_id = {session_id} AND t.id = {id}"
    return f"SELECT DISTINCT t.session_id, t.id, t.row_digest FROM {join}"  # noqa: S608 - of constants alone
