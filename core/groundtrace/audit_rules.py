"""The rules of an audit: what each one looks at, how grave it is, and which tools it names.

Nothing of an answer is held: a rule reads what users were told, and leaves names of tools alone (DESIGN section 9).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from groundtrace.audit_counts import ToolCounts
from groundtrace.disclosure import must_hide
from groundtrace.entries import EvidenceEntry, EvidenceLevel
from groundtrace.evaluation import Evaluation
from groundtrace.mentions import emptiness_mentioned, failure_mentioned
from groundtrace.source_words import is_source
from groundtrace.statements import states_without_doubt
from groundtrace.text import is_blank
from groundtrace.verdict import Cause, Verdict
from groundtrace.wording import one_row

NAMES_TOLD = 5
NAME_SHOWN = 80
TOOLS_ASKED = 20
"""Of so many failed tools it is looked whether an answer tells of nothing but their failure."""


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


class Grade(StrEnum):
    """What a finding means: the answer has no ground, it keeps silent about a gap, or it is good to know."""

    GRAVE = "grave"
    GAP = "gap"
    NOTE = "note"


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
RULE_GRADES: Mapping[Rule, Grade] = MappingProxyType(
    {
        Rule.PASS_WITHOUT_EVIDENCE: Grade.GRAVE,
        Rule.CONFIDENT_WITHOUT_EVIDENCE: Grade.GRAVE,
        Rule.UNMENTIONED_FAILURE: Grade.GAP,
        Rule.UNMENTIONED_EMPTY: Grade.GAP,
        Rule.PARTIAL_ONLY: Grade.GAP,
        Rule.INDIRECT_ONLY: Grade.NOTE,
        Rule.NEVER_ASKED: Grade.GAP,
        Rule.REPEATS: Grade.NOTE,
        Rule.NOT_VERIFIED: Grade.NOTE,
        Rule.NO_ANSWER: Grade.NOTE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule that holds for a session; `names` are the tools that it is about, with the number of calls if any."""

    rule: Rule
    names: tuple[str, ...] = ()

    @property
    def grade(self) -> Grade:
        """Return how grave it is."""
        return RULE_GRADES[self.rule]

    @property
    def told(self) -> str:
        """Return the tools that it is about in one line, the first of them by name; empty if it is about none."""
        more = len(self.names) - NAMES_TOLD
        return ", ".join(self.names[:NAMES_TOLD]) + (f" and {more} more" if more > 0 else "")

    @property
    def line(self) -> str:
        """Return the finding in one line of words."""
        return RULE_WORDS[self.rule] + (f": {self.told}" if self.names else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the rules look at: one session."""

    entries: tuple[EvidenceEntry, ...]
    evaluations: tuple[Evaluation, ...]
    tools: Mapping[str, ToolCounts]
    level: EvidenceLevel
    expected: Collection[str]
    ignored: Collection[str] = ()

    @property
    def answered(self) -> bool:
        """Tell whether a user was given an answer, and not a reply of ours in its place."""
        return any(is_answer(one) for one in self.evaluations)

    @property
    def told(self) -> str:
        """Return all that users were told; what was withheld is not among it."""
        return "\n".join(one.shown for one in self.evaluations)

    def confident(self, answer: str, /) -> bool:
        """Tell whether an answer states something without a doubt; that a failed tool failed is no statement."""
        failed = [name for name, one in self.tools.items() if one.failures][:TOOLS_ASKED]
        return states_without_doubt(answer, failed=failed)


def findings_of(seen: Seen, /) -> tuple[Finding, ...]:
    """Return what holds for a session, gravest first."""
    found = ((rule, _RULES[rule](seen)) for rule in Rule)
    return tuple(Finding(rule=rule, names=names) for rule, names in found if names is not None)


def is_answer(one: Evaluation, /) -> bool:
    """Tell whether its user was given the answer itself, unmarked."""
    served = one.decision is Verdict.PASS or one.cause is Cause.VERIFIER_DISABLED
    return served and not must_hide(one) and not is_blank(one.shown)


def _pass_without_evidence(seen: Seen) -> tuple[str, ...] | None:
    passed = any(one.decision is Verdict.PASS for one in seen.evaluations)
    return () if passed and seen.level is EvidenceLevel.NONE else None


def _confident_without_evidence(seen: Seen) -> tuple[str, ...] | None:
    if seen.level is not EvidenceLevel.NONE:
        return None
    answers = (one.shown for one in seen.evaluations if is_answer(one))
    return () if any(map(seen.confident, answers)) else None


def _unmentioned_failure(seen: Seen) -> tuple[str, ...] | None:
    failed = {name: one.failures for name, one in seen.tools.items() if one.failures}
    return _unmentioned(seen, failed, failure_mentioned)


def _unmentioned_empty(seen: Seen) -> tuple[str, ...] | None:
    empty = {name: one.no_evidence for name, one in seen.tools.items() if one.no_evidence and not one.successes}
    sources = {name: number for name, number in empty.items() if is_source(name)}
    return _unmentioned(seen, sources, emptiness_mentioned)


def _unmentioned(seen: Seen, calls: Mapping[str, int], mentioned: Callable[[str, str], bool]) -> tuple[str, ...] | None:
    if not seen.answered:
        return None
    told = seen.told
    asked = {name: number for name, number in calls.items() if not any(_named(one, name) for one in seen.ignored)}
    return _numbered({name: number for name, number in asked.items() if not mentioned(told, name)})


def _partial_only(seen: Seen) -> tuple[str, ...] | None:
    found = [one for one in seen.entries if one.successes]
    partial = bool(found) and all(one.partial >= one.successes + one.no_evidence for one in found)
    return _names(one.tool_name for one in found) if partial else None


def _indirect_only(seen: Seen) -> tuple[str, ...] | None:
    return () if seen.level is EvidenceLevel.INDIRECT else None


def _never_asked(seen: Seen) -> tuple[str, ...] | None:
    return _names(name for name in seen.expected if not _asked(name, seen.tools)) or None


def _asked(name: str, tools: Mapping[str, ToolCounts]) -> bool:
    return any(_named(name, tool) for tool in tools)


def _named(name: str, tool: str) -> bool:
    """Tell whether a name means a tool, itself or by its source: those of the source `shop` are named `shop/...`."""
    return name == tool or tool.startswith(name.removesuffix("/") + "/")


def _repeats(seen: Seen) -> tuple[str, ...] | None:
    again: dict[str, int] = {}
    for one in seen.entries:
        again[one.tool_name] = again.get(one.tool_name, 0) + max(one.repeated, one.deduped)
    return _numbered({name: number for name, number in again.items() if number})


def _not_verified(seen: Seen) -> tuple[str, ...] | None:
    unverified = any(one.cause is Cause.VERIFIER_DISABLED for one in seen.evaluations)
    return () if unverified else None


def _no_answer(seen: Seen) -> tuple[str, ...] | None:
    return None if seen.evaluations else ()


_RULES: Mapping[Rule, Callable[[Seen], tuple[str, ...] | None]] = MappingProxyType(
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


def _numbered(calls: Mapping[str, int]) -> tuple[str, ...] | None:
    by_number = sorted(calls.items(), key=lambda one: (-one[1], one[0]))
    return tuple(f"{one_row(name, NAME_SHOWN)} ({number:,})" for name, number in by_number) or None


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(one_row(name, NAME_SHOWN) for name in dict.fromkeys(names))
