"""The closed words of the contract: none missing, none spelled otherwise, and no other (sections 3 to 8)."""

from enum import StrEnum

import pytest

from groundtrace.coverage import CoverState
from groundtrace.decision import PassNeeds
from groundtrace.entries import EvidenceLevel
from groundtrace.invocation import OutputState
from groundtrace.outcomes import Basis, DedupReason, FailureKind, NoEvidenceReason, OutcomeKind, Support
from groundtrace.retrieval import Layer, Relevance
from groundtrace.verdict import Cause, Verdict

WORDS: dict[type[StrEnum], str] = {
    OutcomeKind: "success no_evidence deduped failure",
    Support: "DIRECT INDIRECT",
    Basis: "declared inferred",
    NoEvidenceReason: "no_match below_relevance empty_result not_a_number partial_empty",
    DedupReason: "same_query same_documents refused_repeat other",
    FailureKind: "error timeout rate_limited denied cancelled bad_output unavailable not_recorded",
    OutputState: "full truncated none",
    Layer: "none L0 L1 L2",
    Relevance: "high medium low none",
    EvidenceLevel: "DIRECT INDIRECT NONE",
    CoverState: "found empty failed never_asked",
    Verdict: "PASS LOW_CONFID REJECT",
    PassNeeds: "any direct",
    Cause: "verified verifier_low verifier_reject missing invalid_json prose_around_json several_objects contradiction "
    "duplicate_keys unknown_verdict bad_confidence cut_off filtered refused too_large too_deep timed_out "
    "verifier_error cancelled verifier_disabled no_evidence no_citation unknown_citation citation_not_success "
    "evidence_not_stored evidence_unreadable evaluation_not_stored executor_failed planner_failed budget_spent",
}


@pytest.mark.parametrize("kind", WORDS, ids=lambda kind: kind.__name__)
def test_the_words_are_those_of_the_contract_and_no_others(kind: type[StrEnum]) -> None:
    assert {word.value for word in kind} == set(WORDS[kind].split())
