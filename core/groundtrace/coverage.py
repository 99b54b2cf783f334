"""Which sources were asked and found something, asked and empty, failed, or never asked (DESIGN section 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind
from groundtrace.wording import asked, one_line, why_empty, why_failed

CALLS_TOLD = 5
"""How many calls of one kind a line tells one by one; the rest is a number."""

NAME_SHOWN = 120


class CoverState(StrEnum):
    """What became of a source in a turn."""

    FOUND = "found"
    EMPTY = "empty"
    FAILED = "failed"
    NEVER_ASKED = "never_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedSource:
    """A source that could have been asked: the tool that reads it, and its own name (a folder, a file, a server).

    `first_look` are parameters with which a person may ask it, for the next steps of a reply.
    """

    tool_name: str
    source_name: str
    first_look: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """One source in one turn.

    `found`, `empty`, `failed` and `repeats` tell each call of that kind in words (what was asked, what came of it).
    `line` says it all in one line.
    """

    tool_name: str
    source_name: str
    state: CoverState
    line: str
    found: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return tool and source as people read them."""
        return source_words(self.tool_name, self.source_name)


def coverage_of(rows: Sequence[Invocation], expected: Sequence[ExpectedSource], /) -> tuple[Covered, ...]:
    """Return one line a source: the expected ones in their order, then tools that were asked without being expected.

    `rows` are those of the turn and those that its Deduped rows repeat. A source that found something once is found,
    and its line still tells what was empty and what failed. One that failed and was empty is failed: an empty answer
    beside a failure shows nothing. A source whose calls were all repeats of calls that are not among `rows` is empty:
    it brought nothing new.
    """
    known = {source.tool_name for source in expected}
    others = dict.fromkeys(row.tool_name for row in rows if row.tool_name not in known)
    sources = (*expected, *(ExpectedSource(tool_name=name, source_name="") for name in others))
    by_tool: dict[str, list[Invocation]] = {}
    for row in rows:
        by_tool.setdefault(row.tool_name, []).append(row)
    return tuple(_covered(source, by_tool.get(source.tool_name, [])) for source in sources)


def source_words(tool_name: str, source_name: str, /) -> str:
    """Return `tool (source)`, or the tool alone where the source has no name of its own."""
    tool, source = one_line(tool_name, NAME_SHOWN), one_line(source_name, NAME_SHOWN)
    return f"{tool} ({source})" if source and source != tool else tool


def _covered(source: ExpectedSource, rows: Sequence[Invocation]) -> Covered:
    told = {kind: tuple(_tell(row) for row in rows if row.outcome is kind) for kind in OutcomeKind}
    state = _state(told) if rows else CoverState.NEVER_ASKED
    name = source_words(source.tool_name, source.source_name)
    return Covered(
        tool_name=source.tool_name,
        source_name=source.source_name,
        state=state,
        line=f"{name}: {_sentence(state, told)}",
        found=told[OutcomeKind.SUCCESS],
        empty=told[OutcomeKind.NO_EVIDENCE],
        failed=told[OutcomeKind.FAILURE],
        repeats=told[OutcomeKind.DEDUPED],
    )


_STATES = (
    (OutcomeKind.SUCCESS, CoverState.FOUND),
    (OutcomeKind.FAILURE, CoverState.FAILED),
)


def _state(told: Mapping[OutcomeKind, tuple[str, ...]]) -> CoverState:
    return next((state for kind, state in _STATES if told[kind]), CoverState.EMPTY)


_HEADS = {
    CoverState.FOUND: "asked, and it found something",
    CoverState.EMPTY: "asked, and it came back empty",
    CoverState.FAILED: "asked, and it failed",
    CoverState.NEVER_ASKED: "never asked",
}
_LABELS = {
    OutcomeKind.SUCCESS: "Found",
    OutcomeKind.NO_EVIDENCE: "Empty",
    OutcomeKind.FAILURE: "Failed",
    OutcomeKind.DEDUPED: "Repeated",
}


def _sentence(state: CoverState, told: Mapping[OutcomeKind, tuple[str, ...]]) -> str:
    parts = [f"{label} {_list(told[kind])}" for kind, label in _LABELS.items() if told[kind]]
    return ". ".join((_HEADS[state], *parts)) + "."


def _list(calls: Sequence[str]) -> str:
    shown = "; ".join(dict.fromkeys(calls[:CALLS_TOLD]))
    left = len(calls) - CALLS_TOLD
    return f"{len(calls)}: {shown}" + (f"; and {left} more" if left > 0 else "")


def _tell(row: Invocation) -> str:
    part = ", only a part was seen" if row.partial and row.outcome is not OutcomeKind.FAILURE else ""
    match row.outcome:
        case OutcomeKind.NO_EVIDENCE:
            return f"{asked(row)}: {why_empty(row)}{part}"
        case OutcomeKind.FAILURE:
            return f"{asked(row)}: {why_failed(row)}"
        case OutcomeKind.DEDUPED:
            return f"{asked(row)}: asked before, nothing new"
        case OutcomeKind.SUCCESS:
            return f"{asked(row)}{part}"
