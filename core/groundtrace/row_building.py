"""A finished call, and the one builder of its row: no other place builds one (DESIGN section 4).

Everything in a row is cleaned, redacted and bounded here, in one pass: parameters are redacted and fingerprinted, the
output previewed. How a call is made to hold still is `pending_row`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias, assert_never

from typing_extensions import override

from groundtrace import outcomes
from groundtrace.frozen import quick_constructor
from groundtrace.invocation import NAME_CHARACTERS, Invocation, OutputState
from groundtrace.json_text import JsonValue, bounded_json, bounded_text, canonical, fingerprint_of
from groundtrace.outcomes import ERROR_CHARACTERS, Basis, OutcomeKind, Output, Support
from groundtrace.preview import EDGE, MARGIN, preview
from groundtrace.redaction import MARKER_OPENING, Redactor, redactions
from groundtrace.retrieval import Layer, Relevance
from groundtrace.row_details import details_of
from groundtrace.text import clean, cut
from groundtrace.topics import TopicPolicy, normal_topic, topic_domain

_SUCCESS, _NO_EVIDENCE, _DEDUPED, _FAILURE = (
    OutcomeKind.SUCCESS,
    OutcomeKind.NO_EVIDENCE,
    OutcomeKind.DEDUPED,
    OutcomeKind.FAILURE,
)
_Said: TypeAlias = tuple[OutcomeKind, Support | None, str | None, Output | None, tuple[str, ...], str | None]
_NOT_SEARCHED = (None, None, None, None, None)

# The columns in their order, so that mypy checks each place.
_row: Callable[[
    str, str, str | None, int, str, str, OutcomeKind, Support | None, str | None, bool, Basis, str, str, datetime,
    int | None, bool, str | None, OutputState, int | None, str | None, str | None, Layer | None, int | None,
    int | None, Relevance | None, str | None, str | None, str,
], Invocation] = quick_constructor(Invocation)  # fmt: skip


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PendingRow:
    """A finished call whose row is not built yet: nothing in it can change, since what could was encoded or copied.

    Its ids are clean, its time is UTC; all else is as the caller gave it, secrets too, and is shown by nothing.
    `weight` is about how many bytes it holds in memory. What was too large to wait is a `row` already.
    """

    session_id: str
    id: str
    weight: int
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
    row: Invocation | None

    def finish(self) -> Invocation:
        """Return the row: total, and equal however often and in whatever thread it is asked for."""
        return _build(self) if self.row is None else self.row

    @override
    def __repr__(self) -> str:
        """Show which call it is, and nothing of what it holds."""
        return f"PendingRow(session_id={self.session_id!r}, id={self.id!r}, weight={self.weight})"


def _build(call: PendingRow) -> Invocation:
    outcome, rules, searched = call.outcome, call.rules, call.searched
    redactor = rules.redactor
    params = redactor.value(call.params)
    text = canonical(params)
    stored = bounded_text(params, text)
    kind, support, reason, output, partial, error = _said(outcome, redactor)
    shown, state, size, digest = preview(output, redactor)
    layer, l0_count, l1_count, relevance, told = _NOT_SEARCHED if searched is None else searched
    retrieval = None if searched is None else bounded_json(redactor.value(told))
    # Asked of the two texts that every row has, before all four are gone through.
    marked = error or retrieval or MARKER_OPENING in stored or (shown and MARKER_OPENING in shown)
    counted = redactions(stored, shown, error, retrieval) if marked else {}
    return _row(
        call.session_id,
        call.id,
        None if call.turn_id is None else cut(clean(call.turn_id), NAME_CHARACTERS),
        call.seq,
        cut(redactor.text(clean(call.tool_name)), NAME_CHARACTERS),
        _topic(call, params, rules),
        kind,
        support,
        reason,
        bool(partial),
        outcome.basis,
        stored,
        fingerprint_of(text),
        call.started_at,
        call.duration_ms,
        kind is not _FAILURE,
        shown,
        state,
        size,
        digest,
        error,
        layer,
        l0_count,
        l1_count,
        relevance,
        retrieval,
        reason if kind is _DEDUPED else None,
        details_of(outcome, call.details, counted, redactor),
    )


def _topic(call: PendingRow, params: JsonValue, rules: RecordRules) -> str:
    explicit = None if call.topic_domain is None else rules.redactor.text(call.topic_domain)
    scope = None if call.scope is None else rules.redactor.text(call.scope)
    if rules.topic_policy is topic_domain:
        return topic_domain(params, explicit, scope)
    return _chosen_topic(rules, params, explicit, scope)


def _chosen_topic(rules: RecordRules, params: JsonValue, explicit: str | None, scope: str | None) -> str:
    """Return the user's own policy's topic; a policy that raises or says nothing falls back to ours.

    What it says is redacted as what it is given.
    """
    try:
        chosen = normal_topic(rules.redactor.text(clean(rules.topic_policy(params, explicit, scope))))
    except Exception:  # noqa: BLE001 - a user's policy never breaks the record of a call
        chosen = ""
    return chosen or topic_domain(params, explicit, scope)


def _said(outcome: outcomes.Outcome, redactor: Redactor) -> _Said:
    """Return what an outcome says in columns of its own: kind, support, reason, output, partial, redacted error."""
    match outcome:
        case outcomes.Success():
            return _SUCCESS, outcome.support, None, outcome.output, outcome.partial, None
        case outcomes.NoEvidence():
            return _NO_EVIDENCE, None, outcome.reason.value, outcome.output, outcome.partial, None
        case outcomes.Deduped():
            return _DEDUPED, None, outcome.reason.value, None, (), None
        case outcomes.Failure():
            error = _redacted_head(outcome.message, redactor)
            return _FAILURE, None, outcome.kind.value, outcome.output, (), error
        case _:
            assert_never(outcome)


def _redacted_head(message: str, redactor: Redactor) -> str:
    """Return a message redacted and then cut; of a very long one only a window is read, whose edge is not shown."""
    window = ERROR_CHARACTERS + MARGIN
    redacted = redactor.text(clean(message[:window]))
    return cut(redacted if len(message) <= window else f"{redacted[:-EDGE]}...", ERROR_CHARACTERS)
