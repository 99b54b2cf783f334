"""The trace summary's laws and words: success, failure, no hit and repeat stay apart, in whatever order they come."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.entries import EvidenceEntry, EvidenceLevel
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace.summary import EMPTY, Summary, SummaryBuilder, describe_entry, entries_of, merge, summarize

START = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


def row(id: str = "c-1", outcome: OutcomeKind = OutcomeKind.SUCCESS, **changes: object) -> Invocation:
    failed = outcome is OutcomeKind.FAILURE
    plain = Invocation(
        session_id="shop/night",
        id=id,
        turn_id="t-1",
        seq=0,
        tool_name="query_logs",
        topic_domain="checkout",
        outcome=outcome,
        support=Support.DIRECT if outcome is OutcomeKind.SUCCESS else None,
        reason="error" if failed else None,
        partial=False,
        basis=Basis.DECLARED,
        input_params="{}",
        input_fingerprint=f"fingerprint of {id}",
        started_at=START,
        duration_ms=3,
        success=not failed,
        output_preview=None,
        output_state=OutputState.NONE,
        output_bytes=None,
        output_sha256=None,
        error_message="ConnectionError: refused" if failed else None,
        retrieval_layer=None,
        l0_count=None,
        l1_count=None,
        relevance_level=None,
        retrieval_details=None,
        dedup_reason="same_query" if outcome is OutcomeKind.DEDUPED else None,
        details="{}",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # changed by name, column by column


def only(*rows: Invocation) -> EvidenceEntry:
    (entry,) = entries_of(summarize(rows))
    return entry


@st.composite
def invocations(draw: st.DrawFn) -> Invocation:
    outcome = draw(st.sampled_from(OutcomeKind))
    messages = st.sampled_from(["", "TimeoutError", "x" * 499 + "\U0001f525a", "x" * 499 + "\U0001f525b", "\u20ac"])
    return row(
        draw(st.sampled_from("abcdef")),
        outcome,
        session_id=draw(st.sampled_from(["one", "two"])),
        tool_name=draw(st.sampled_from(["query_logs", "query_metrics"])),
        topic_domain=draw(st.sampled_from(["checkout", "\uff5e", "\U0001f525"])),
        support=draw(st.sampled_from(Support)) if outcome is OutcomeKind.SUCCESS else None,
        partial=draw(st.booleans()),
        seq=draw(st.integers(0, 2)),
        input_fingerprint=draw(st.sampled_from("pq")),
        started_at=START + timedelta(microseconds=draw(st.integers(0, 3))),
        error_message=draw(messages) if outcome is OutcomeKind.FAILURE else None,
    )


traces = st.lists(invocations(), max_size=12)
summaries = st.builds(summarize, traces)


@given(summaries, summaries, summaries)
def test_merging_is_associative(one: Summary, two: Summary, three: Summary) -> None:
    assert merge(merge(one, two), three) == merge(one, merge(two, three))


@given(summaries, summaries)
def test_merging_is_commutative(one: Summary, two: Summary) -> None:
    assert merge(one, two) == merge(two, one)


@given(summaries)
def test_merging_with_itself_changes_nothing(one: Summary) -> None:
    assert merge(one, one) == one


@given(summaries)
def test_the_empty_summary_is_the_identity(one: Summary) -> None:
    assert merge(one, EMPTY) == one == merge(EMPTY, one)


@given(st.data(), traces)
def test_the_order_of_rows_does_not_matter(data: st.DataObject, rows: list[Invocation]) -> None:
    other = summarize(data.draw(st.permutations(rows)))
    assert other == summarize(rows)
    assert entries_of(other) == entries_of(summarize(rows))


@given(traces)
def test_a_running_summary_equals_merging_each_row_by_itself(rows: list[Invocation]) -> None:
    builder = SummaryBuilder()
    folded = EMPTY
    for one in rows:
        builder.add(one)
        folded = merge(folded, summarize([one]))
    assert builder.freeze() == folded == summarize(rows)


@given(traces)
def test_every_call_is_counted_once_and_under_one_outcome(rows: list[Invocation]) -> None:
    view = entries_of(summarize(rows))
    assert sum(one.calls for one in view) == len({(one.session_id, one.id) for one in rows})
    for one in view:
        assert one.calls == one.successes + one.failures + one.no_evidence + one.deduped
        assert len(one.supporting_ids) == one.successes
        assert one.first_at <= one.last_at
        assert (one.level is EvidenceLevel.NONE) == (one.successes == 0)


@given(summaries, summaries)
def test_merging_more_never_loses_a_failure_or_lowers_a_level(one: Summary, more: Summary) -> None:
    before = {(entry.tool_name, entry.topic_domain): entry for entry in entries_of(one)}
    if merge(one, more).conflicts > one.conflicts:
        return
    after = {(entry.tool_name, entry.topic_domain): entry for entry in entries_of(merge(one, more))}
    strength = list(EvidenceLevel)
    for place, entry in before.items():
        assert after[place].failures >= entry.failures
        assert strength.index(after[place].level) <= strength.index(entry.level)


def test_a_frozen_summary_is_not_changed_by_rows_added_later() -> None:
    builder = SummaryBuilder()
    builder.add(row("c-1"))
    frozen = builder.freeze()
    builder.add(row("c-2"))
    assert frozen == summarize([row("c-1")])


def test_nothing_sums_up_to_nothing() -> None:
    assert summarize([]) == EMPTY
    assert entries_of(EMPTY) == ()
    assert EMPTY.conflicts == 0


def test_entries_are_sorted_by_tool_and_topic_by_code_point() -> None:
    places = [("query_metrics", "a"), ("query_logs", "\U0001f525"), ("query_logs", "\uff5e"), ("query_logs", "Z")]
    rows = [row(f"c-{n}", tool_name=tool, topic_domain=topic) for n, (tool, topic) in enumerate(places)]
    seen = [(one.tool_name, one.topic_domain) for one in entries_of(summarize(rows))]
    assert seen == [("query_logs", "Z"), ("query_logs", "\uff5e"), ("query_logs", "\U0001f525"), ("query_metrics", "a")]


def test_the_same_id_in_two_sessions_is_two_calls() -> None:
    assert only(row(session_id="a"), row(session_id="b")).calls == 2


def test_one_id_with_two_contents_counts_once_and_as_a_conflict() -> None:
    good, bad = row("c-1"), row("c-1", OutcomeKind.FAILURE)
    both = summarize([good, bad, good, bad, bad])
    assert both == summarize([bad, good])
    assert both.conflicts == 1
    assert sum(one.calls for one in entries_of(both)) == 1


def test_each_distinct_losing_content_is_one_conflict() -> None:
    contents = [row("c-1"), row("c-1", seq=7), row("c-1", topic_domain="cart")]
    assert summarize(contents).conflicts == 2
    assert len(entries_of(summarize(contents))) == 1


def test_one_moment_told_in_two_zones_is_no_conflict() -> None:
    berlin = START.astimezone(timezone(timedelta(hours=2)))
    assert summarize([row(), row(started_at=berlin)]).conflicts == 0


@pytest.mark.parametrize("order", [lambda rows: rows, lambda rows: rows[::-1]])
def test_the_level_is_that_of_the_strongest_success(
    order: Callable[[Sequence[Invocation]], Sequence[Invocation]],
) -> None:
    rows = [
        row("c-1", OutcomeKind.FAILURE),
        row("c-2", support=Support.INDIRECT),
        row("c-3", support=Support.DIRECT),
        row("c-4", OutcomeKind.NO_EVIDENCE),
    ]
    assert only(*order(rows)).level is EvidenceLevel.DIRECT
    assert only(*order(rows[:2])).level is EvidenceLevel.INDIRECT


@pytest.mark.parametrize("outcome", [OutcomeKind.NO_EVIDENCE, OutcomeKind.DEDUPED, OutcomeKind.FAILURE])
def test_what_is_no_success_raises_no_level(outcome: OutcomeKind) -> None:
    entry = only(row("c-1", outcome), row("c-2", outcome))
    assert entry.level is EvidenceLevel.NONE
    assert entry.supporting_ids == ()


def test_a_repeat_is_counted_apart_from_a_call_that_found_nothing() -> None:
    entry = only(row("c-1", OutcomeKind.NO_EVIDENCE), row("c-2", OutcomeKind.DEDUPED), row("c-3", OutcomeKind.DEDUPED))
    assert (entry.no_evidence, entry.deduped) == (1, 2)


def test_calls_that_share_an_input_are_all_counted_as_repeated() -> None:
    """Field case D09: twins that both ran are one support asked for twice, and are seen as such."""
    rows = [row(f"c-{n}", input_fingerprint=one) for n, one in enumerate(["same", "same", "same", "alone"])]
    assert only(*rows).repeated == 3


def test_an_input_shared_with_another_topic_is_no_repeat() -> None:
    rows = [row("c-1", input_fingerprint="same"), row("c-2", input_fingerprint="same", topic_domain="cart")]
    assert [one.repeated for one in entries_of(summarize(rows))] == [0, 0]


def test_supporting_ids_are_in_the_order_of_rows() -> None:
    later = START + timedelta(seconds=1)
    rows = [
        row("z", seq=1),
        row("late", started_at=later),
        row("b", seq=2),
        row("a", seq=2),
        row("broken", OutcomeKind.FAILURE),
    ]
    entry = only(*rows)
    assert entry.supporting_ids == ("z", "a", "b", "late")
    assert (entry.first_at, entry.last_at) == (START, later)


def test_five_errors_are_kept_by_count_then_time_then_text() -> None:
    def failure(number: int, message: str, seconds: int) -> Invocation:
        at = START + timedelta(seconds=seconds)
        return row(f"c-{number}", OutcomeKind.FAILURE, error_message=message, started_at=at)

    told = [("often", 9), ("often", 9), ("early", 1), ("b", 2), ("a", 2), ("\U0001f525", 3), ("\uff5e", 3)]
    rows = [failure(number, message, seconds) for number, (message, seconds) in enumerate(told)]
    assert only(*rows).errors == ("often", "early", "a", "b", "\uff5e")
    assert only(*rows).failures == 7


def test_errors_are_cut_to_500_characters_before_they_are_compared() -> None:
    text = "\U0001f525" * 500
    rows = [row(f"c-{n}", OutcomeKind.FAILURE, error_message=text + tail) for n, tail in enumerate(["", "x", "y"])]
    assert only(*rows).errors == (text,)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [
                row("c-1"),
                row("c-2", OutcomeKind.FAILURE, error_message="TimeoutError:\n 5 s"),
                row("c-3", OutcomeKind.NO_EVIDENCE),
            ],
            "3 calls: 1 success (DIRECT), 1 failed: TimeoutError: 5 s, 1 found nothing",
        ),
        ([row("c-1", OutcomeKind.NO_EVIDENCE)], "1 call: 1 found nothing"),
        (
            [row("c-1", support=Support.INDIRECT, partial=True), row("c-2", support=Support.INDIRECT)],
            "2 calls: 2 successes (INDIRECT), 1 partial: not everything was seen",
        ),
        (
            [row("c-1", OutcomeKind.NO_EVIDENCE), row("c-2", OutcomeKind.DEDUPED)],
            "2 calls: 1 found nothing, 1 only repeated earlier calls",
        ),
        ([row("c-1", OutcomeKind.FAILURE, error_message=None)], "1 call: 1 failed: no message was recorded"),
    ],
)
def test_an_entry_explains_its_gap_in_one_line(rows: list[Invocation], words: str) -> None:
    assert describe_entry(only(*rows)) == words


def test_a_long_error_does_not_drown_the_line() -> None:
    line = describe_entry(only(row("c-1", OutcomeKind.FAILURE, error_message="why " * 400)))
    assert len(line) < 160
    assert line.endswith("...")
