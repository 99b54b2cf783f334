"""What a reader of the record may be shown: nothing that was withheld from the user (DESIGN section 9).

Every command, export, audit and API reads an evaluation through here.
"""

from dataclasses import replace

from groundtrace.evaluation import Evaluation
from groundtrace.snapshot import hide_words, public_evidence
from groundtrace.verdict import Verdict
from groundtrace.verdict_parser import read_verdict

WITHHELD = "(withheld)"
"""Stands in place of a text that may not be shown."""


def public_view(evaluation: Evaluation, /, *, reveal: bool) -> dict[str, object]:
    """Return an evaluation as JSON values for a reader.

    Unless `reveal`, what belongs to a withheld answer is absent: the answer, the verifier's raw text, its reasons and
    claims, and each word of its own that is not ours (a verdict that is none, a citation that names no row), since it
    may hold any text. The text that the user saw is always there.
    """
    open_ = reveal or not must_hide(evaluation)
    return {
        "session_id": evaluation.session_id,
        "id": evaluation.id,
        "turn_id": evaluation.turn_id,
        "created_at": evaluation.created_at.isoformat(),
        "question": evaluation.question,
        "decision": evaluation.decision.value,
        "cause": evaluation.cause.value,
        "fallback": evaluation.fallback,
        "given": evaluation.given if open_ else _known_word(evaluation.given),
        "withheld": evaluation.withheld,
        "shown": evaluation.shown,
        "answer": evaluation.answer if open_ else None,
        "raw": evaluation.raw if open_ else None,
        "raw_cut": evaluation.raw_cut,
        "reasons": list(evaluation.reasons) if open_ else [],
        "cited": list(evaluation.cited),
        "unknown": list(evaluation.unknown) if open_ else [WITHHELD] * len(evaluation.unknown),
        "model": evaluation.model,
        "prompt_version": evaluation.prompt_version,
        "prompt_sha256": evaluation.prompt_sha256,
        "duration_ms": evaluation.duration_ms,
        "attempts": evaluation.attempts,
        "evidence": public_evidence(evaluation.evidence, whole=open_),
    }


def withhold(evaluation: Evaluation, /) -> Evaluation:
    """Return a record as it may leave the house with a reply: nothing in it that its user was not shown.

    Unlike `public_view` it is a record still: it can be explained and decided again.
    """
    if not must_hide(evaluation):
        return evaluation
    return replace(
        evaluation,
        given=_known_word(evaluation.given),
        raw=None if evaluation.raw is None else WITHHELD,
        reasons=(WITHHELD,) * len(evaluation.reasons),
        unknown=(WITHHELD,) * len(evaluation.unknown),
        evidence=hide_words(evaluation.evidence, instead=WITHHELD),
        answer=None if evaluation.answer is None else WITHHELD,
    )


def must_hide(evaluation: Evaluation, /) -> bool:
    """Tell whether a record holds what its user was not shown; a REJECT always does, whatever its flag says."""
    return evaluation.withheld or evaluation.decision is Verdict.REJECT


def _known_word(given: str | None) -> str | None:
    return given if given is None or read_verdict(given) is not None else WITHHELD
