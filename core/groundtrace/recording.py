"""The two builders of a row, `record` and `record_retrieval`: no other place builds one (DESIGN section 4).

Everything in a row is cleaned, redacted and bounded here, in one pass: parameters are encoded, redacted and
fingerprinted, the output previewed. How a row is read back is `outcome_of` in `reading`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias, assert_never

from groundtrace import outcomes
from groundtrace.encoding import encode, encode_params
from groundtrace.frozen import quick_constructor
from groundtrace.invocation import LARGEST, NAME_CHARACTERS, Invocation, ToolCall
from groundtrace.json_text import JSON_BYTES, JsonValue, bounded_json, bounded_text, canonical, fingerprint_of
from groundtrace.outcomes import ERROR_CHARACTERS, OutcomeKind, Output, Support
from groundtrace.preview import EDGE, MARGIN, preview
from groundtrace.reading import classify_foreign, outcome_of, row_digest
from groundtrace.redaction import Redactor, redactions
from groundtrace.retrieval import Layer, Relevance, Retrieval
from groundtrace.text import clean, cut
from groundtrace.topics import TopicPolicy, normal_topic, topic_domain

__all__ = [
    "RecordRules",
    "classify_foreign",
    "duration_from",
    "outcome_of",
    "record",
    "record_retrieval",
    "row_digest",
]

NO_DETAILS = "{}"

_DEDUPED, _FAILURE = OutcomeKind.DEDUPED, OutcomeKind.FAILURE
_row = quick_constructor(Invocation)

PARTIAL_NOTES = 50
"""So many remarks on what was not seen are kept, each of 500 characters."""

NOTE_CHARACTERS = 500
PARTIAL_READ = 4 * NOTE_CHARACTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRules:
    """What rows are built under: the store's redaction key, and the policy for topics."""

    redactor: Redactor
    topic_policy: TopicPolicy = topic_domain


def record(call: ToolCall, outcome: outcomes.Outcome, /, *, rules: RecordRules) -> Invocation:
    """Return the row of one call of an evidence tool; total, and equal for equal arguments."""
    return _build(call, outcome, rules, _NO_RETRIEVAL)


def record_retrieval(
    call: ToolCall, retrieval: Retrieval | None, outcome: outcomes.Outcome, /, *, rules: RecordRules
) -> Invocation:
    """Return the row of one retrieval-aware call; `retrieval` is None when it failed before the search."""
    return _build(call, outcome, rules, _NO_RETRIEVAL if retrieval is None else _retrieved(retrieval, rules))


def duration_from(start: datetime | None, end: datetime | None, /) -> tuple[int | None, bool]:
    """Return whole milliseconds between two wall-clock times of an imported trace, and whether the clock ran back.

    A missing time gives None, never 0; so does an end before its start, which is then flagged as clock skew. Times
    without a zone cannot be told apart from ones with: they give None.
    """
    if start is None or end is None or (start.tzinfo is None) != (end.tzinfo is None):
        return None, False
    milliseconds = round((end - start).total_seconds() * 1_000)
    return (milliseconds, False) if end >= start else (None, True)


def milliseconds_from(value: object, /) -> int | None:
    """Return a duration that a trace states in milliseconds, rounded; None unless it is a number from 0 to 2**63."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    milliseconds = round(value)
    return milliseconds if milliseconds <= LARGEST else None


class _Columns(NamedTuple):
    """What an outcome says in columns of its own."""

    support: Support | None = None
    reason: str | None = None
    output: Output | None = None
    partial: tuple[str, ...] = ()
    error: str | None = None


_Retrieved: TypeAlias = tuple[Layer | None, int | None, int | None, Relevance | None, str | None]
_NO_RETRIEVAL: _Retrieved = (None, None, None, None, None)


def _build(call: ToolCall, outcome: outcomes.Outcome, rules: RecordRules, retrieved: _Retrieved) -> Invocation:
    redactor = rules.redactor
    params = redactor.value(encode_params(call.input_params))
    text = canonical(params)
    kind = outcomes.kind_of(outcome)
    columns = _columns(outcome, redactor)
    support, reason, output, partial, error = columns
    shown = preview(output, redactor)
    layer, l0_count, l1_count, relevance, retrieval_details = retrieved
    stored = bounded_text(params, text)
    return _row(
        session_id=clean(call.session_id),
        id=clean(call.id),
        turn_id=None if call.turn_id is None else cut(clean(call.turn_id), NAME_CHARACTERS),
        seq=call.seq,
        tool_name=cut(redactor.text(clean(call.tool_name)), NAME_CHARACTERS),
        topic_domain=_topic(call, params, rules),
        outcome=kind,
        support=support,
        reason=reason,
        partial=bool(partial),
        basis=outcome.basis,
        input_params=stored,
        input_fingerprint=fingerprint_of(text),
        started_at=_utc(call.started_at),
        duration_ms=call.duration_ms,
        success=kind is not _FAILURE,
        output_preview=shown.text,
        output_state=shown.state,
        output_bytes=shown.bytes,
        output_sha256=shown.sha256,
        error_message=error,
        retrieval_layer=layer,
        l0_count=l0_count,
        l1_count=l1_count,
        relevance_level=relevance,
        retrieval_details=retrieval_details,
        dedup_reason=reason if kind is _DEDUPED else None,
        details=_details(call.details, outcome, columns, redactor, (stored, shown.text, retrieval_details)),
    )


def _topic(call: ToolCall, params: JsonValue, rules: RecordRules) -> str:
    explicit = None if call.topic_domain is None else rules.redactor.text(call.topic_domain)
    scope = None if call.scope is None else rules.redactor.text(call.scope)
    if rules.topic_policy is topic_domain:
        return topic_domain(params, explicit, scope)
    return _chosen_topic(rules.topic_policy, params, explicit, scope)


def _chosen_topic(policy: TopicPolicy, params: JsonValue, explicit: str | None, scope: str | None) -> str:
    """Return the user's own policy's topic; a policy that raises or says nothing falls back to ours."""
    try:
        chosen = normal_topic(policy(params, explicit, scope))
    except Exception:  # noqa: BLE001 - a user's policy never breaks the record of a call
        chosen = ""
    return chosen or topic_domain(params, explicit, scope)


def _columns(outcome: outcomes.Outcome, redactor: Redactor) -> _Columns:
    match outcome:
        case outcomes.Success():
            return _Columns(outcome.support, None, outcome.output, outcome.partial)
        case outcomes.NoEvidence():
            return _Columns(reason=outcome.reason.value, output=outcome.output, partial=outcome.partial)
        case outcomes.Deduped():
            return _Columns(reason=outcome.reason.value)
        case outcomes.Failure():
            return _Columns(
                reason=outcome.kind.value, output=outcome.output, error=_redacted_head(outcome.message, redactor)
            )
        case _:
            assert_never(outcome)


def _redacted_head(message: str, redactor: Redactor) -> str:
    """Return a message redacted and then cut; of a very long one only a window is read, whose edge is not shown."""
    window = ERROR_CHARACTERS + MARGIN
    redacted = redactor.text(clean(message[:window]))
    return cut(redacted if len(message) <= window else f"{redacted[:-EDGE]}...", ERROR_CHARACTERS)


def _utc(moment: datetime) -> datetime:
    """Return a time in UTC; on the first and last day of the calendar, where that cannot be told, as it stands."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)


def _details(
    given: Mapping[str, object] | None,
    outcome: outcomes.Outcome,
    columns: _Columns,
    redactor: Redactor,
    stored: tuple[str | None, ...],
) -> str:
    """Return what no query reads, as strict JSON: the caller's details first, then ours, which win."""
    counted = redactions(*stored, columns.error)
    plain = columns.support is not None and not columns.partial and type(columns.output) is str
    ours = {} if plain else _own_details(outcome, columns, redactor)
    if not (ours or counted or given):
        return NO_DETAILS
    theirs = redactor.value(encode(given)) if given else {}
    members: dict[str, JsonValue] = {**theirs} if isinstance(theirs, dict) else {"details": theirs}
    own: dict[str, JsonValue] = {**({"redactions": {**counted}} if counted else {}), **ours}
    return bounded_json({**_fitting(members, own), **own})


def _fitting(theirs: dict[str, JsonValue], own: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a caller's details cut to what ours leave free: ours are read back, and a shortened id is another id."""
    room = JSON_BYTES - len(canonical(own).encode())
    kept = json.loads(bounded_json(theirs, limit=max(room, 0)))
    return kept if isinstance(kept, dict) else {}


def _own_details(outcome: outcomes.Outcome, columns: _Columns, redactor: Redactor) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    if columns.partial:
        found["partial"] = [
            cut(redactor.text(clean(note[:PARTIAL_READ])), NOTE_CHARACTERS) for note in columns.partial[:PARTIAL_NOTES]
        ]
    if isinstance(columns.output, bytes):
        found["output"] = "bytes"
    match outcome:
        case outcomes.Failure(retryable=True):
            found["retryable"] = True
        case outcomes.Deduped():
            found["of"] = [clean(reference) for reference in outcome.of]
            if outcome.inherited is not None:
                found["inherited"] = outcome.inherited.value
        case _:
            pass
    return found


def _retrieved(retrieval: Retrieval, rules: RecordRules) -> _Retrieved:
    """Return the five columns of a retrieval."""
    told: dict[str, object] = {
        "mode": retrieval.mode,
        "floor": retrieval.floor,
        "filters": retrieval.filters,
        "index_revision": retrieval.index_revision,
        "l2_count": retrieval.l2_count,
        "hits": [
            {
                "uri": hit.uri,
                "layer": hit.layer,
                "score": hit.score,
                "coverage": hit.coverage,
                "content_hash": hit.content_hash,
            }
            for hit in retrieval.hits
        ],
    }
    details = bounded_json(rules.redactor.value(encode(told)))
    return retrieval.layer, retrieval.l0_count, retrieval.l1_count, retrieval.relevance, details
