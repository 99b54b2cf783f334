"""The one builder of a row, from the snapshot of a finished call: no other place builds one (DESIGN section 4).

Everything in a row is cleaned, redacted and bounded here, in one pass: parameters are redacted and fingerprinted, the
output previewed. How a call becomes a snapshot is `pending`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, assert_never

from groundtrace import outcomes
from groundtrace.frozen import quick_constructor
from groundtrace.invocation import NAME_CHARACTERS, Invocation
from groundtrace.json_text import JsonValue, bounded_json, bounded_text, canonical, fingerprint_of
from groundtrace.outcomes import ERROR_CHARACTERS, OutcomeKind
from groundtrace.preview import EDGE, MARGIN, preview
from groundtrace.redaction import Redactor
from groundtrace.retrieval import Layer, Relevance
from groundtrace.row_details import Said, details_of
from groundtrace.text import clean, cut
from groundtrace.topics import TopicPolicy, normal_topic, topic_domain

_DEDUPED, _FAILURE = OutcomeKind.DEDUPED, OutcomeKind.FAILURE
_row = quick_constructor(Invocation)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRules:
    """What rows are built under: the store's redaction key, and the policy for topics."""

    redactor: Redactor
    topic_policy: TopicPolicy = topic_domain


class Searched(NamedTuple):
    """The columns of a retrieval; `told` is what its details hold, encoded and not yet redacted."""

    layer: Layer
    l0_count: int
    l1_count: int
    relevance: Relevance
    told: JsonValue


class Snapshot(NamedTuple):
    """A finished call as it was: nothing in it can change, since what could was encoded and is held by nobody else.

    Its ids are clean and its time is UTC; all else is as the caller gave it.
    """

    session_id: str
    id: str
    turn_id: str | None
    seq: int
    tool_name: str
    topic_domain: str | None
    scope: str | None
    params: JsonValue
    started_at: datetime
    duration_ms: int | None
    details: JsonValue
    outcome: outcomes.Outcome
    searched: Searched | None
    rules: RecordRules


def build(call: Snapshot, /) -> Invocation:
    """Return the row of a call; total, and equal for equal snapshots."""
    rules, outcome, searched = call.rules, call.outcome, call.searched
    redactor = rules.redactor
    params = redactor.value(call.params)
    text = canonical(params)
    kind = outcomes.kind_of(outcome)
    said = _said(outcome, redactor)
    shown = preview(said.output, redactor)
    stored = bounded_text(params, text)
    told = None if searched is None else bounded_json(redactor.value(searched.told))
    return _row(
        session_id=call.session_id,
        id=call.id,
        turn_id=None if call.turn_id is None else cut(clean(call.turn_id), NAME_CHARACTERS),
        seq=call.seq,
        tool_name=cut(redactor.text(clean(call.tool_name)), NAME_CHARACTERS),
        topic_domain=_topic(call, params, rules),
        outcome=kind,
        support=said.support,
        reason=said.reason,
        partial=bool(said.partial),
        basis=outcome.basis,
        input_params=stored,
        input_fingerprint=fingerprint_of(text),
        started_at=call.started_at,
        duration_ms=call.duration_ms,
        success=kind is not _FAILURE,
        output_preview=shown.text,
        output_state=shown.state,
        output_bytes=shown.bytes,
        output_sha256=shown.sha256,
        error_message=said.error,
        retrieval_layer=None if searched is None else searched.layer,
        l0_count=None if searched is None else searched.l0_count,
        l1_count=None if searched is None else searched.l1_count,
        relevance_level=None if searched is None else searched.relevance,
        retrieval_details=told,
        dedup_reason=said.reason if kind is _DEDUPED else None,
        details=details_of(outcome, said, call.details, redactor, (stored, shown.text, told)),
    )


def _topic(call: Snapshot, params: JsonValue, rules: RecordRules) -> str:
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


def _said(outcome: outcomes.Outcome, redactor: Redactor) -> Said:
    match outcome:
        case outcomes.Success():
            return Said(outcome.support, None, outcome.output, outcome.partial)
        case outcomes.NoEvidence():
            return Said(reason=outcome.reason.value, output=outcome.output, partial=outcome.partial)
        case outcomes.Deduped():
            return Said(reason=outcome.reason.value)
        case outcomes.Failure():
            return Said(
                reason=outcome.kind.value, output=outcome.output, error=_redacted_head(outcome.message, redactor)
            )
        case _:
            assert_never(outcome)


def _redacted_head(message: str, redactor: Redactor) -> str:
    """Return a message redacted and then cut; of a very long one only a window is read, whose edge is not shown."""
    window = ERROR_CHARACTERS + MARGIN
    redacted = redactor.text(clean(message[:window]))
    return cut(redacted if len(message) <= window else f"{redacted[:-EDGE]}...", ERROR_CHARACTERS)
