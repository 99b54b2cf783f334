"""The recording half of the public API, used as a caller would: mypy holds the types, the run holds the values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import assert_type

from returns.result import Result

import groundtrace
from groundtrace import outcomes

AT = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def shop_topics(params: groundtrace.JsonValue, explicit: str | None, scope: str | None) -> str:
    return "shop" if isinstance(params, dict) else groundtrace.topic_domain(params, explicit, scope)


def read_exit_code(value: object) -> groundtrace.Outcome | None:
    return groundtrace.failure_because(groundtrace.FailureKind.ERROR, "exit 1") if value == 1 else None


POLICY: groundtrace.TopicPolicy = shop_topics
CLASSIFIER: groundtrace.Classifier = read_exit_code
RULES = groundtrace.RecordRules(redactor=groundtrace.Redactor(b"k" * 32), topic_policy=POLICY)
PASSAGE = groundtrace.Passage(
    uri="disk.md#fix",
    entry="disk.md",
    title="Disk",
    abstract="",
    heading="Fix",
    text="drop old archives",
    layer=groundtrace.Layer.L1,
    score=2.5,
    coverage=0.9,
    content_hash="h1",
)


def a_call(number: int) -> groundtrace.ToolCall:
    return groundtrace.ToolCall(
        session_id="inc-1",
        id=f"call-{number}",
        tool_name="query_logs",
        input_params={"pattern": "refused"},
        started_at=AT,
        duration_ms=groundtrace.milliseconds_from(12.4),
    )


def a_row(number: int, outcome: groundtrace.Outcome) -> groundtrace.Invocation:
    return groundtrace.record(a_call(number), outcome, rules=RULES)


def test_a_call_may_wait_and_have_its_row_built_elsewhere() -> None:
    found = outcomes.Success(support=groundtrace.Support.DIRECT, output="connection refused")
    waiting = groundtrace.pending(a_call(1), found, rules=RULES)
    assert_type(waiting, groundtrace.PendingRow)
    assert waiting.finish() == a_row(1, found)
    searched = groundtrace.pending_retrieval(a_call(1), None, found, rules=RULES)
    assert searched.finish() == groundtrace.record_retrieval(a_call(1), None, found, rules=RULES)


def test_every_outcome_becomes_a_row_and_comes_back() -> None:
    output: groundtrace.Output = "connection refused"
    all_four: tuple[groundtrace.Outcome, ...] = (
        outcomes.Success(support=groundtrace.Support.DIRECT, output=output),
        outcomes.NoEvidence(reason=groundtrace.NoEvidenceReason.NO_MATCH),
        groundtrace.deduped_from(groundtrace.DedupReason.SAME_QUERY, ("call-1",)),
        groundtrace.failure_from(TimeoutError("no answer after 30 s")),
    )
    rows = [a_row(number, outcome) for number, outcome in enumerate(all_four)]
    assert_type(rows, list[groundtrace.Invocation])
    assert [groundtrace.kind_of(outcome) for outcome in all_four] == list(groundtrace.OutcomeKind)
    assert [groundtrace.outcome_of(row) for row in rows] == list(all_four)
    assert rows[0].output_state is groundtrace.OutputState.FULL
    assert rows[0].basis is groundtrace.Basis.DECLARED
    assert sorted(rows, key=groundtrace.row_order) == rows
    assert len({groundtrace.row_digest(row) for row in rows}) == 4
    assert groundtrace.row_from_json(groundtrace.row_to_json(rows[0])).unwrap() == rows[0]


def test_plain_values_and_rows_of_others_are_classified() -> None:
    assert_type(groundtrace.classify_output([]), groundtrace.Outcome)
    assert groundtrace.kind_of(CLASSIFIER(1) or groundtrace.classify_output(1)) is groundtrace.OutcomeKind.FAILURE
    assert groundtrace.kind_of(groundtrace.classify_foreign(success=None)) is groundtrace.OutcomeKind.NO_EVIDENCE
    assert groundtrace.duration_from(AT, AT) == (0, False)
    assert groundtrace.whole_redacted("the whole text", RULES.redactor) == "the whole text"


def test_a_line_from_another_language_is_parsed_or_a_problem() -> None:
    parsed = groundtrace.parse_record("{}", fallback_id="call-1")
    assert_type(parsed, Result[groundtrace.RecordInput, groundtrace.Problem])
    assert parsed.failure().line()
    assert groundtrace.record_schema()["type"] == "object"


def test_a_lookup_is_delivered_by_relevance() -> None:
    answer = groundtrace.KnowledgeAnswer(passages=(PASSAGE,), candidates=1, coverage=0.9, revision="r1")
    retrieval, passages = groundtrace.deliver(answer)
    assert_type(retrieval, groundtrace.Retrieval)
    assert retrieval.relevance is groundtrace.relevance_of(0.9) is groundtrace.Relevance.HIGH
    assert groundtrace.CUT_OFFS[-1][1] == groundtrace.FLOOR
    outcome = groundtrace.retrieval_outcome(groundtrace.recount(retrieval, passages), PASSAGE.text)
    row = groundtrace.record_retrieval(a_call(1), retrieval, outcome, rules=RULES)
    assert (row.retrieval_layer, row.support) == (groundtrace.Layer.L1, groundtrace.Support.DIRECT)
    hit: groundtrace.Hit = retrieval.hits[0]
    fetched, _ = groundtrace.deliver_fetched(PASSAGE, revision="r1")
    assert (hit.uri, fetched.mode) == (PASSAGE.uri, groundtrace.Mode.ADDRESS)


def test_a_repeat_is_decided_from_the_session_so_far() -> None:
    key = groundtrace.dedup_key("lookup_knowledge", "inc-1", {"query": "disk"}, revision="r1")
    earlier = groundtrace.EarlierCall(id="call-1", key=key, outcome=groundtrace.OutcomeKind.SUCCESS)
    assert_type(groundtrace.decide_repeat([earlier], key=key), groundtrace.Run | groundtrace.Repeat)
    given: Mapping[tuple[str, str], str] = {groundtrace.document_key(PASSAGE): "call-1"}
    assert groundtrace.decide_repeat([], key=key) == groundtrace.Run()
    assert isinstance(groundtrace.decide_repeat([earlier], key=key), groundtrace.Repeat)
    assert groundtrace.split_seen([PASSAGE], given=given) == ((), ("call-1",))


def test_rows_are_summed_up_in_any_order() -> None:
    rows = [a_row(number, groundtrace.failure_from(TimeoutError())) for number in range(2)]
    builder = groundtrace.SummaryBuilder()
    builder.add(rows[0])
    summary: groundtrace.Summary = groundtrace.merge(builder.freeze(), groundtrace.summarize(rows[1:]))
    assert groundtrace.merge(groundtrace.EMPTY, summary) == groundtrace.summarize(reversed(rows))
    entries = groundtrace.entries_of(summary)
    assert_type(entries, tuple[groundtrace.EvidenceEntry, ...])
    assert entries[0].level is groundtrace.EvidenceLevel.NONE
    assert "2" in groundtrace.describe_entry(entries[0])
