"""What the summary and session statements answer, turned into the core's values; pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TypeAlias

from returns import result
from returns.result import Result

from groundtrace.entries import EvidenceEntry, EvidenceLevel
from groundtrace.ports import SessionLine, StoreError
from groundtrace_adapters.stores.plain_values import as_integer, as_text, as_time
from groundtrace_adapters.stores.record_codec import unreadable

Answer: TypeAlias = Sequence[tuple[object, ...]]
"""Rows as a database driver gives them."""

_LEVELS = (EvidenceLevel.NONE, EvidenceLevel.INDIRECT, EvidenceLevel.DIRECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryAnswers:
    """What the three statements of a summary answered.

    `counts` holds one row an entry, whose last two fields are ids of rows with an outcome or support that is none of
    ours; the others hold one row an item, in order.
    """

    counts: Answer
    supporting: Answer
    errors: Answer


def plain_counts(answers: SummaryAnswers, /) -> SummaryAnswers:
    """Return answers over rows of ours, whose fingerprints came in one line, with the repeated calls counted."""
    counts = [(*row[:9], _repeated(as_text(row[9])), *row[10:], None, None) for row in answers.counts]
    return replace(answers, counts=counts)


def entries_from(
    answers: SummaryAnswers, /, *, operation: str, session_id: str
) -> Result[tuple[EvidenceEntry, ...], StoreError]:
    """Return the entries, sorted by tool and topic, or `corrupt` if a row has an outcome or support that is not ours.

    `session_id` is for the message: the session's, or words for several.
    """
    for *_, outcome, support in answers.counts:
        if outcome is not None:
            return result.Failure(unreadable(operation, "tool_invocation", "outcome", session_id, outcome))
        if support is not None:
            return result.Failure(unreadable(operation, "tool_invocation", "support", session_id, support))
    ids, messages = _grouped(answers.supporting), _grouped(answers.errors)
    return result.Success(tuple(_entry(row, ids, messages) for row in sorted(answers.counts, key=itemgetter(0, 1))))


def session_line(row: tuple[object, ...], /) -> SessionLine:
    """Return one line of the session listing."""
    session_id, first_at, last_at, calls, decision, *_ = row
    return SessionLine(
        session_id=as_text(session_id),
        first_at=as_time(first_at),
        last_at=as_time(last_at),
        rows=as_integer(calls),
        decision=None if decision is None else as_text(decision),
    )


def _repeated(fingerprints: str) -> int:
    return sum(count for count in Counter(fingerprints.split(" ")).values() if count > 1)


_Grouped: TypeAlias = "dict[tuple[str, str], list[str]]"


def _grouped(rows: Iterable[tuple[object, ...]]) -> _Grouped:
    groups: _Grouped = defaultdict(list)
    for tool, topic, item in rows:
        groups[as_text(tool), as_text(topic)].append(as_text(item))
    return groups


def _entry(row: tuple[object, ...], ids: _Grouped, messages: _Grouped) -> EvidenceEntry:
    tool, topic = as_text(row[0]), as_text(row[1])
    level, calls, successes, failures, no_evidence, deduped, partial, repeated = map(as_integer, row[2:10])
    return EvidenceEntry(
        tool_name=tool,
        topic_domain=topic,
        level=_LEVELS[level],
        calls=calls,
        successes=successes,
        failures=failures,
        no_evidence=no_evidence,
        deduped=deduped,
        partial=partial,
        repeated=repeated,
        first_at=as_time(row[10]),
        last_at=as_time(row[11]),
        supporting_ids=tuple(ids.get((tool, topic), ())),
        errors=tuple(messages.get((tool, topic), ())),
    )
