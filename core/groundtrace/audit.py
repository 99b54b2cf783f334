"""What a session's answers rest on, said afterwards: how far the evidence carries, and what an answer leaves unsaid.

From the session's entries and evaluations alone, so that a store can be audited without reading a row. Holds nothing
of an answer (DESIGN section 9). The verdicts here are ceilings: they say what the evidence allows, not what is true.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from groundtrace.disclosure import must_hide
from groundtrace.entries import EvidenceEntry, EvidenceLevel
from groundtrace.evaluation import Evaluation
from groundtrace.mentions import doubt_mentioned, emptiness_mentioned, failure_mentioned
from groundtrace.text import is_blank
from groundtrace.verdict import Cause, Verdict
from groundtrace.wording import one_line

NAMES_TOLD = 5
NAME_SHOWN = 80


class Rule(StrEnum):
    """What an audit finds; the list is closed, gravest first, and `--fail-on` takes these names."""

    PASS_WITHOUT_EVIDENCE = "pass_without_evidence"
    CONFIDENT_WITHOUT_EVIDENCE = "confident_without_evidence"
    UNMENTIONED_FAILURE = "unmentioned_failure"
    UNMENTIONED_EMPTY = "unmentioned_empty"
    PARTIAL_ONLY = "partial_only"
    INDIRECT_ONLY = "indirect_only"
    NEVER_ASKED = "never_asked"
    REPEATS = "repeats"
    NOT_VERIFIED = "not_verified"
    NO_ANSWER = "no_answer"


RULE_WORDS: Mapping[Rule, str] = MappingProxyType(
    {
        Rule.PASS_WITHOUT_EVIDENCE: "a PASS was given, and no call found anything",
        Rule.CONFIDENT_WITHOUT_EVIDENCE: "the answer states something without a doubt, and no call found anything",
        Rule.UNMENTIONED_FAILURE: "calls failed, and the answer does not say so",
        Rule.UNMENTIONED_EMPTY: "calls came back empty, and the answer does not say so",
        Rule.PARTIAL_ONLY: "whatever was found is a part: totals and absence do not follow from it",
        Rule.INDIRECT_ONLY: "whatever was found only hints at it",
        Rule.NEVER_ASKED: "a source that was expected was never asked",
        Rule.REPEATS: "calls asked the same again",
        Rule.NOT_VERIFIED: "nobody verified the answer",
        Rule.NO_ANSWER: "no answer is recorded",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule that holds for a session; `names` are the tools that it is about, with the number of calls if any."""

    rule: Rule
    names: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Return the finding in one line of words."""
        told = ", ".join(self.names[:NAMES_TOLD])
        more = len(self.names) - NAMES_TOLD
        return RULE_WORDS[self.rule] + (f": {told}" if told else "") + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCounts:
    """What became of a tool's calls."""

    calls: int = 0
    successes: int = 0
    no_evidence: int = 0
    deduped: int = 0
    failures: int = 0

    def __add__(self, other: "ToolCounts") -> "ToolCounts":
        """Return both as one."""
        return ToolCounts(
            calls=self.calls + other.calls,
            successes=self.successes + other.successes,
            no_evidence=self.no_evidence + other.no_evidence,
            deduped=self.deduped + other.deduped,
            failures=self.failures + other.failures,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAudit:
    """One session: `level` is its strongest evidence, `allowed` the highest verdict that it carries, `why` in words.

    `decision` and `cause` are those of its last verification, None where there was none.
    """

    session_id: str
    level: EvidenceLevel
    allowed: Verdict
    why: str
    decision: Verdict | None
    cause: Cause | None
    turns: int
    last_at: datetime | None
    tools: Mapping[str, ToolCounts]
    findings: tuple[Finding, ...]

    @property
    def total(self) -> ToolCounts:
        """Return the counts of all tools."""
        return sum(self.tools.values(), ToolCounts())


def audit_session(
    session_id: str,
    entries: Sequence[EvidenceEntry],
    evaluations: Sequence[Evaluation],
    /,
    *,
    expected: Collection[str] = (),
) -> SessionAudit:
    """Audit one session from its entries and its evaluations in their order; it should have asked `expected` tools."""
    tools = _by_tool(entries)
    level = _strongest(entries)
    last = evaluations[-1] if evaluations else None
    seen = _Seen(entries=tuple(entries), evaluations=tuple(evaluations), tools=tools, level=level, expected=expected)
    return SessionAudit(
        session_id=session_id,
        level=level,
        allowed=Verdict.LOW_CONFID if level is EvidenceLevel.NONE else Verdict.PASS,
        why=_why(tools, level),
        decision=last.decision if last else None,
        cause=last.cause if last else None,
        turns=len({one.turn_id for one in evaluations}),
        last_at=max([*(one.last_at for one in entries), *(one.created_at for one in evaluations)], default=None),
        tools=tools,
        findings=tuple(found for rule in Rule if (found := _finding(rule, seen)) is not None),
    )


def least_first(audit: SessionAudit, /) -> tuple[int, int, int, int, str]:
    """Return the key that sorts sessions by how little they rest on: weak evidence, grave findings, few hits first."""
    strength = [EvidenceLevel.NONE, EvidenceLevel.INDIRECT, EvidenceLevel.DIRECT].index(audit.level)
    gravest = min((list(Rule).index(one.rule) for one in audit.findings), default=len(Rule))
    return strength, gravest, -len(audit.findings), audit.total.successes, audit.session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    entries: tuple[EvidenceEntry, ...]
    evaluations: tuple[Evaluation, ...]
    tools: Mapping[str, ToolCounts]
    level: EvidenceLevel
    expected: Collection[str]

    @property
    def answered(self) -> bool:
        """Tell whether a user was given an answer, and not a reply of ours in its place."""
        return any(_is_answer(one) for one in self.evaluations)

    @property
    def told(self) -> str:
        """Return all that users were told; what was withheld is not among it."""
        return "\n".join(one.shown for one in self.evaluations)


def _is_answer(one: Evaluation) -> bool:
    served = one.decision is Verdict.PASS or one.cause is Cause.VERIFIER_DISABLED
    return served and not must_hide(one) and not is_blank(one.shown)


def _finding(rule: Rule, seen: _Seen) -> Finding | None:
    names = _RULES[rule](seen)
    return None if names is None else Finding(rule=rule, names=names)


def _pass_without_evidence(seen: _Seen) -> tuple[str, ...] | None:
    passed = any(one.decision is Verdict.PASS for one in seen.evaluations)
    return () if passed and seen.level is EvidenceLevel.NONE else None


def _confident_without_evidence(seen: _Seen) -> tuple[str, ...] | None:
    bare = seen.answered and seen.level is EvidenceLevel.NONE
    return () if bare and not doubt_mentioned(seen.told) else None


def _unmentioned_failure(seen: _Seen) -> tuple[str, ...] | None:
    failed = {name: one.failures for name, one in seen.tools.items() if one.failures}
    return _unmentioned(seen, failed, failure_mentioned)


def _unmentioned_empty(seen: _Seen) -> tuple[str, ...] | None:
    empty = {name: one.no_evidence for name, one in seen.tools.items() if one.no_evidence and not one.successes}
    return _unmentioned(seen, empty, emptiness_mentioned)


def _unmentioned(
    seen: _Seen, calls: Mapping[str, int], mentioned: Callable[[str, str], bool]
) -> tuple[str, ...] | None:
    if not seen.answered:
        return None
    told = seen.told
    return _numbered({name: number for name, number in calls.items() if not mentioned(told, name)})


def _partial_only(seen: _Seen) -> tuple[str, ...] | None:
    found = [one for one in seen.entries if one.successes]
    partial = bool(found) and all(one.partial >= one.successes + one.no_evidence for one in found)
    return _names(one.tool_name for one in found) if partial else None


def _indirect_only(seen: _Seen) -> tuple[str, ...] | None:
    return () if seen.level is EvidenceLevel.INDIRECT else None


def _never_asked(seen: _Seen) -> tuple[str, ...] | None:
    return _names(name for name in seen.expected if name not in seen.tools) or None


def _repeats(seen: _Seen) -> tuple[str, ...] | None:
    again: dict[str, int] = {}
    for one in seen.entries:
        again[one.tool_name] = again.get(one.tool_name, 0) + max(one.repeated, one.deduped)
    return _numbered({name: number for name, number in again.items() if number})


def _not_verified(seen: _Seen) -> tuple[str, ...] | None:
    unverified = any(one.cause is Cause.VERIFIER_DISABLED for one in seen.evaluations)
    return () if unverified else None


def _no_answer(seen: _Seen) -> tuple[str, ...] | None:
    return None if seen.evaluations else ()


_RULES: Mapping[Rule, Callable[[_Seen], tuple[str, ...] | None]] = MappingProxyType(
    {
        Rule.PASS_WITHOUT_EVIDENCE: _pass_without_evidence,
        Rule.CONFIDENT_WITHOUT_EVIDENCE: _confident_without_evidence,
        Rule.UNMENTIONED_FAILURE: _unmentioned_failure,
        Rule.UNMENTIONED_EMPTY: _unmentioned_empty,
        Rule.PARTIAL_ONLY: _partial_only,
        Rule.INDIRECT_ONLY: _indirect_only,
        Rule.NEVER_ASKED: _never_asked,
        Rule.REPEATS: _repeats,
        Rule.NOT_VERIFIED: _not_verified,
        Rule.NO_ANSWER: _no_answer,
    }
)


def _by_tool(entries: Sequence[EvidenceEntry]) -> Mapping[str, ToolCounts]:
    tools: dict[str, ToolCounts] = {}
    for one in entries:
        counts = ToolCounts(
            calls=one.calls,
            successes=one.successes,
            no_evidence=one.no_evidence,
            deduped=one.deduped,
            failures=one.failures,
        )
        tools[one.tool_name] = tools.get(one.tool_name, ToolCounts()) + counts
    return MappingProxyType(tools)


def _strongest(entries: Sequence[EvidenceEntry]) -> EvidenceLevel:
    order = list(EvidenceLevel)
    return min((one.level for one in entries), key=order.index, default=EvidenceLevel.NONE)


def _why(tools: Mapping[str, ToolCounts], level: EvidenceLevel) -> str:
    total = sum(tools.values(), ToolCounts())
    if not total.calls:
        return "no call was made"
    if level is EvidenceLevel.NONE:
        return f"{_calls(total.calls)}, and none found anything"
    found = f"{total.successes} of {_calls(total.calls)} found something"
    return f"{found}, at best {level.value}"


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number:,} calls"


def _numbered(calls: Mapping[str, int]) -> tuple[str, ...] | None:
    by_number = sorted(calls.items(), key=lambda one: (-one[1], one[0]))
    return tuple(f"{one_line(name, NAME_SHOWN)} ({number:,})" for name, number in by_number) or None


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(one_line(name, NAME_SHOWN) for name in dict.fromkeys(names))
