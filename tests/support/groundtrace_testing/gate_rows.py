"""Rows and shown rows for tests of the gate: one valid row, and what differs from it as keywords."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, DedupReason, FailureKind, NoEvidenceReason, OutcomeKind, Support
from groundtrace.roles import Shown
from groundtrace.showing import label_rows

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)

_ROW = Invocation(
    session_id="night-shift",
    id="call-1",
    turn_id="turn-1",
    seq=0,
    tool_name="query_logs",
    topic_domain="checkout",
    outcome=OutcomeKind.SUCCESS,
    support=Support.DIRECT,
    reason=None,
    partial=False,
    basis=Basis.DECLARED,
    input_params='{"pattern": "refused"}',
    input_fingerprint="f1",
    started_at=NOON,
    duration_ms=12,
    success=True,
    output_preview="11:58 connection refused",
    output_state=OutputState.FULL,
    output_bytes=24,
    output_sha256="ab" * 32,
    error_message=None,
    retrieval_layer=None,
    l0_count=None,
    l1_count=None,
    relevance_level=None,
    retrieval_details=None,
    dedup_reason=None,
    details="{}",
)


def success(number: int = 1, /, **fields: object) -> Invocation:
    """Return the Success row `call-NUMBER`, called NUMBER seconds after noon."""
    row = replace(_ROW, id=f"call-{number}", seq=number, started_at=NOON + timedelta(seconds=number))
    return replace(row, **fields)  # type: ignore[arg-type]


def indirect(number: int = 1, /, **fields: object) -> Invocation:
    """Return a Success with INDIRECT support."""
    return success(number, **{"support": Support.INDIRECT, **fields})


def no_evidence(number: int = 1, /, **fields: object) -> Invocation:
    """Return a NoEvidence row: nothing matched."""
    facts: dict[str, object] = {
        "outcome": OutcomeKind.NO_EVIDENCE,
        "support": None,
        "reason": NoEvidenceReason.NO_MATCH.value,
        "output_preview": None,
        "output_state": OutputState.NONE,
    }
    return success(number, **{**facts, **fields})


def failure(number: int = 1, /, **fields: object) -> Invocation:
    """Return a Failure row: a timeout."""
    facts: dict[str, object] = {
        "outcome": OutcomeKind.FAILURE,
        "support": None,
        "reason": FailureKind.TIMEOUT.value,
        "success": False,
        "error_message": "no answer after 30 s",
        "output_preview": None,
        "output_state": OutputState.NONE,
    }
    return success(number, **{**facts, **fields})


def deduped(number: int = 1, /, **fields: object) -> Invocation:
    """Return a Deduped row: the same query again."""
    facts: dict[str, object] = {
        "outcome": OutcomeKind.DEDUPED,
        "support": None,
        "reason": DedupReason.SAME_QUERY.value,
        "dedup_reason": DedupReason.SAME_QUERY.value,
        "tool_name": "lookup_knowledge",
    }
    return success(number, **{**facts, **fields})


def shown(*rows: Invocation, spooled: tuple[str, ...] = (), lost: tuple[str, ...] = ()) -> tuple[Shown, ...]:
    """Return rows as the verifier is shown them: `e1`, `e2`, ... in the order of their numbers."""
    return label_rows(rows, spooled=spooled, lost=lost)
