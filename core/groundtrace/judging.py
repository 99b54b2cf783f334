"""Builds the one record that a verification leaves, and decides again from it (DESIGN section 8)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from returns import result
from returns.result import Result

from groundtrace.decision import Decision, PassNeeds, decide_on
from groundtrace.entries import EvidenceEntry
from groundtrace.evaluation import RAW_BYTES, Evaluation
from groundtrace.problem import Problem
from groundtrace.roles import Shown
from groundtrace.snapshot import Parsed, Redact, Snapshot, read_snapshot, write_snapshot
from groundtrace.text import clean, cut
from groundtrace.verdict import ParsedVerdict, UnusableReply
from groundtrace.verdict_parser import GIVEN_CHARACTERS

MARGIN = 8 * 1024
"""How much of a long text is redacted beyond its cut, in characters, so that no secret lies across the cut."""

QUESTION_CHARACTERS = 20_000
ANSWER_CHARACTERS = 100_000
SHOWN_CHARACTERS = 200_000
REASONS_KEPT = 50
REASON_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One verification as it went, before it is cleaned and redacted for the record.

    `parsed` is the parser's result, None where there was nothing to parse (`timed_out`, `executor_failed`, ...): the
    decision's cause says why. `raw` is the verifier's text, if any. `answer` is the draft, `reply_text` what the user
    saw. `unstored` are ids of the turn's rows that are neither stored nor spooled.
    """

    session_id: str
    id: str
    turn_id: str
    created_at: datetime
    question: str
    decision: Decision
    shown: tuple[Shown, ...]
    reply_text: str
    withheld: bool
    parsed: Parsed | None = None
    answer: str | None = None
    raw: str | None = None
    finish_reason: str | None = None
    by_tool_call: bool = False
    entries: tuple[EvidenceEntry, ...] = ()
    coverage: tuple[str, ...] = ()
    pass_needs: PassNeeds = PassNeeds.ANY
    unstored: Collection[str] = ()
    model: str = ""
    prompt_version: str = ""
    prompt_sha256: str = ""
    duration_ms: int = 0
    attempts: int = 0


def evaluate(judged: Judged, /, *, redact: Redact) -> Evaluation:
    """Return the record of a verification: every text cleaned, redacted and bounded, the cut marked."""
    one = judged

    def told(text: str, limit: int) -> str:
        return bounded(text, limit, redact=redact)

    parsed: Parsed = result.Failure(UnusableReply(cause=one.decision.cause)) if one.parsed is None else one.parsed
    given = parsed.map(_own_given).lash(_fallen_given).value_or(None)
    reasons = parsed.map(lambda reply: reply.reasons).value_or(())
    raw, raw_cut = (None, False) if one.raw is None else bounded_raw(one.raw, redact=redact)
    return Evaluation(
        session_id=one.session_id,
        id=one.id,
        turn_id=one.turn_id,
        created_at=one.created_at,
        question=told(one.question, QUESTION_CHARACTERS),
        given=None if given is None else told(given, GIVEN_CHARACTERS),
        decision=one.decision.verdict,
        cause=one.decision.cause,
        fallback=one.decision.fallback,
        raw=raw,
        raw_cut=raw_cut,
        reasons=tuple(told(reason, REASON_CHARACTERS) for reason in reasons[:REASONS_KEPT]),
        model=told(one.model, 200),
        prompt_version=one.prompt_version,
        prompt_sha256=one.prompt_sha256,
        duration_ms=max(0, one.duration_ms),
        attempts=one.attempts,
        cited=one.decision.cited,
        unknown=tuple(told(label, 200) for label in one.decision.unknown),
        evidence=_evidence_of(one, parsed, redact),
        answer=None if one.answer is None else told(one.answer, ANSWER_CHARACTERS),
        shown=told(one.reply_text, SHOWN_CHARACTERS),
        withheld=one.withheld,
    )


def redecide(evaluation: Evaluation, /, *, pass_needs: PassNeeds | None = None) -> Result[Decision, Problem]:
    """Return the decision again from the record alone, under the same setting or another.

    Equal to the first decision where the setting is the same; unknown citations are as the record keeps them
    (redacted). A Problem for a record whose evidence cannot be read.
    """

    def again(kept: Snapshot) -> Decision:
        needs = kept.pass_needs if pass_needs is None else pass_needs
        return decide_on(kept.parsed, kept.exhibits, pass_needs=needs, lost=bool(kept.lost))

    return read_snapshot(evaluation.evidence).map(again)


def bounded(text: str, limit: int, /, *, redact: Redact) -> str:
    """Return text cleaned, redacted and in at most `limit` characters; a secret across the cut leaves nothing."""
    return cut(_redacted_head(text, limit, redact), limit)


def bounded_raw(text: str, /, *, redact: Redact) -> tuple[str, bool]:
    """Return a verifier's text cleaned, redacted and in at most 64 KiB of UTF-8, and whether it was cut."""
    stored = _redacted_head(text, RAW_BYTES, redact).encode("utf-8")
    if len(stored) <= RAW_BYTES and len(text) <= RAW_BYTES:
        return stored.decode("utf-8"), False
    return stored[:RAW_BYTES].decode("utf-8", "ignore"), True


def _evidence_of(one: Judged, parsed: Parsed, redact: Redact) -> str:
    return write_snapshot(
        parsed,
        one.shown,
        redact=redact,
        entries=one.entries,
        coverage=one.coverage,
        pass_needs=one.pass_needs,
        unstored=one.unstored,
        finish_reason=one.finish_reason,
        by_tool_call=one.by_tool_call,
    )


def _redacted_head(text: str, limit: int, redact: Redact) -> str:
    """A text beyond limit and margin loses its last margin again: there may be a secret whose end was not seen."""
    if len(text) <= limit + MARGIN:
        return redact(clean(text))
    return redact(clean(text[: limit + 2 * MARGIN]))[:-MARGIN] + "..."


def _own_given(reply: ParsedVerdict) -> str | None:
    return reply.given


def _fallen_given(reply: UnusableReply) -> Result[str | None, UnusableReply]:
    return result.Success(reply.given)
