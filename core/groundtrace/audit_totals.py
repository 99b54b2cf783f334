"""Any number of audited sessions in bounded room: all of them counted, those that rest on the least kept in full."""

import heapq
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from groundtrace.audit import SessionAudit, least_first
from groundtrace.audit_counts import ToolCounts
from groundtrace.audit_rules import Grade, Rule
from groundtrace.entries import EvidenceLevel

TOOLS_NAMED = 500
"""So many tools are counted by name; the calls of further ones are counted together."""

OTHER_TOOLS = "(other tools)"

MANY_CALLS = 10
"""A tool that found nothing in so many calls is perhaps no search at all, or never works."""

UNTIMED_YEAR = 1970
"""Calls of which nothing tells a time stand here: no time is better than a wrong one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What an audit found: `sessions` are those kept, the least first; everything else counts all sessions.

    `grades` counts each session once, by its gravest finding.

    `first_at` and `last_at` are of sessions whose time is told; of `undated` ones it is not, and if `undated_left_out`
    they are not among the audited, since they lie in no span of time.

    `unreadable` says of each session that could not be read which one and why, the first of them by name.
    """

    sessions: tuple[SessionAudit, ...] = ()
    number: int = 0
    levels: Mapping[EvidenceLevel, int] = field(default_factory=dict)
    grades: Mapping[Grade, int] = field(default_factory=dict)
    rules: Mapping[Rule, int] = field(default_factory=dict)
    tools: Mapping[str, ToolCounts] = field(default_factory=dict)
    first_at: datetime | None = None
    last_at: datetime | None = None
    unreadable: tuple[str, ...] = ()
    unreadable_number: int = 0
    undated: int = 0
    undated_left_out: bool = False

    @property
    def left_out(self) -> int:
        """Return how many sessions are counted and not kept."""
        return self.number - len(self.sessions)

    @property
    def total(self) -> ToolCounts:
        """Return the counts of all calls."""
        return sum(self.tools.values(), ToolCounts())

    @property
    def silent_tools(self) -> Mapping[str, int]:
        """Return the tools that found nothing in any of their many calls, with the number of them."""
        return {
            name: one.calls
            for name, one in self.tools.items()
            if one.no_evidence >= MANY_CALLS and not one.successes and name != OTHER_TOOLS
        }

    def broken(self, rules: Collection[Rule], /) -> Mapping[Rule, int]:
        """Return which of these rules hold for any session, and for how many."""
        return {rule: self.rules[rule] for rule in Rule if rule in rules and self.rules.get(rule)}


class AuditTotals:
    """Takes one audit after another; keeps `most` of them in full."""

    def __init__(self, *, most: int) -> None:
        """Hold nothing yet."""
        self._most = most
        self._kept: list[tuple[_Backwards, int, SessionAudit]] = []
        self._number = 0
        self._levels: dict[EvidenceLevel, int] = {}
        self._grades: dict[Grade, int] = {}
        self._rules: dict[Rule, int] = {}
        self._tools: dict[str, ToolCounts] = {}
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._undated = 0

    @property
    def number(self) -> int:
        """Return how many were taken."""
        return self._number

    def take(self, audit: SessionAudit, /) -> None:
        """Count one session, and keep it while it is among those that rest on the least."""
        self._number += 1
        self._levels[audit.level] = self._levels.get(audit.level, 0) + 1
        if audit.grade is not None:
            self._grades[audit.grade] = self._grades.get(audit.grade, 0) + 1
        for one in audit.findings:
            self._rules[one.rule] = self._rules.get(one.rule, 0) + 1
        for name, counts in audit.tools.items():
            known = name if name in self._tools or len(self._tools) < TOOLS_NAMED else OTHER_TOOLS
            self._tools[known] = self._tools.get(known, ToolCounts()) + counts
        self._span(audit)
        item = (_Backwards(least_first(audit)), self._number, audit)
        if len(self._kept) < self._most:
            heapq.heappush(self._kept, item)
        elif self._kept:
            heapq.heappushpop(self._kept, item)

    def _span(self, audit: SessionAudit) -> None:
        if not is_told(audit.last_at):
            self._undated += 1
            return
        if (
            is_told(audit.first_at)
            and audit.first_at is not None
            and (self._first is None or audit.first_at < self._first)
        ):
            self._first = audit.first_at
        if audit.last_at is not None and (self._last is None or audit.last_at > self._last):
            self._last = audit.last_at

    def ended(
        self, *, unreadable: tuple[str, ...] = (), unreadable_number: int = 0, undated_left_out: int = 0
    ) -> Audited:
        """Return what was found; `undated_left_out` sessions without a time were not taken."""
        kept = sorted((audit for *_, audit in self._kept), key=least_first)
        return Audited(
            sessions=tuple(kept),
            number=self._number,
            levels=MappingProxyType({level: self._levels.get(level, 0) for level in EvidenceLevel}),
            grades=MappingProxyType({grade: self._grades.get(grade, 0) for grade in Grade}),
            rules=MappingProxyType({rule: self._rules[rule] for rule in Rule if rule in self._rules}),
            tools=MappingProxyType(dict(sorted(self._tools.items(), key=lambda one: (-one[1].calls, one[0])))),
            first_at=self._first,
            last_at=self._last,
            unreadable=unreadable,
            unreadable_number=unreadable_number,
            undated=self._undated + undated_left_out,
            undated_left_out=bool(undated_left_out),
        )


def is_told(moment: datetime | None, /) -> bool:
    """Tell whether a time was recorded, and is not the one that stands for none."""
    return moment is not None and moment.year > UNTIMED_YEAR


@dataclass(frozen=True, slots=True)
class _Backwards:
    """A key in the opposite order: the heap lets the greatest go first."""

    key: tuple[int, int, float, int, int, str]

    def __lt__(self, other: "_Backwards") -> bool:
        return self.key > other.key
