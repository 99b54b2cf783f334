"""A decision made again under today's rules, from its record, the stored rows and the raw text (DESIGN section 8).

The reply is read again by today's parser, each shown row by today's reading of its columns; then today's ceiling holds.
What was so at the time, and is no rule, stays: whether a row or the record was stored, whether a model failed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from returns.result import Result

from groundtrace import outcomes
from groundtrace.decision import Decision, Exhibit, PassNeeds, decide_on, not_stored
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.outcomes import Support
from groundtrace.problem import Problem
from groundtrace.reading import outcome_of
from groundtrace.redaction import MARKER_OPENING
from groundtrace.snapshot import Parsed, Snapshot, read_snapshot
from groundtrace.text import NUL_SYMBOL, REPLACEMENT
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict
from groundtrace.verdict_parser import parse_verdict
from groundtrace.wording import CAUSE_WORDS

_TOUCHED = (MARKER_OPENING, NUL_SYMBOL, REPLACEMENT)
"""What stands in a text that is not, or may not be, what the verifier wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One decision as it was and as it would be; holds no text of the answer and none of the verifier.

    `rules` say in words what changed it, in the order in which rules apply; empty where it did not change.
    `missing` counts shown rows that the store does not hold (their record stands for them); `reread` tells whether the
    raw text was read again, which a cut or redacted one cannot be.
    """

    session_id: str
    turn_id: str
    id: str
    verdict: Verdict
    cause: Cause
    now: Decision
    rules: tuple[str, ...]
    missing: int
    reread: bool

    @property
    def changed(self) -> bool:
        """Tell whether verdict or cause is another one today."""
        return (self.verdict, self.cause) != (self.now.verdict, self.now.cause)


def shown_ids(evaluation: Evaluation, /) -> tuple[str, ...]:
    """Return the ids of the rows that the verifier was shown; none where the record cannot be read."""
    return read_snapshot(evaluation.evidence).map(lambda kept: tuple(one.id for one in kept.exhibits)).value_or(())


def replay(
    evaluation: Evaluation, rows: Mapping[str, Invocation], /, *, pass_needs: PassNeeds | None = None
) -> Result[Replayed, Problem]:
    """Decide again; `rows` are stored rows of the session by id, `pass_needs` another setting than the one kept.

    A record replayed under the rules that it was made by gives its own decision. A Problem for a record whose evidence
    cannot be read.
    """
    return read_snapshot(evaluation.evidence).map(lambda kept: _replayed(evaluation, kept, rows, pass_needs))


def _replayed(
    evaluation: Evaluation, kept: Snapshot, rows: Mapping[str, Invocation], pass_needs: PassNeeds | None
) -> Replayed:
    needs = kept.pass_needs if pass_needs is None else pass_needs
    raw = _whole_raw(evaluation)
    parsed = (
        kept.parsed
        if raw is None
        else parse_verdict(raw, finish_reason=kept.finish_reason, by_tool_call=kept.by_tool_call)
    )
    exhibits = tuple(_today(one, rows.get(one.id)) for one in kept.exhibits)
    now = decide_on(parsed, exhibits, pass_needs=needs, lost=bool(kept.lost))
    if evaluation.cause is Cause.EVALUATION_NOT_STORED:
        now = not_stored(now)
    told = Replayed(
        session_id=evaluation.session_id,
        turn_id=evaluation.turn_id,
        id=evaluation.id,
        verdict=evaluation.decision,
        cause=evaluation.cause,
        now=now,
        rules=(),
        missing=sum(one.id not in rows for one in kept.exhibits),
        reread=raw is not None,
    )
    return replace(told, rules=_rules(told, kept, parsed, exhibits, needs)) if told.changed else told


def _whole_raw(evaluation: Evaluation) -> str | None:
    """Return the verifier's text if it is certainly what the verifier wrote, to the last character."""
    raw = evaluation.raw
    return None if raw is None or evaluation.raw_cut or any(mark in raw for mark in _TOUCHED) else raw


def _today(kept: Exhibit, row: Invocation | None) -> Exhibit:
    """Return a shown row as today's rules read its columns; what was blank when it was shown carries nothing still."""
    if row is None or kept.support is None:
        return kept
    return replace(kept, support=_support(outcome_of(row)))


def _support(outcome: outcomes.Outcome) -> Support | None:
    return outcome.support if isinstance(outcome, outcomes.Success) else None


def _rules(
    told: Replayed, kept: Snapshot, parsed: Parsed, exhibits: tuple[Exhibit, ...], needs: PassNeeds
) -> tuple[str, ...]:
    then, today = _reading(kept.parsed), _reading(parsed)
    reply = (f"the reply was read as {then}, and is read as {today}",) if then != today else ()
    read = tuple(
        f"{was.label} carried {_carried(was)}, and carries {_carried(now)}"
        for was, now in zip(kept.exhibits, exhibits, strict=True)
        if was.support is not now.support
    )
    setting = (f"pass_needs was {kept.pass_needs.value}, and is {needs.value}",) if needs is not kept.pass_needs else ()
    return (*reply, *read, *setting) or (f"the ceiling: today {CAUSE_WORDS[told.now.cause]}",)


def _reading(parsed: Parsed) -> str:
    """Say in our own words how a reply was read."""
    return parsed.map(_of_verdict).value_or(None) or parsed.swap().map(_of_fallback).unwrap()


def _of_verdict(reply: ParsedVerdict) -> str:
    return reply.verdict.value + (f" lowered by {reply.lowered.value}" if reply.lowered else "")


def _of_fallback(reply: UnusableReply) -> str:
    return f"unusable ({reply.cause.value})"


def _carried(one: Exhibit) -> str:
    return one.support.value if one.support else "nothing"
