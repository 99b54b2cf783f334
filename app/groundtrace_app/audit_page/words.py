"""The words and colours that the parts of the page share: kinds of sessions, outcomes of calls, grades, times."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from groundtrace.audit_counts import ToolCounts
from groundtrace.audit_rules import Grade
from groundtrace.audit_totals import Audited, is_told
from groundtrace.entries import EvidenceLevel
from groundtrace_app.audit_page.charts import Part

GRADE_MARKS: Mapping[Grade | None, str] = MappingProxyType(
    {Grade.GRAVE: "\u25a0", Grade.GAP: "\u25b2", Grade.NOTE: "\u25cb", None: "\u2713"}
)
GRADE_WORDS: Mapping[Grade | None, str] = MappingProxyType(
    {
        Grade.GRAVE: "no ground",
        Grade.GAP: "silent gap",
        Grade.NOTE: "note",
        None: "nothing found",
    }
)
LEVEL_WORDS: Mapping[EvidenceLevel, str] = MappingProxyType(
    {
        EvidenceLevel.NONE: "nothing",
        EvidenceLevel.INDIRECT: "hints",
        EvidenceLevel.DIRECT: "direct evidence",
    }
)


def session_parts(found: Audited, /) -> tuple[Part, ...]:
    """Return the sessions by what they rest on, the least first."""
    bare = found.grades.get(Grade.GRAVE, 0)
    return (
        Part(kind="bare", name="rest on nothing, and state something all the same", number=bare),
        Part(kind="none", name="rest on nothing", number=found.levels.get(EvidenceLevel.NONE, 0) - bare),
        Part(kind="hint", name="rest on hints", number=found.levels.get(EvidenceLevel.INDIRECT, 0)),
        Part(kind="firm", name="rest on direct evidence", number=found.levels.get(EvidenceLevel.DIRECT, 0)),
    )


def outcome_parts(counts: ToolCounts, /) -> tuple[Part, ...]:
    """Return the calls by what they amounted to."""
    return (
        Part(kind="found", name="found something", number=counts.successes),
        Part(kind="empty", name="came back empty", number=counts.no_evidence),
        Part(kind="again", name="repeated another", number=counts.deduped),
        Part(kind="failed", name="failed", number=counts.failures),
    )


def sessions_words(number: int, /) -> str:
    """Return `1 session`, `1,200 sessions`."""
    return f"{number:,} session{'' if number == 1 else 's'}"


def calls_words(number: int, /) -> str:
    """Return `1 call`, `1,200 calls`."""
    return f"{number:,} call{'' if number == 1 else 's'}"


def span_words(first: datetime | None, last: datetime | None, /) -> str:
    """Return from when to when, to the minute; nothing where no time is known."""
    if first is None or last is None or not is_told(last):
        return ""
    if not is_told(first):
        return f"until {_minute(last)} UTC"
    begin, end = _minute(first), _minute(last)
    if begin == end:
        return f"{begin} UTC"
    return f"{begin} to {end[11:] if begin[:10] == end[:10] else end} UTC"


def _minute(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(" ", "minutes")
