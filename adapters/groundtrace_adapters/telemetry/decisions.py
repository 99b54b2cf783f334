"""A decision as a `gen_ai.evaluation.result` event: values only, nothing that its user was not shown (section 9)."""

from groundtrace.disclosure import must_hide
from groundtrace.evaluation import Evaluation
from groundtrace.text import cut
from groundtrace.verdict import Cause
from groundtrace.wording import CAUSE_WORDS
from groundtrace_adapters.telemetry import names
from groundtrace_adapters.telemetry.calls import Attributes

NAME = "groundtrace.decision"
EXPLANATION_CHARACTERS = 2_000

BROKEN = frozenset(
    {
        Cause.TIMED_OUT,
        Cause.VERIFIER_ERROR,
        Cause.CANCELLED,
        Cause.EVIDENCE_UNREADABLE,
        Cause.EVALUATION_NOT_STORED,
    }
)
"""Causes by which the verification itself ended in an error; any other decision is a result of it."""


def decision_attributes(evaluation: Evaluation, /, *, content: bool) -> Attributes:
    """Return the attributes of a decision's event; its label is PASS, LOW_CONFID or REJECT.

    The explanation is a sentence of ours, by the cause. With `content` the verifier's reasons follow, if the answer
    that they speak of was shown.
    """
    told: dict[str, str | bool | int | float | None] = {
        names.EVALUATION_NAME: NAME,
        names.SCORE_LABEL: evaluation.decision.value,
        names.EXPLANATION: _explanation(evaluation, content=content),
        names.CONVERSATION: evaluation.session_id,
        names.ERROR_TYPE: evaluation.cause.value if evaluation.cause in BROKEN else None,
        names.EVALUATION: evaluation.id,
        names.TURN: evaluation.turn_id,
        names.CAUSE: evaluation.cause.value,
        names.FALLBACK: evaluation.fallback,
        names.WITHHELD: must_hide(evaluation),
        names.CITED: len(evaluation.cited),
        names.VERIFIER: evaluation.model or None,
        names.VERIFIER_MS: evaluation.duration_ms,
    }
    return {name: value for name, value in told.items() if value is not None}


def _explanation(evaluation: Evaluation, *, content: bool) -> str:
    reasons = evaluation.reasons if content and not must_hide(evaluation) else ()
    return cut("; ".join((CAUSE_WORDS[evaluation.cause], *reasons)), EXPLANATION_CHARACTERS)
