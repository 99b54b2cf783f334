"""What is persisted of a call, by what it amounted to: successful, empty, repeated and failed calls (DESIGN 3, 4, 6).

Runs alone: a recorder over the memory store, with no model, no database server and no network.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from groundtrace import outcomes
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import (
    Basis,
    DedupReason,
    FailureKind,
    NoEvidenceReason,
    OutcomeKind,
    Support,
    failure_from,
)
from groundtrace.reading import outcome_of
from groundtrace.retrieval import Hit, Layer, Mode, Relevance, Retrieval
from groundtrace.summary import entries_of, summarize
from groundtrace_testing.recorder_bench import SESSION, RecorderBench, recorder_bench
from groundtrace_testing.settable_clock import NOON

PARAMS = {"selector": '{app="checkout"}', "limit": 200}
TOOLS = ("lookup_knowledge", "query_logs", "query_metrics")
RETRIEVAL_COLUMNS = ("retrieval_layer", "l0_count", "l1_count", "relevance_level", "retrieval_details")
HIT = Hit(uri="pool.md#mend", layer=Layer.L1, score=4.5, coverage=0.8, content_hash="ab12")
DELIVERED = Retrieval(
    layer=Layer.L1, l0_count=9, l1_count=1, relevance=Relevance.HIGH, floor=0.45, hits=(HIT,), index_revision="r7"
)
OUTCOMES: dict[str, outcomes.Outcome] = {
    "success": outcomes.Success(support=Support.DIRECT, output="3 lines"),
    "partial": outcomes.Success(support=Support.INDIRECT, output="3 lines", partial=("limit 3 reached",)),
    "empty": outcomes.NoEvidence(reason=NoEvidenceReason.EMPTY_RESULT, output=""),
    "no_match": outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH),
    "deduped": outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("inv-1",), inherited=OutcomeKind.SUCCESS),
    "failure": outcomes.Failure(kind=FailureKind.TIMEOUT, message="TimeoutError: 5 s", retryable=True),
}


@pytest.fixture
def bench() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


def persisted(
    bench: RecorderBench, outcome: outcomes.Outcome, /, *, tool: str = "query_logs", **options: Any
) -> Invocation:
    """Record one call that takes 40 ms, and return its row as the store gives it back."""
    call = bench.recorder.open(tool, PARAMS, session_id=SESSION, turn_id="turn-1", **options)
    bench.clock.advance(0.040)
    assert bench.recorder.record(call, outcome) is not None
    return bench.rows()[-1]


def persisted_retrieval(bench: RecorderBench, retrieval: Retrieval | None, outcome: outcomes.Outcome, /) -> Invocation:
    call = bench.recorder.open("lookup_knowledge", {"query": "pool exhausted"}, session_id=SESSION)
    assert bench.recorder.record_retrieval(call, retrieval, outcome) is not None
    return bench.rows()[-1]


class TestEveryRow:
    @pytest.mark.parametrize("tool", TOOLS)
    @pytest.mark.parametrize("name", OUTCOMES)
    def test_says_who_asked_what_when_and_how_long(self, bench: RecorderBench, name: str, tool: str) -> None:
        """Field case B21."""
        row = persisted(bench, OUTCOMES[name], tool=tool)
        assert (row.session_id, row.turn_id, row.seq, row.tool_name) == (SESSION, "turn-1", 1, tool)
        assert json.loads(row.input_params) == PARAMS
        assert (row.started_at, row.duration_ms) == (NOON, 40)
        assert row.topic_domain == "checkout"
        assert (row.output_preview is None) == (row.output_state is OutputState.NONE)

    @pytest.mark.parametrize("name", OUTCOMES)
    def test_gives_its_outcome_back(self, bench: RecorderBench, name: str) -> None:
        read = outcome_of(persisted(bench, OUTCOMES[name]))
        assert outcomes.kind_of(read) is outcomes.kind_of(OUTCOMES[name])
        assert read == OUTCOMES[name] or name == "empty"

    @pytest.mark.parametrize("tool", TOOLS)
    @pytest.mark.parametrize("name", OUTCOMES)
    def test_of_a_common_call_has_no_retrieval_columns(self, bench: RecorderBench, name: str, tool: str) -> None:
        row = persisted(bench, OUTCOMES[name], tool=tool)
        assert [getattr(row, column) for column in RETRIEVAL_COLUMNS] == [None] * 5

    def test_stands_behind_the_one_before_it(self, bench: RecorderBench) -> None:
        for outcome in OUTCOMES.values():
            persisted(bench, outcome)
        assert [row.seq for row in bench.rows()] == [1, 2, 3, 4, 5, 6]
        assert [row.id for row in bench.rows()] == sorted(row.id for row in bench.rows())


class TestASuccess:
    def test_keeps_its_output_and_its_support(self, bench: RecorderBench) -> None:
        row = persisted(bench, OUTCOMES["success"])
        assert (row.outcome, row.support, row.success) == (OutcomeKind.SUCCESS, Support.DIRECT, True)
        assert (row.output_preview, row.output_state, row.output_bytes) == ("3 lines", OutputState.FULL, 7)
        assert (row.reason, row.error_message, row.dedup_reason, row.partial) == (None, None, None, False)

    def test_that_is_partial_says_what_was_not_seen(self, bench: RecorderBench) -> None:
        row = persisted(bench, OUTCOMES["partial"])
        assert (row.support, row.partial) == (Support.INDIRECT, True)
        assert json.loads(row.details)["partial"] == ["limit 3 reached"]

    def test_is_one_whatever_words_stand_in_its_output(self, bench: RecorderBench) -> None:
        row = persisted(bench, outcomes.Success(support=Support.DIRECT, output="ERROR pool exhausted\n" * 400))
        assert (row.outcome, row.output_state) == (OutcomeKind.SUCCESS, OutputState.TRUNCATED)

    def test_shows_no_secret(self, bench: RecorderBench) -> None:
        secret = "Bearer " + "q7" * 20
        row = persisted(bench, outcomes.Success(support=Support.DIRECT, output=f"Authorization: {secret}"))
        assert "q7q7" not in repr(row)
        assert "[redacted" in (row.output_preview or "")


class TestAnEmptyCall:
    @pytest.mark.parametrize("reason", NoEvidenceReason)
    def test_succeeded_and_found_nothing(self, bench: RecorderBench, reason: NoEvidenceReason) -> None:
        row = persisted(bench, outcomes.NoEvidence(reason=reason))
        assert (row.outcome, row.success, row.reason) == (OutcomeKind.NO_EVIDENCE, True, reason.value)
        assert (row.support, row.error_message, row.dedup_reason) == (None, None, None)

    def test_without_output_has_a_state_and_no_blank_text(self, bench: RecorderBench) -> None:
        row = persisted(bench, OUTCOMES["empty"])
        assert (row.output_preview, row.output_state) == (None, OutputState.NONE)


class TestARepeat:
    def test_names_what_it_repeats_and_is_no_new_evidence(self, bench: RecorderBench) -> None:
        row = persisted(bench, OUTCOMES["deduped"])
        assert (row.outcome, row.success, row.support) == (OutcomeKind.DEDUPED, True, None)
        assert (row.reason, row.dedup_reason) == ("same_query", "same_query")
        details = json.loads(row.details)
        assert (details["of"], details["inherited"]) == (["inv-1"], "success")

    def test_is_counted_apart_from_an_empty_call(self, bench: RecorderBench) -> None:
        for name in ("success", "deduped", "no_match", "failure"):
            persisted(bench, OUTCOMES[name])
        (entry,) = entries_of(summarize(bench.rows()))
        assert (entry.calls, entry.successes, entry.deduped, entry.no_evidence, entry.failures) == (4, 1, 1, 1, 1)


class TestAFailure:
    def test_says_why_and_carries_nothing(self, bench: RecorderBench) -> None:
        row = persisted(bench, OUTCOMES["failure"])
        assert (row.outcome, row.success, row.reason) == (OutcomeKind.FAILURE, False, "timeout")
        assert (row.error_message, row.support, row.dedup_reason) == ("TimeoutError: 5 s", None, None)
        assert (row.output_preview, row.output_state) == (None, OutputState.NONE)

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (TimeoutError(), ["TimeoutError"]),
            (ConnectionResetError(), ["ConnectionResetError"]),
            (AssertionError(), ["AssertionError"]),
            (KeyError("pod"), ["KeyError", "pod"]),
            (RuntimeError(" \n\u200b"), ["RuntimeError"]),
            (ValueError("bad matcher"), ["ValueError", "bad matcher"]),
            (KeyboardInterrupt(), ["KeyboardInterrupt"]),
            (GeneratorExit(), ["GeneratorExit"]),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_is_explained_even_by_an_exception_without_words(
        self, bench: RecorderBench, error: BaseException, words: list[str]
    ) -> None:
        """Field case B15."""
        row = persisted(bench, failure_from(error))
        assert all(word in (row.error_message or "") for word in words)

    def test_keeps_what_came_before_it_broke(self, bench: RecorderBench) -> None:
        row = persisted(bench, failure_from(TimeoutError(), output="2 of 9 lines"))
        assert (row.success, row.output_preview, row.support) == (False, "2 of 9 lines", None)


class TestARetrieval:
    def test_that_delivered_keeps_its_counts_layer_and_hits(self, bench: RecorderBench) -> None:
        row = persisted_retrieval(bench, DELIVERED, OUTCOMES["success"])
        assert (row.retrieval_layer, row.l0_count, row.l1_count) == (Layer.L1, 9, 1)
        assert (row.relevance_level, row.support) == (Relevance.HIGH, Support.DIRECT)
        told = json.loads(row.retrieval_details or "")
        assert told["hits"][0]["uri"] == "pool.md#mend"
        assert (told["mode"], told["floor"], told["index_revision"]) == (Mode.SEARCH, 0.45, "r7")

    def test_below_the_floor_keeps_what_it_considered(self, bench: RecorderBench) -> None:
        considered = Retrieval(l0_count=4, relevance=Relevance.LOW, floor=0.45)
        row = persisted_retrieval(bench, considered, outcomes.NoEvidence(reason=NoEvidenceReason.BELOW_RELEVANCE))
        assert (row.retrieval_layer, row.l0_count, row.l1_count) == (Layer.NONE, 4, 0)
        assert (row.reason, row.success) == ("below_relevance", True)

    def test_that_repeats_is_deduped_and_keeps_its_columns(self, bench: RecorderBench) -> None:
        row = persisted_retrieval(bench, DELIVERED, OUTCOMES["deduped"])
        assert (row.outcome, row.dedup_reason, row.l0_count) == (OutcomeKind.DEDUPED, "same_query", 9)

    def test_that_failed_before_the_search_has_none(self, bench: RecorderBench) -> None:
        row = persisted_retrieval(bench, None, OUTCOMES["failure"])
        assert [getattr(row, column) for column in RETRIEVAL_COLUMNS] == [None] * 5
        assert (row.tool_name, row.success) == ("lookup_knowledge", False)

    def test_is_declared_and_never_guessed(self, bench: RecorderBench) -> None:
        assert persisted_retrieval(bench, DELIVERED, OUTCOMES["success"]).basis is Basis.DECLARED
