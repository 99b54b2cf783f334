"""Rows and evaluations for tests of stores: plain ones with some fields changed, and Hypothesis strategies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.retrieval import Layer, Relevance
from groundtrace.verdict import Cause, Verdict

NOON = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)

_ROW: dict[str, Any] = {
    "session_id": "acme/outage",
    "id": "call-1",
    "turn_id": "turn-1",
    "seq": 0,
    "tool_name": "query_logs",
    "topic_domain": "checkout",
    "outcome": OutcomeKind.SUCCESS,
    "support": Support.DIRECT,
    "reason": None,
    "partial": False,
    "basis": Basis.DECLARED,
    "input_params": '{"selector": "{app=\\"checkout\\"}", "limit": 100}',
    "input_fingerprint": "f1",
    "started_at": NOON,
    "duration_ms": 12,
    "success": True,
    "output_preview": "3 lines",
    "output_state": OutputState.FULL,
    "output_bytes": 7,
    "output_sha256": "ab" * 32,
    "error_message": None,
    "retrieval_layer": None,
    "l0_count": None,
    "l1_count": None,
    "relevance_level": None,
    "retrieval_details": None,
    "dedup_reason": None,
    "details": "{}",
}
_EVALUATION: dict[str, Any] = {
    "session_id": "acme/outage",
    "id": "eval-1",
    "turn_id": "turn-1",
    "created_at": NOON,
    "question": "why is checkout slow?",
    "given": "PASS",
    "decision": Verdict.PASS,
    "cause": Cause.VERIFIED,
    "fallback": False,
    "raw": '{"verdict": "PASS", "evidence_ids": ["e1"]}',
    "raw_cut": False,
    "reasons": ("e1 shows the pool exhausted",),
    "model": "rules-1",
    "prompt_version": "v1",
    "prompt_sha256": "cd" * 32,
    "duration_ms": 5,
    "attempts": 1,
    "cited": ("call-1",),
    "unknown": (),
    "evidence": '{"shown": []}',
    "answer": "the pool is exhausted [e1]",
    "shown": "the pool is exhausted [e1]",
    "withheld": False,
}


def a_row(**changes: Any) -> Invocation:
    """A row with the fields given, and else one that found something."""
    return Invocation(**{**_ROW, **changes})


def a_failure(**changes: Any) -> Invocation:
    """A row of a call that broke."""
    broken = {
        "outcome": OutcomeKind.FAILURE,
        "support": None,
        "reason": "timeout",
        "success": False,
        "output_preview": None,
        "output_state": OutputState.NONE,
        "output_bytes": None,
        "output_sha256": None,
        "error_message": "TimeoutError: 5 s",
    }
    return a_row(**{**broken, **changes})


def a_knowledge_row(**changes: Any) -> Invocation:
    """A row with every retrieval column filled."""
    retrieval = {
        "tool_name": "lookup_knowledge",
        "support": Support.INDIRECT,
        "retrieval_layer": Layer.L1,
        "l0_count": 9,
        "l1_count": 3,
        "relevance_level": Relevance.MEDIUM,
        "retrieval_details": '{"hits": [{"uri": "disk.md#mend", "score": 1.5}], "floor": 0.45}',
    }
    return a_row(**{**retrieval, **changes})


def an_evaluation(**changes: Any) -> Evaluation:
    """An evaluation with the fields given, and else a PASS."""
    return Evaluation(**{**_EVALUATION, **changes})


STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
"""Text as rows hold it: cleaned of NUL and of halves of surrogate pairs."""

_TIMES = st.builds(
    lambda minutes, micros: NOON + timedelta(minutes=minutes, microseconds=micros),
    st.integers(0, 3),
    st.sampled_from([0, 1, 999_999]),
)
_KINDS: dict[OutcomeKind, dict[str, Any]] = {
    OutcomeKind.SUCCESS: {},
    OutcomeKind.NO_EVIDENCE: {"reason": "no_match", "support": None},
    OutcomeKind.DEDUPED: {"reason": "same_query", "dedup_reason": "same_query", "support": None},
    OutcomeKind.FAILURE: {"reason": "error", "support": None, "success": False},
}
_LONG = "x" * 498


@st.composite
def summed_rows(draw: st.DrawFn) -> list[Invocation]:
    """Rows of one session that meet in entries: few names, times, fingerprints and messages, many collisions."""
    rows = []
    for number in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from(OutcomeKind))
        changes = dict(_KINDS[kind])
        if kind is OutcomeKind.SUCCESS:
            changes["support"] = draw(st.sampled_from(Support))
        if kind is OutcomeKind.FAILURE:
            changes["error_message"] = draw(
                st.sampled_from(["a", "B", "\u00e9", "\U0001f525", "\uffee", "e\u0301"])
                | st.sampled_from(
                    [_LONG + "\U0001f525\u00e9", _LONG + "\U0001f525\u00e9 and more", _LONG + "\U0001f525\u00e8"]
                )
                | STORABLE
            )
        rows.append(
            a_row(
                outcome=kind,
                id=draw(st.sampled_from(["a", "b", "Z", "\u00e9", "\U0001f525"])) + str(number),
                seq=draw(st.integers(0, 2)),
                tool_name=draw(st.sampled_from(["query_logs", "query_metrics", "Query_logs"])),
                topic_domain=draw(st.sampled_from(["z", "Z", "\u00e9", "\U0001f525", "\uffee"])),
                partial=draw(st.booleans()),
                input_fingerprint=draw(st.sampled_from(["f1", "f2", "f3"])),
                started_at=draw(_TIMES),
                **changes,
            )
        )
    return rows
