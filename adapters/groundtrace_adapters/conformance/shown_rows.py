"""Rows as a role is shown them, built from entries, series and passages: for tests of models."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from groundtrace.invocation import Invocation, OutputState
from groundtrace.material import log_lines, passage_lines, series_lines
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.retrieval import Layer
from groundtrace.roles import Shown, VerifyRequest
from groundtrace.sources import Aggregate, LogEntry, Passage, Series

DAY = "2031-05-06"
ASKED_AT = datetime(2031, 5, 6, 18, 0, tzinfo=UTC)


def at(clock: str) -> datetime:
    """Return a time of day (`16:52:03`) on the tests' day."""
    return datetime.fromisoformat(f"{DAY}T{clock}+00:00")


def entry(clock: str, text: str, /, **fields: str) -> LogEntry:
    return LogEntry(at=at(clock), text=text, origin="app.log:1", fields=fields)


def series(name: str, points: Mapping[str, float], /, **labels: str) -> Series:
    return Series(name=name, labels=labels, points=tuple((at(clock), value) for clock, value in points.items()))


def passage(title: str, heading: str, text: str) -> Passage:
    entry_name = f"{title.lower().replace(' ', '-')}.md"
    uri = f"{entry_name}#{heading.lower()}"
    return Passage(
        uri=uri,
        entry=entry_name,
        title=title,
        abstract="",
        heading=heading,
        text=text,
        layer=Layer.L1,
        score=1.0,
        coverage=0.8,
        content_hash="0" * 64,
    )


def logs_shown(
    label: str, entries: Sequence[LogEntry], /, *, partial: bool = False, params: Mapping[str, object] | None = None
) -> Shown:
    return shown(label, "query_logs", log_lines(entries), params=params or {}, partial=partial)


def series_shown(
    label: str, found: Sequence[Series], /, *, partial: bool = False, params: Mapping[str, object] | None = None
) -> Shown:
    return shown(label, "query_metrics", series_lines(found, Aggregate.LAST), params=params or {}, partial=partial)


def knowledge_shown(label: str, passages: Sequence[Passage], /) -> Shown:
    return shown(label, "lookup_knowledge", passage_lines(passages), params={"query": "words"}, partial=False)


def shown(
    label: str,
    tool: str,
    text: str,
    /,
    *,
    params: Mapping[str, object],
    partial: bool,
    outcome: OutcomeKind = OutcomeKind.SUCCESS,
) -> Shown:
    support = (Support.INDIRECT if partial else Support.DIRECT) if outcome is OutcomeKind.SUCCESS else None
    row = Invocation(
        session_id="s",
        id=f"id-{label}",
        turn_id="t",
        seq=0,
        tool_name=tool,
        topic_domain="general",
        outcome=outcome,
        support=support,
        reason=None,
        partial=partial,
        basis=Basis.DECLARED,
        input_params=json.dumps(params),
        input_fingerprint="f",
        started_at=ASKED_AT,
        duration_ms=3,
        success=outcome is not OutcomeKind.FAILURE,
        output_preview=text,
        output_state=OutputState.FULL,
        output_bytes=len(text),
        output_sha256=None,
        error_message=None,
        retrieval_layer=None,
        l0_count=None,
        l1_count=None,
        relevance_level=None,
        retrieval_details=None,
        dedup_reason=None,
        details="{}",
    )
    return Shown(label=label, row=row, text=text, whole=True)


def to_verify(question: str, answer: str, rows: Sequence[Shown], /) -> VerifyRequest:
    return VerifyRequest(
        question=question, answer=answer, shown=tuple(rows), coverage=(), earlier=(), prompt="", version="1", sha256="0"
    )
