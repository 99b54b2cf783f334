"""Summary of 1,000,000 rows, at once and one by one, against a loop over mutable lists for the same fields."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import process_time

from groundtrace.entries import ERROR_TEXT_CHARACTERS, ERRORS_KEPT, EvidenceEntry, EvidenceLevel
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.summary import SummaryBuilder, entries_of, summarize

ROWS = 1_000_000
ROUNDS = 3
_START = datetime(2026, 1, 1, tzinfo=UTC)
_KINDS = (OutcomeKind.SUCCESS, OutcomeKind.SUCCESS, OutcomeKind.NO_EVIDENCE, OutcomeKind.FAILURE, OutcomeKind.DEDUPED)
_TOOLS = ("lookup_knowledge", "query_logs", "query_metrics")


@dataclass(slots=True)
class _Line:
    """One entry of the loop it is measured against: everything mutable, nothing kept a row but what must be."""

    ids: set[tuple[str, str]] = field(default_factory=set)
    outcomes: dict[OutcomeKind, int] = field(default_factory=lambda: dict.fromkeys(OutcomeKind, 0))
    partial: int = 0
    direct: bool = False
    fingerprints: dict[str, int] = field(default_factory=dict)
    first: datetime | None = None
    last: datetime | None = None
    supporting: list[tuple[datetime, int, str]] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    first_errors: dict[str, datetime] = field(default_factory=dict)


def main() -> None:
    """Print both times and their ratio, the smallest of some rounds each."""
    rows = [_row(number) for number in range(ROWS)]
    assert loop(rows) == entries_of(summarize(rows)), "both must say the same"
    # In turns and in CPU time, so that a neighbour on the machine disturbs both alike.
    times = [tuple(_timed(work, rows) for work in (_at_once, loop, _row_by_row, _lines)) for _ in range(ROUNDS)]
    core, plain, added, kept = (min(column) for column in zip(*times, strict=True))
    print(f"summary of {ROWS:,} rows: core {core:.2f} s, mutable loop {plain:.2f} s, ratio {core / plain:.2f}")
    one, other = (took / ROWS * 1e6 for took in (added, kept))
    print(f"one more row: running summary {one:.2f} us, mutable loop {other:.2f} us, ratio {one / other:.2f}")


def _at_once(rows: Sequence[Invocation]) -> object:
    return entries_of(summarize(rows))


def _row_by_row(rows: Sequence[Invocation]) -> object:
    builder = SummaryBuilder()
    for row in rows:
        builder.add(row)
    return builder


def loop(rows: Sequence[Invocation], /) -> tuple[EvidenceEntry, ...]:
    """Return the entries as a plain loop over mutable lines computes them, each row taken once by its key."""
    lines = _lines(rows)
    return tuple(_entry(group, lines[group]) for group in sorted(lines))


def _lines(rows: Sequence[Invocation]) -> dict[tuple[str, str], _Line]:
    lines: dict[tuple[str, str], _Line] = {}
    for row in rows:
        group = (row.tool_name, row.topic_domain)
        line = lines.get(group)
        if line is None:
            line = lines[group] = _Line()
        key = (row.session_id, row.id)
        if key in line.ids:
            continue
        line.ids.add(key)
        _take(line, row)
    return lines


def _take(line: _Line, row: Invocation) -> None:
    at = row.started_at
    line.outcomes[row.outcome] += 1
    line.fingerprints[row.input_fingerprint] = line.fingerprints.get(row.input_fingerprint, 0) + 1
    if row.partial:
        line.partial += 1
    if line.first is None or at < line.first:
        line.first = at
    if line.last is None or at > line.last:
        line.last = at
    if row.outcome is OutcomeKind.SUCCESS:
        line.supporting.append((at, row.seq, row.id))
        if row.support is Support.DIRECT:
            line.direct = True
    elif row.outcome is OutcomeKind.FAILURE and row.error_message is not None:
        text = row.error_message[:ERROR_TEXT_CHARACTERS]
        line.errors[text] = line.errors.get(text, 0) + 1
        line.first_errors[text] = min(at, line.first_errors.get(text, at))


def _entry(group: tuple[str, str], line: _Line) -> EvidenceEntry:
    assert line.first is not None and line.last is not None
    successes = line.outcomes[OutcomeKind.SUCCESS]
    found = EvidenceLevel.DIRECT if line.direct else EvidenceLevel.INDIRECT
    ranked = sorted(line.errors, key=lambda text: (-line.errors[text], line.first_errors[text], text))
    return EvidenceEntry(
        tool_name=group[0],
        topic_domain=group[1],
        level=found if successes else EvidenceLevel.NONE,
        calls=len(line.ids),
        successes=successes,
        failures=line.outcomes[OutcomeKind.FAILURE],
        no_evidence=line.outcomes[OutcomeKind.NO_EVIDENCE],
        deduped=line.outcomes[OutcomeKind.DEDUPED],
        partial=line.partial,
        repeated=sum(count for count in line.fingerprints.values() if count > 1),
        first_at=line.first,
        last_at=line.last,
        supporting_ids=tuple(place[2] for place in sorted(line.supporting)),
        errors=tuple(ranked[:ERRORS_KEPT]),
    )


def _timed(work: Callable[[Sequence[Invocation]], object], rows: Sequence[Invocation]) -> float:
    gc.collect()
    begin = process_time()
    work(rows)
    return process_time() - begin


def _row(number: int) -> Invocation:
    kind = _KINDS[number % len(_KINDS)]
    failed = kind is OutcomeKind.FAILURE
    return Invocation(
        session_id=f"team/{number // 1_000}",
        id=f"call-{number:07d}",
        turn_id=None,
        seq=number % 1_000,
        tool_name=_TOOLS[number % len(_TOOLS)],
        topic_domain=f"service-{number % 97}",
        outcome=kind,
        support=(Support.DIRECT if number % 3 else Support.INDIRECT) if kind is OutcomeKind.SUCCESS else None,
        reason="timeout" if failed else None,
        partial=number % 11 == 0,
        basis=Basis.DECLARED,
        input_params="{}",
        input_fingerprint=f"{number // 2:064x}",
        started_at=_START + timedelta(milliseconds=number * 7919 % 86_400_000),
        duration_ms=5,
        success=not failed,
        output_preview=None,
        output_state=OutputState.NONE,
        output_bytes=None,
        output_sha256=None,
        error_message=f"TimeoutError: {number % 7} s" if failed else None,
        retrieval_layer=None,
        l0_count=None,
        l1_count=None,
        relevance_level=None,
        retrieval_details=None,
        dedup_reason=None,
        details="{}",
    )


if __name__ == "__main__":
    main()
