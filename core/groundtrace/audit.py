"""What a session's answers rest on, said afterwards: how far the evidence carries, and what an answer leaves unsaid.

From the session's entries and evaluations alone, so that a store can be audited without reading a row. Of answers it
holds only the head of one that its user was given (DESIGN section 9). The verdicts here are ceilings: they say what
the evidence allows, not what is true.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from groundtrace.audit_counts import ToolCounts, counts_by_tool
from groundtrace.audit_rules import Finding, Grade, Rule, Seen, findings_of, is_answer
from groundtrace.decision import PassNeeds
from groundtrace.entries import EvidenceEntry, EvidenceLevel
from groundtrace.evaluation import Evaluation
from groundtrace.text import is_blank
from groundtrace.verdict import Cause, Verdict
from groundtrace.wording import one_row

QUESTION_SHOWN = 200
SAID_SHOWN = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAudit:
    """One session: `level` is its strongest evidence, `allowed` the highest verdict that it carries, `why` in words.

    `decision` and `cause` are those of its last verification, None where there was none. `question` is the first one
    and `said` the head of the last answer that a user was given (where no call found anything, of the last one that
    states something), each in one line and empty where there is none.
    """

    session_id: str
    level: EvidenceLevel
    allowed: Verdict
    why: str
    decision: Verdict | None
    cause: Cause | None
    turns: int
    first_at: datetime | None
    last_at: datetime | None
    question: str
    said: str
    tools: Mapping[str, ToolCounts]
    findings: tuple[Finding, ...]

    @property
    def total(self) -> ToolCounts:
        """Return the counts of all tools."""
        return sum(self.tools.values(), ToolCounts())

    @property
    def grade(self) -> Grade | None:
        """Return the grade of its gravest finding, None where nothing was found."""
        return min((one.grade for one in self.findings), key=list(Grade).index, default=None)

    def breaks(self, rule: Rule, /) -> bool:
        """Tell whether a rule holds for it."""
        return any(one.rule is rule for one in self.findings)


def audit_session(
    session_id: str,
    entries: Sequence[EvidenceEntry],
    evaluations: Sequence[Evaluation],
    /,
    *,
    expected: Collection[str] = (),
    ignored: Collection[str] = (),
    pass_needs: PassNeeds = PassNeeds.ANY,
) -> SessionAudit:
    """Audit one session from its entries and its evaluations in their order.

    It should have asked each tool that `expected` names, or any tool of a source named there: of the source `shop` are
    the tools `shop/...`. That an answer is silent about a tool of `ignored`, named likewise, is no finding.
    """
    tools = counts_by_tool(entries)
    level = _strongest(entries)
    last = evaluations[-1] if evaluations else None
    seen = Seen(
        entries=tuple(entries),
        evaluations=tuple(evaluations),
        tools=tools,
        level=level,
        expected=expected,
        ignored=ignored,
    )
    decided = [one.created_at for one in evaluations]
    return SessionAudit(
        session_id=session_id,
        level=level,
        allowed=_allowed(level, pass_needs),
        why=_why(sum(tools.values(), ToolCounts()), level),
        decision=last.decision if last else None,
        cause=last.cause if last else None,
        turns=len({one.turn_id for one in evaluations}),
        first_at=min([*(one.first_at for one in entries), *decided], default=None),
        last_at=max([*(one.last_at for one in entries), *decided], default=None),
        question=_first((one.question for one in evaluations), QUESTION_SHOWN),
        said=_first(_answers(seen), SAID_SHOWN),
        tools=tools,
        findings=findings_of(seen),
    )


def least_first(audit: SessionAudit, /) -> tuple[int, int, float, int, int, str]:
    """Return the key that sorts sessions by how little they rest on.

    Weak evidence first, then grave findings, then a small share of calls that found something.
    """
    total = audit.total
    share = total.successes / total.calls if total.calls else 0.0
    gravest = min((list(Rule).index(one.rule) for one in audit.findings), default=len(Rule))
    strength = list(reversed(EvidenceLevel)).index(audit.level)
    return strength, gravest, share, -len(audit.findings), total.successes, audit.session_id


def _allowed(level: EvidenceLevel, needs: PassNeeds) -> Verdict:
    enough = level is EvidenceLevel.DIRECT or (level is EvidenceLevel.INDIRECT and needs is PassNeeds.ANY)
    return Verdict.PASS if enough else Verdict.LOW_CONFID


def _strongest(entries: Sequence[EvidenceEntry]) -> EvidenceLevel:
    order = list(EvidenceLevel)
    return min((one.level for one in entries), key=order.index, default=EvidenceLevel.NONE)


def _answers(seen: Seen) -> Iterator[str]:
    """Yield what users were told, the latest first, but before all what a grave finding is about."""
    answers = [one.shown for one in reversed(seen.evaluations) if is_answer(one)]
    if seen.level is EvidenceLevel.NONE:
        yield from filter(seen.confident, answers)
    yield from answers


def _first(texts: Iterable[str], limit: int) -> str:
    return next((one_row(text, limit) for text in texts if not is_blank(text)), "")


def _why(total: ToolCounts, level: EvidenceLevel) -> str:
    if not total.calls:
        return "no call was made"
    if level is not EvidenceLevel.NONE:
        return f"{total.successes:,} of {_calls(total.calls)} found something, at best {level.value}"
    kinds = ((total.no_evidence, "empty"), (total.failures, "failed"), (total.deduped, "repeated"))
    came = ", ".join(f"{number:,} {word}" for number, word in kinds if number)
    return f"{_calls(total.calls)}, and none found anything: {came}"


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number:,} calls"
