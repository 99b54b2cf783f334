"""The ports of the public API, each fulfilled in the smallest way: mypy tells when a port and its adapter differ."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from returns import result
from returns.result import Result

import groundtrace

AT = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
RULES = groundtrace.RecordRules(redactor=groundtrace.Redactor(b"k" * 32))
CALL = groundtrace.ToolCall(
    session_id="inc-1", id="call-1", tool_name="query_logs", input_params={}, started_at=AT, duration_ms=3
)
MISSED = groundtrace.failure_from(TimeoutError("no answer after 30 s"))
AWAY = groundtrace.StoreError(
    fault=groundtrace.StoreFault.UNAVAILABLE, operation="append", message="no route to the store", retryable=True
)


class AwayStore:
    """A store that is never there; keeps one key."""

    def append(
        self, rows: Sequence[groundtrace.Invocation], /
    ) -> Result[tuple[groundtrace.Fate, ...], groundtrace.StoreError]:
        return result.Failure(AWAY) if rows else result.Success(())

    def rows(
        self, session_id: str, /, *, after: groundtrace.Invocation | None = None, limit: int = 1_000
    ) -> Result[tuple[groundtrace.Invocation, ...], groundtrace.StoreError]:
        return result.Failure(AWAY)

    def find(
        self, session_id: str, ids: Sequence[str], /
    ) -> Result[tuple[groundtrace.Invocation, ...], groundtrace.StoreError]:
        return result.Failure(AWAY)

    def entries(self, session_id: str, /) -> Result[tuple[groundtrace.EvidenceEntry, ...], groundtrace.StoreError]:
        return result.Failure(AWAY)

    def entries_within(
        self, scope: groundtrace.SummaryScope, /, *, most: int = 0
    ) -> Result[tuple[groundtrace.EvidenceEntry, ...], groundtrace.StoreError]:
        return result.Failure(AWAY)

    def sessions(
        self, *, before: groundtrace.SessionLine | None = None, limit: int = 100
    ) -> Result[tuple[groundtrace.SessionLine, ...], groundtrace.StoreError]:
        return result.Failure(AWAY)

    def save(self, evaluation: groundtrace.Evaluation, /) -> Result[groundtrace.Fate, groundtrace.StoreError]:
        return result.Failure(AWAY)

    def evaluations(
        self, session_id: str, /, *, latest: int | None = None
    ) -> Result[tuple[groundtrace.Evaluation, ...], groundtrace.StoreError]:
        return result.Failure(AWAY)

    def redaction_key(self) -> Result[bytes, groundtrace.StoreError]:
        return result.Success(bytes(32))


class Refusal:
    """The receipt of a row that is not kept."""

    def __init__(self, row: groundtrace.Invocation | groundtrace.PendingRow) -> None:
        self.row = row.finish() if isinstance(row, groundtrace.PendingRow) else row

    def wait(self, *, deadline: float) -> groundtrace.Acknowledgement:
        return groundtrace.Acknowledgement(place=groundtrace.Place.REFUSED, why="this sink keeps nothing")

    async def placed(self) -> groundtrace.Acknowledgement:
        return self.wait(deadline=0)


class NoSink:
    """Takes rows and keeps none, and says so."""

    def __init__(self) -> None:
        self._lost: dict[str, str] = {}

    def put(self, row: groundtrace.Invocation | groundtrace.PendingRow, /) -> Refusal:
        self._lost[row.id] = "this sink keeps nothing"
        return Refusal(row)

    def flush(self, session_id: str, /, *, deadline: float) -> groundtrace.Flushed:
        return groundtrace.Flushed(lost=dict(self._lost))

    def close(self, *, deadline: float) -> None:
        self._lost.clear()


class Counting:
    """Counts what it is told."""

    told = 0

    def recorded(self, receipt: groundtrace.Receipt, /, *, weight: int) -> None:
        self.told += weight

    def decided(self, evaluation: groundtrace.Evaluation, /) -> None:
        self.told += len(evaluation.cited)

    def flush(self, *, deadline: float) -> bool:
        return deadline > 0

    def close(self, *, deadline: float) -> None:
        self.told = 0


class SilentModel:
    """Answers nothing."""

    @property
    def name(self) -> str:
        return "silent"

    async def reply(
        self, request: groundtrace.ModelRequest, /
    ) -> Result[groundtrace.ModelReply, groundtrace.ModelError]:
        if isinstance(request, groundtrace.PlanRequest):
            return result.Failure(
                groundtrace.ModelError(kind=groundtrace.FailureKind.UNAVAILABLE, message="no planner")
            )
        return result.Success(groundtrace.ModelReply(text=None, model=self.name))


class EmptyKnowledge:
    """Holds no entry."""

    async def search(
        self, query: groundtrace.KnowledgeQuery, /
    ) -> Result[groundtrace.KnowledgeAnswer, groundtrace.SourceError]:
        return result.Success(groundtrace.KnowledgeAnswer(passages=(), candidates=0, coverage=0, revision="0"))

    async def fetch(self, uri: str, /) -> Result[groundtrace.Passage | None, groundtrace.SourceError]:
        return result.Success(None)

    async def describe(self) -> Result[groundtrace.Description, groundtrace.SourceError]:
        return result.Success(groundtrace.Description(name="nothing"))


class OneLineLog:
    """Holds one entry."""

    async def search(self, query: groundtrace.LogQuery, /) -> Result[groundtrace.LogAnswer, groundtrace.SourceError]:
        entry = groundtrace.LogEntry(at=AT, text="connection refused", origin="app.log:1")
        return result.Success(groundtrace.LogAnswer(entries=(entry,), scanned_entries=1, scanned_bytes=18))

    async def describe(self) -> Result[groundtrace.Description, groundtrace.SourceError]:
        return result.Success(groundtrace.Description(name="one line"))


class OnePointMetric:
    """Holds one series with one point, and only its last value."""

    async def query(
        self, query: groundtrace.MetricQuery, /
    ) -> Result[groundtrace.MetricAnswer, groundtrace.SourceError]:
        if query.aggregate is not groundtrace.Aggregate.LAST:
            return result.Failure(
                groundtrace.SourceError(kind=groundtrace.FailureKind.ERROR, message="only the last value is kept")
            )
        series = groundtrace.Series(name="up", labels={}, points=((AT, 1.0),))
        return result.Success(groundtrace.MetricAnswer(series=(series,), scanned_points=1))

    async def describe(self) -> Result[groundtrace.Description, groundtrace.SourceError]:
        return result.Success(groundtrace.Description(name="one point"))


def test_what_fulfils_a_port_is_taken_for_it() -> None:
    store = AwayStore()
    rows: groundtrace.InvocationStore = store
    evaluations: groundtrace.EvaluationStore = store
    keys: groundtrace.KeyKeeper = store
    sink: groundtrace.RowSink = NoSink()
    assert rows.sessions().failure() is AWAY
    assert evaluations.evaluations("inc-1").failure().retryable
    assert len(keys.redaction_key().unwrap()) == 32
    assert sink.flush("inc-1", deadline=1) == groundtrace.Flushed()
    telemetry: groundtrace.Telemetry = Counting()
    assert telemetry.flush(deadline=1)
    receipt: groundtrace.Receipt = sink.put(groundtrace.record(CALL, MISSED, rules=RULES))
    assert receipt.wait(deadline=1) == groundtrace.Acknowledgement(
        place=groundtrace.Place.REFUSED, why="this sink keeps nothing"
    )


def test_models_and_sources_are_awaited() -> None:
    model: groundtrace.LanguageModel = SilentModel()
    knowledge: groundtrace.KnowledgeSource = EmptyKnowledge()
    logs: groundtrace.LogSource = OneLineLog()
    metrics: groundtrace.MetricSource = OnePointMetric()

    async def ask() -> tuple[str | None, int, int, int]:
        reply = (await model.reply(groundtrace.DraftRequest(question="?", shown=()))).unwrap()
        found = (await knowledge.search(groundtrace.KnowledgeQuery(query="disk"))).unwrap()
        lines = (await logs.search(groundtrace.LogQuery(pattern="refused"))).unwrap()
        series = (await metrics.query(groundtrace.MetricQuery(selector="up"))).unwrap()
        return reply.text, len(found.passages), len(lines.entries), len(series.series)

    assert asyncio.run(ask()) == (None, 0, 1, 1)


def test_a_port_that_is_not_fulfilled_is_told_by_mypy() -> None:
    model: groundtrace.LanguageModel = NoSink()  # type: ignore[assignment]
    assert not hasattr(model, "reply")


def test_a_name_that_is_not_public_is_told_by_mypy() -> None:
    with pytest.raises(AttributeError):
        _ = groundtrace.Success  # type: ignore[attr-defined]
