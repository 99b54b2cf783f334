"""What the summary and session statements answer, turned into the core's values; pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
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


def entries_from(
    counts: Answer, supporting: Answer, errors: Answer, /, *, operation: str, session_id: str
) -> Result[tuple[EvidenceEntry, ...], StoreError]:
    """Return the entries of one session, or `corrupt` if a row has an outcome or support that is none of ours.

    `counts` holds one row an entry (the last two fields are ids of such strange rows), the others one row an item,
    in order.
    """
    for *_, outcome, support in counts:
        if outcome is not None:
            return result.Failure(unreadable(operation, "tool_invocation", "outcome", session_id, outcome))
        if support is not None:
            return result.Failure(unreadable(operation, "tool_invocation", "support", session_id, support))
    ids, messages = _grouped(supporting), _grouped(errors)
    return result.Success(tuple(_entry(row, ids, messages) for row in counts))


def session_line(row: tuple[object, ...], /) -> SessionLine:
    """Return one line of the session listing."""
    session_id, first_at, last_at, calls, decision = row
    return SessionLine(
        session_id=as_text(session_id),
        first_at=as_time(first_at),
        last_at=as_time(last_at),
        rows=as_integer(calls),
        decision=None if decision is None else as_text(decision),
    )


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
