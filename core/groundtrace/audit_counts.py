"""What became of calls, counted: by tool in one session, and over any number of sessions in bounded room."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from groundtrace.entries import ERRORS_KEPT, EvidenceEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCounts:
    """What became of a tool's calls; `errors` are its distinct error messages, the first few."""

    calls: int = 0
    successes: int = 0
    no_evidence: int = 0
    deduped: int = 0
    failures: int = 0
    errors: tuple[str, ...] = ()

    def __add__(self, other: "ToolCounts") -> "ToolCounts":
        """Return both as one."""
        return ToolCounts(
            calls=self.calls + other.calls,
            successes=self.successes + other.successes,
            no_evidence=self.no_evidence + other.no_evidence,
            deduped=self.deduped + other.deduped,
            failures=self.failures + other.failures,
            errors=tuple(dict.fromkeys((*self.errors, *other.errors)))[:ERRORS_KEPT],
        )


def counts_by_tool(entries: Sequence[EvidenceEntry], /) -> Mapping[str, ToolCounts]:
    """Return the counts of each tool, in the order of the entries."""
    tools: dict[str, ToolCounts] = {}
    for one in entries:
        counts = ToolCounts(
            calls=one.calls,
            successes=one.successes,
            no_evidence=one.no_evidence,
            deduped=one.deduped,
            failures=one.failures,
            errors=one.errors,
        )
        tools[one.tool_name] = tools.get(one.tool_name, ToolCounts()) + counts
    return MappingProxyType(tools)
