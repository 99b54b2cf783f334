"""The trace summary's rules (DESIGN sections 7, 11): success, failure, no hit and repeat, in whatever order they come.

Runs alone: rows made by the recorder's own builders, kept in memory, summed up by the service.
"""

import functools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.entries import EvidenceEntry, EvidenceLevel
from groundtrace.invocation import Invocation, ToolCall
from groundtrace.outcomes import DedupReason, FailureKind, NoEvidenceReason, Support
from groundtrace.ports import StoreError, StoreFault
from groundtrace.recording import RecordRules, record
from groundtrace.redaction import Redactor
from groundtrace.summary import describe_entry, entries_of, merge, summarize
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.trace_summary import PAGE_ROWS, ToolTraceSummaryService, read_rows, repeated_ids

SESSION = "shop/night"
BEGIN = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
RULES = RecordRules(redactor=Redactor(bytes(range(32))))

FOUND = outcomes.Success(support=Support.DIRECT, output="03:00:01 checkout refused")
HINT = outcomes.Success(support=Support.INDIRECT, output="03:00:01 refused", partial=("2 files were not read",))
NOTHING = outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH)
BROKE = outcomes.Failure(kind=FailureKind.TIMEOUT, message="no answer within 30 s", retryable=True)


def row(
    number: int,
    outcome: outcomes.Outcome,
    /,
    *,
    tool: str = "query_logs",
    topic: str = "checkout",
    pattern: str | None = None,
    session: str = SESSION,
) -> Invocation:
    """The row of call `c-NUMBER`, made NUMBER seconds after three; each asks something else unless told."""
    call = ToolCall(
        session_id=session,
        id=f"c-{number:05}",
        tool_name=tool,
        input_params={"pattern": pattern or f"p{number}"},
        started_at=BEGIN + timedelta(seconds=number),
        duration_ms=7,
        seq=number,
        topic_domain=topic,
    )
    return record(call, outcome, rules=RULES)


def repeat(number: int, /, *of: int, **more: str) -> Invocation:
    """The row of a call that repeats others."""
    first = tuple(f"c-{one:05}" for one in of)
    return row(number, outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=first), **more)


def kept(rows: Sequence[Invocation]) -> MemoryStore:
    """A store that holds these rows."""
    store = MemoryStore()
    store.append(rows).unwrap()
    return store


def summed_up(*rows: Invocation) -> tuple[EvidenceEntry, ...]:
    """What the service makes of these rows."""
    return ToolTraceSummaryService(kept(rows)).session(SESSION).unwrap()


def test_mixed_calls_of_one_topic_are_one_entry_that_counts_each_kind_apart() -> None:
    (entry,) = summed_up(row(1, FOUND), row(2, BROKE), row(3, NOTHING), repeat(4, 1), row(5, HINT))
    assert (entry.tool_name, entry.topic_domain) == ("query_logs", "checkout")
    counts = (entry.calls, entry.successes, entry.failures, entry.no_evidence, entry.deduped, entry.partial)
    assert counts == (5, 2, 1, 1, 1, 1)
    assert entry.level is EvidenceLevel.DIRECT
    assert entry.supporting_ids == ("c-00001", "c-00005")
    assert entry.errors == ("no answer within 30 s",)
    assert (entry.first_at, entry.last_at) == (BEGIN + timedelta(seconds=1), BEGIN + timedelta(seconds=5))


def test_a_failed_search_an_empty_one_and_a_refused_repeat_are_three_things() -> None:
    failed = summed_up(row(1, BROKE))[0]
    empty = summed_up(row(1, NOTHING))[0]
    repeated = summed_up(repeat(1, 9))[0]
    assert [one.level for one in (failed, empty, repeated)] == [EvidenceLevel.NONE] * 3
    assert len({describe_entry(one) for one in (failed, empty, repeated)}) == 3
    assert (failed.failures, empty.failures, repeated.failures) == (1, 0, 0)
    assert (failed.no_evidence, empty.no_evidence, repeated.no_evidence) == (0, 1, 0)
    assert (failed.deduped, empty.deduped, repeated.deduped) == (0, 0, 1)


def test_a_repeat_of_a_success_raises_no_level_and_supports_nothing() -> None:
    knowledge = "lookup_knowledge"
    first, again = summed_up(row(1, FOUND, tool=knowledge, topic="pool"), repeat(2, 1, tool=knowledge, topic="pools"))
    assert (first.level, first.supporting_ids) == (EvidenceLevel.DIRECT, ("c-00001",))
    assert (again.level, again.supporting_ids) == (EvidenceLevel.NONE, ())


def test_tool_and_topic_keep_evidence_apart() -> None:
    rows = (row(1, FOUND), row(2, NOTHING, topic="billing"), row(3, BROKE, tool="query_metrics"))
    assert [(one.tool_name, one.topic_domain, one.level) for one in summed_up(*rows)] == [
        ("query_logs", "billing", EvidenceLevel.NONE),
        ("query_logs", "checkout", EvidenceLevel.DIRECT),
        ("query_metrics", "checkout", EvidenceLevel.NONE),
    ]


def test_a_failure_is_told_beside_a_success() -> None:
    words = describe_entry(summed_up(row(1, FOUND), row(2, BROKE))[0])
    assert "DIRECT" in words
    assert "no answer within 30 s" in words


def test_an_unknown_session_has_no_entries() -> None:
    assert ToolTraceSummaryService(kept([row(1, FOUND)])).session("another").unwrap() == ()


OUTCOMES: tuple[outcomes.Outcome, ...] = (
    FOUND,
    HINT,
    NOTHING,
    BROKE,
    outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("c-00000",)),
)
MIXED = st.lists(
    st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(["checkout", "billing"]), st.sampled_from(["same", None])),
    max_size=12,
).map(
    lambda drawn: [
        row(number, outcome, topic=topic, pattern=pattern) for number, (outcome, topic, pattern) in enumerate(drawn)
    ]
)


@given(st.data(), MIXED, st.integers(0, 12))
def test_rows_may_be_merged_in_any_order_and_any_parts(data: st.DataObject, rows: list[Invocation], cut: int) -> None:
    shuffled = data.draw(st.permutations(rows))
    merged = merge(summarize(shuffled[:cut]), merge(summarize(shuffled[cut:]), summarize(rows)))
    assert entries_of(merged) == summed_up(*rows)


def test_a_turn_has_its_own_rows_those_they_repeat_and_the_rest_as_earlier() -> None:
    rows = [row(1, FOUND), row(2, NOTHING, topic="billing"), repeat(3, 1), row(4, BROKE)]
    trace = ToolTraceSummaryService(kept(rows)).turn(SESSION, ["c-00003", "c-00004"]).unwrap()
    assert [one.id for one in trace.rows] == ["c-00003", "c-00004"]
    assert [one.id for one in trace.repeated] == ["c-00001"]
    assert [(one.topic_domain, one.no_evidence) for one in trace.earlier] == [("billing", 1)]


def test_a_row_that_another_session_owns_is_no_part_of_a_turn() -> None:
    store = kept([row(1, FOUND, session="stranger"), repeat(2, 1)])
    trace = ToolTraceSummaryService(store).turn(SESSION, ["c-00001", "c-00002"]).unwrap()
    assert [one.id for one in trace.rows] == ["c-00002"]
    assert trace.repeated == ()


def test_a_repeat_inside_the_turn_is_not_named_twice() -> None:
    trace = ToolTraceSummaryService(kept([row(1, FOUND), repeat(2, 1)])).turn(SESSION, ["c-00001", "c-00002"]).unwrap()
    assert [one.id for one in trace.rows] == ["c-00001", "c-00002"]
    assert (trace.repeated, trace.earlier) == ((), ())


def test_only_a_repeat_refers_to_other_calls() -> None:
    assert repeated_ids(repeat(3, 1, 2)) == ("c-00001", "c-00002")
    assert repeated_ids(row(1, FOUND)) == ()


@functools.cache
def rows_of_pages() -> tuple[Sequence[Invocation], MemoryStore]:
    """Rows of two whole pages and a little, and the store that holds them."""
    rows = [row(number, FOUND) for number in range(2 * PAGE_ROWS + 3)]
    return rows, kept(rows)


@pytest.mark.parametrize("most", [0, 1, PAGE_ROWS, PAGE_ROWS + 1, 2 * PAGE_ROWS + 7, 10 * PAGE_ROWS])
def test_rows_are_read_over_pages_in_order_up_to_a_bound(most: int) -> None:
    rows, store = rows_of_pages()
    read = read_rows(store, SESSION, most=most).unwrap()
    assert [one.id for one in read] == [one.id for one in rows[:most]]


def test_a_store_that_is_away_is_told_not_summed_up() -> None:
    away = StoreError(fault=StoreFault.UNAVAILABLE, operation="rows", message="gone", retryable=True)

    class Away(MemoryStore):
        @override
        def rows(
            self, session_id: str, /, *, after: Invocation | None = None, limit: int = 1_000
        ) -> Result[tuple[Invocation, ...], StoreError]:
            return result.Failure(away)

    assert ToolTraceSummaryService(Away()).turn(SESSION, []).swap().unwrap() == away
