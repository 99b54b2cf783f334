"""From a parsed verdict to a decision: the ceiling that the recorded evidence sets (DESIGN section 8).

A decision is never above what the verifier itself said, and never above what the rows carry. A REJECT stays one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from returns import result
from returns.result import Result

from groundtrace.outcomes import FailureKind, OutcomeKind, Support
from groundtrace.roles import RowState, Shown
from groundtrace.text import clean, cut, is_blank
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply, Verdict

UNKNOWN_KEPT = 20
"""How many unknown citations a decision keeps, each in at most 200 characters."""

UNKNOWN_CHARACTERS = 200


class PassNeeds(StrEnum):
    """What a PASS must cite: any Success, or at least one with DIRECT support."""

    ANY = "any"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """What a decision depends on of one shown row: `support` is None for a row that is no Success or shows nothing."""

    label: str
    id: str
    support: Support | None
    state: RowState


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict after the ceiling, its cause, and what it rests on.

    `cited` are ids of the cited rows, in the order cited; `unknown` the citations that name no shown row, as written
    (bounded; absent from `repr`, since a verifier may write anything there). `own` is the verdict that the reply
    itself carried, None where no readable reply stands behind it. Holds no text of the answer and none of the
    verifier's reasons, so that it may be logged.
    """

    verdict: Verdict
    cause: Cause
    own: Verdict | None = None
    cited: tuple[str, ...] = ()
    unknown: tuple[str, ...] = field(default=(), repr=False)

    @property
    def fallback(self) -> bool:
        """Tell whether no well-formed reply stands behind the decision."""
        return self.own is None or self.cause in _ILL_FORMED


_ILL_FORMED = frozenset({Cause.CONTRADICTION, Cause.BAD_CONFIDENCE})

_CAUSE_BY_FAILURE = {FailureKind.TIMEOUT: Cause.TIMED_OUT, FailureKind.CANCELLED: Cause.CANCELLED}


def decide(
    parsed: Result[ParsedVerdict, UnusableReply],
    shown: Sequence[Shown],
    /,
    *,
    pass_needs: PassNeeds = PassNeeds.ANY,
    unstored: Collection[str] = (),
) -> Decision:
    """Return the decision on a verifier's reply over the rows that it was shown.

    `unstored` are ids of rows of this turn that are neither stored nor spooled: one of them lowers the decision,
    whether it is cited, shown or neither.
    """
    return decide_on(parsed, tuple(exhibit(one) for one in shown), pass_needs=pass_needs, lost=bool(unstored))


def decide_on(
    parsed: Result[ParsedVerdict, UnusableReply],
    exhibits: Sequence[Exhibit],
    /,
    *,
    pass_needs: PassNeeds = PassNeeds.ANY,
    lost: bool = False,
) -> Decision:
    """Return the same decision from what the record keeps of each shown row; `lost`: a row of the turn is nowhere."""
    facts = _Standing(
        exhibits=tuple(exhibits),
        lost=lost or any(one.state is RowState.LOST for one in exhibits),
        pass_needs=pass_needs,
    )
    return parsed.map(lambda reply: _weigh(reply, facts)).lash(_fall_back).unwrap()


def exhibit(shown: Shown, /) -> Exhibit:
    """Return what a decision depends on of a shown row."""
    row = shown.row
    found = row.success and row.outcome is OutcomeKind.SUCCESS and not is_blank(shown.text)
    return Exhibit(label=shown.label, id=row.id, support=row.support if found else None, state=shown.state)


def ceiling(
    shown: Sequence[Shown], /, *, pass_needs: PassNeeds = PassNeeds.ANY, unstored: Collection[str] = ()
) -> Verdict:
    """Return the highest verdict that these rows allow, whatever a verifier says: PASS or LOW_CONFID."""
    if unstored or any(one.state is RowState.LOST for one in shown):
        return Verdict.LOW_CONFID
    carrying = [one for one in shown if carries(one)]
    enough = any(one.row.support is Support.DIRECT for one in carrying) or pass_needs is PassNeeds.ANY
    return Verdict.PASS if carrying and enough else Verdict.LOW_CONFID


def is_evidence(shown: Shown, /) -> bool:
    """Tell whether a shown row is a Success: it found something, and says how far that carries."""
    return exhibit(shown).support is not None


def carries(shown: Shown, /) -> bool:
    """Tell whether a shown row can carry a PASS: a Success that is stored."""
    return is_evidence(shown) and shown.state is RowState.STORED


def fallback(cause: Cause, /) -> Decision:
    """Return the decision where no reply can be read: LOW_CONFID, with the cause for it."""
    return Decision(verdict=Verdict.LOW_CONFID, cause=cause)


def cause_of_failure(kind: FailureKind, /) -> Cause:
    """Return the cause for a verifier that gave no reply at all."""
    return _CAUSE_BY_FAILURE.get(kind, Cause.VERIFIER_ERROR)


def not_stored(decision: Decision, /) -> Decision:
    """Return what may still be served when the evaluation could not be stored: no PASS and no unverified answer.

    A REJECT and a fallback keep their own cause, since nothing is served on them in any case.
    """
    if decision.verdict is Verdict.REJECT or decision.cause not in (Cause.VERIFIED, Cause.VERIFIER_LOW):
        return decision
    return replace(decision, verdict=Verdict.LOW_CONFID, cause=Cause.EVALUATION_NOT_STORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    exhibits: tuple[Exhibit, ...]
    lost: bool
    pass_needs: PassNeeds


def _fall_back(reply: UnusableReply) -> Result[Decision, UnusableReply]:
    return result.Success(fallback(reply.cause))


def _weigh(reply: ParsedVerdict, facts: _Standing) -> Decision:
    by_label = {one.label: one for one in facts.exhibits}
    labels = reply.evidence_ids or ()
    cited = [by_label[label] for label in labels if label in by_label]
    unknown = [label for label in labels if label not in by_label]
    cause = _cause(reply, cited, unknown, facts)
    return Decision(
        verdict=_VERDICT_BY_CAUSE.get(cause, Verdict.LOW_CONFID),
        cause=cause,
        own=reply.verdict,
        cited=tuple(one.id for one in cited),
        unknown=tuple(cut(clean(label), UNKNOWN_CHARACTERS) for label in unknown[:UNKNOWN_KEPT]),
    )


_VERDICT_BY_CAUSE = {Cause.VERIFIED: Verdict.PASS, Cause.VERIFIER_REJECT: Verdict.REJECT}


def _cause(reply: ParsedVerdict, cited: Sequence[Exhibit], unknown: Sequence[str], facts: _Standing) -> Cause:
    """Return the first cause that holds; a PASS for which none holds is verified."""
    match reply.verdict:
        case Verdict.REJECT:
            return Cause.VERIFIER_REJECT
        case Verdict.LOW_CONFID:
            stored = Cause.EVIDENCE_NOT_STORED if facts.lost else Cause.VERIFIER_LOW
            return reply.lowered or stored
        case Verdict.PASS:
            rules = _pass_rules(reply, cited, unknown, facts)
            return reply.lowered or next((cause for cause, holds in rules if holds), Cause.VERIFIED)


def _pass_rules(
    reply: ParsedVerdict, cited: Sequence[Exhibit], unknown: Sequence[str], facts: _Standing
) -> tuple[tuple[Cause, bool], ...]:
    """Return what lowers a PASS, in this order: what there is, what the verifier cites of it, how it is kept.

    The last rule is `pass_needs = direct`: no citation of the kind that a PASS needs.
    """
    found = any(one.support for one in facts.exhibits)
    direct = any(one.support is Support.DIRECT for one in cited)
    return (
        (Cause.NO_EVIDENCE, not found),
        (Cause.NO_CITATION, not reply.evidence_ids),
        (Cause.UNKNOWN_CITATION, bool(unknown)),
        (Cause.CITATION_NOT_SUCCESS, not all(one.support for one in cited)),
        (Cause.EVIDENCE_NOT_STORED, facts.lost or any(one.state is not RowState.STORED for one in cited)),
        (Cause.NO_CITATION, facts.pass_needs is PassNeeds.DIRECT and not direct),
    )
