"""SQL statements as text: written once, with the few words in which two databases differ.

A row that other programs wrote without our columns is classified while it is read (DESIGN section 4), by the same
words for rows and for summaries. Text is compared by code point, since both schemas say so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from groundtrace.reading import NO_MESSAGE
from groundtrace_adapters.stores.record_codec import EVALUATIONS, INVOCATIONS
from groundtrace_adapters.stores.sql_sessions import sessions_listed

ROW_ORDER = "ORDER BY started_at, seq, id"

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
CLASSIFIED: Mapping[str, str] = MappingProxyType(
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a database writes what differs.

    `parameter` marks a parameter, `json_text` reads JSON as text, `words` unpacks a JSON array, `among` is
    a comparison with such an array's words, `joined` puts words behind each other with spaces between. `plain` tells
    a row of ours that the covering index holds, and `apart` any other one; times lie between `earliest` and `latest`.
    """

    parameter: Callable[[str], str]
    json_text: Callable[[str], str]
    words: Callable[[str], str]
    among: Callable[[str], str]
    joined: Callable[[str], str]
    plain: str
    apart: str
    earliest: str
    latest: str


_OURS = """outcome IN ('success', 'no_evidence', 'deduped', 'failure')
    AND (support IS NULL OR support IN ('DIRECT', 'INDIRECT'))"""
_OURS_IN_SQLITE = f"({_OURS} AND instr(input_fingerprint, ' ') = 0)"
# Word for word the conditions of the indexes `tool_invocation_summed` and `tool_invocation_apart`.
_OURS_IN_POSTGRES = f"""({_OURS} AND strpos(input_fingerprint, ' ') = 0
    AND octet_length(session_id || tool_name || topic_domain || input_fingerprint) <= 2000)"""

SQLITE = Dialect(
    parameter=lambda name: f":{name}",
    json_text=lambda column: column,
    words=lambda given: f"SELECT value FROM json_each({given})",  # noqa: S608 - a parameter's mark
    among=lambda given: f"IN (SELECT value FROM json_each({given}))",  # noqa: S608 - a parameter's mark
    joined=lambda column: f"group_concat({column}, ' ')",
    plain=f"{_OURS_IN_SQLITE} IS TRUE",
    apart=f"{_OURS_IN_SQLITE} IS NOT TRUE",
    earliest="",
    latest="~",
)
POSTGRES = Dialect(
    parameter=lambda name: f"%({name})s",
    json_text=lambda column: f"{column}::text",
    words=lambda given: f"SELECT json_array_elements_text({given}::json)",
    # An array, and no subquery: each of its words is looked up in the index, however many there are.
    among=lambda given: f"= ANY(ARRAY(SELECT json_array_elements_text({given}::json)))",
    joined=lambda column: f"string_agg({column}, ' ')",
    plain=f"{_OURS_IN_POSTGRES} IS TRUE",
    apart=f"{_OURS_IN_POSTGRES} IS NOT TRUE",
    earliest="-infinity",
    latest="infinity",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """The statements of one database; each field's parameters stand in `statements_for`."""

    rows: str
    rows_after: str
    rows_by_id: str
    sessions: str
    sessions_before: str
    latest_evaluations: str
    insert_key: str
    key: str


def statements_for(dialect: Dialect, /) -> Statements:
    """Return the statements. Parameters: `ids` (JSON) and the `least` and `most` of them; `session`,
    `limit`; `look`, how far; a place behind which a page begins (`at`, `seq`, `id`; `before_at`, `before_id`)."""
    p = dialect.parameter
    read = _select("tool_invocation", INVOCATIONS.columns, dialect)
    after = f"({p('at')}, {p('seq')}, {p('id')})"
    return Statements(
        rows=f"{read} {ROW_ORDER} LIMIT {p('limit')}",
        rows_after=f"{read} AND (started_at, seq, id) > {after} {ROW_ORDER} LIMIT {p('limit')}",
        # The bounds say no more than the ids, but of partitions they leave only those that may hold one.
        rows_by_id=f"{read} AND id {dialect.among(p('ids'))} AND id >= {p('least')} AND id <= {p('most')} {ROW_ORDER}",
        sessions=sessions_listed(limit=p("limit"), look=p("look"), behind=None),
        sessions_before=sessions_listed(limit=p("limit"), look=p("look"), behind=(p("before_at"), p("before_id"))),
        latest_evaluations=f"{_select('verifier_evaluation', EVALUATIONS.columns, dialect)} "
        f"ORDER BY created_at DESC, id DESC LIMIT {p('limit')}",
        insert_key=f"INSERT INTO redaction_key (key) VALUES ({p('key')}) ON CONFLICT (only_one) DO NOTHING"  # noqa: S608
        " RETURNING 1",
        key="SELECT key FROM redaction_key",
    )


def _select(table: str, columns: tuple[str, ...], dialect: Dialect) -> str:
    read = (dialect.json_text(name) if name in JSON_COLUMNS else CLASSIFIED.get(name, name) for name in columns)
    where = f"WHERE session_id = {dialect.parameter('session')}"
    return f"SELECT {', '.join(read)} FROM {table} {where}"  # noqa: S608 - of constants alone
