"""The words of a verification (DESIGN sections 2 and 8): verdicts, the closed list of causes, a parsed reply.

Reading a verifier's text is `verdict_parser`; what the evidence allows is `decision`.
"""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How far an answer may go; there is no fourth."""

    PASS = "PASS"
    LOW_CONFID = "LOW_CONFID"
    REJECT = "REJECT"


class Cause(StrEnum):
    """Why a decision is what it is; the list is closed (section 8)."""

    VERIFIED = "verified"
    VERIFIER_LOW = "verifier_low"
    VERIFIER_REJECT = "verifier_reject"
    MISSING = "missing"
    INVALID_JSON = "invalid_json"
    PROSE_AROUND_JSON = "prose_around_json"
    SEVERAL_OBJECTS = "several_objects"
    CONTRADICTION = "contradiction"
    DUPLICATE_KEYS = "duplicate_keys"
    UNKNOWN_VERDICT = "unknown_verdict"
    BAD_CONFIDENCE = "bad_confidence"
    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    TIMED_OUT = "timed_out"
    VERIFIER_ERROR = "verifier_error"
    CANCELLED = "cancelled"
    VERIFIER_DISABLED = "verifier_disabled"
    NO_EVIDENCE = "no_evidence"
    NO_CITATION = "no_citation"
    UNKNOWN_CITATION = "unknown_citation"
    CITATION_NOT_SUCCESS = "citation_not_success"
    EVIDENCE_NOT_STORED = "evidence_not_stored"
    EVIDENCE_UNREADABLE = "evidence_unreadable"
    EVALUATION_NOT_STORED = "evaluation_not_stored"
    EXECUTOR_FAILED = "executor_failed"
    PLANNER_FAILED = "planner_failed"
    BUDGET_SPENT = "budget_spent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedVerdict:
    """A well-formed verifier reply: only such a reply carries its own verdict.

    `evidence_ids` are the labels as written, repeats removed, order kept; None where they were no array of strings.
    `lowered` is the cause by which the reply itself cannot be a PASS (contradiction, bad_confidence), else None.
    """

    verdict: Verdict
    given: str
    evidence_ids: tuple[str, ...] | None
    reasons: tuple[str, ...] = ()
    confidence: float | None = None
    unsupported_claims: tuple[str, ...] = ()
    lowered: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableReply:
    """A verifier reply that carries no verdict of its own: the fallback, LOW_CONFID with the answer withheld.

    `given` is the verdict as far as a text stood there, for the record only.
    """

    cause: Cause
    given: str | None = None
