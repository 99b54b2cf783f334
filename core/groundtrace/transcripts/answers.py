"""The last answer of an imported turn as an evaluation: what the user was given, and the rows that stood behind it.

Nobody verified it, and its cause says so; it was not withheld from its user, so no reader needs to hide it.
"""

from collections.abc import Collection, Sequence

from groundtrace.decision import Decision
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.judging import Judged, evaluate
from groundtrace.showing import label_rows
from groundtrace.snapshot import Redact
from groundtrace.transcripts.joined import ImportedAnswer
from groundtrace.verdict import Cause, Verdict


def answer_record(
    answer: ImportedAnswer,
    rows: Sequence[Invocation],
    /,
    *,
    redact: Redact,
    spooled: Collection[str] = (),
    lost: Collection[str] = (),
) -> Evaluation:
    """Return the evaluation of an imported answer over the rows of its turn; equal for equal arguments."""
    judged = Judged(
        session_id=answer.session_id,
        id=answer.id,
        turn_id=answer.turn_id,
        created_at=answer.at,
        question=answer.question,
        decision=Decision(verdict=Verdict.LOW_CONFID, cause=Cause.VERIFIER_DISABLED),
        shown=label_rows(rows, spooled=spooled, lost=lost),
        reply_text=answer.text,
        withheld=False,
        answer=answer.text,
        unstored=tuple(lost),
    )
    return evaluate(judged, redact=redact)
