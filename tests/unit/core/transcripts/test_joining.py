"""Every call of a transcript becomes one row, whatever its file leaves out, repeats or mixes up."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Basis, DedupReason, FailureKind, OutcomeKind
from groundtrace.transcripts.chat_messages import OPENAI_CHAT
from groundtrace.transcripts.claude_code import CLAUDE_CODE
from groundtrace.transcripts.events import Answered, Asked, Called, Ended, Event, Returned, Skipped
from groundtrace.transcripts.joined import Finding, ImportedCall
from groundtrace.transcripts.joining import Joining, Origin
from groundtrace.transcripts.open_session import OPEN_CALLS
from groundtrace.transcripts.sessions import OPEN_SESSIONS
from groundtrace.transcripts.timing import UNDATED
from groundtrace_testing.transcripts import asks, brings, details, imported, joined, output_of, says

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
UNIQUE = CLAUDE_CODE
LOOSE = OPENAI_CHAT


def called(call_id: str | None, tool: str = "query_logs", *, q: str = "x", after: float | None = None) -> Called:
    at = None if after is None else NOON + timedelta(seconds=after)
    return Called(place="line 1", call_id=call_id, tool_name=tool, arguments={"q": q}, at=at)


def returned(call_id: str | None, output: object = "3 lines", *, after: float | None = None) -> Returned:
    at = None if after is None else NOON + timedelta(seconds=after)
    return Returned(place="line 2", call_id=call_id, output=output, at=at)


def test_a_call_without_a_result_is_a_failure_and_counted() -> None:
    """Field case F01."""
    told = imported(
        [
            says("user", "which pods restart?"),
            asks(("c1", "query_logs", '{"q": "restart"}'), ("c2", "query_metrics", '{"q": "restarts"}')),
            brings("c1", "3 lines"),
            says("user", "go on"),
            {"role": "assistant", "content": "two of them", "tool_calls": []},
        ]
    )
    lost = told.by_peer("c2")
    assert sorted(told.kinds) == [OutcomeKind.FAILURE, OutcomeKind.SUCCESS]
    assert isinstance(lost.outcome, outcomes.Failure)
    assert lost.outcome.kind is FailureKind.NOT_RECORDED
    assert "no result" in lost.outcome.message
    assert lost.call.tool_name == "query_metrics"
    assert [one.call.duration_ms for one in told.calls] == [None, None]
    assert told.findings.found[Finding.MISSING_RESULT] == 1


def test_a_result_that_comes_after_the_next_question_is_still_its_calls() -> None:
    told = imported([says("user", "a"), asks(("c", "t", "{}")), says("user", "b"), brings("c", "late")])
    assert told.kinds == [OutcomeKind.SUCCESS]
    assert told.calls[0].call.turn_id == "turn-1"
    assert told.findings.found[Finding.MISSING_RESULT] == 0


def test_a_result_without_a_call_is_counted_and_never_evidence() -> None:
    """Field case F02."""
    result: JsonValue = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "42 errors"}
    other: JsonValue = {"type": "tool_result", "tool_use_id": "toolu_3", "content": "?"}
    own: JsonValue = {"type": "tool_result", "tool_use_id": "toolu_2", "content": "1 line"}
    call: JsonValue = {"type": "tool_use", "id": "toolu_2", "name": "query_logs", "input": {"q": "x"}}
    told = imported(
        [
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "text", "text": "ok"}, call]},
            {"role": "user", "content": [own, other]},
        ]
    )
    assert [output_of(one) for one in told.calls] == ["1 line"]
    assert told.findings.found[Finding.ORPHAN] == 2


def test_an_id_that_comes_again_each_turn_names_a_call_each_time() -> None:
    """Field case F03, constant_id."""
    messages = [
        message
        for step in range(4)
        for message in (asks(("call_0", "query_logs", f'{{"step": {step}}}')), brings("call_0", f"r{step}"))
    ]
    told = imported(messages)
    assert [output_of(one) for one in told.calls] == ["r0", "r1", "r2", "r3"]
    assert len({one.call.id for one in told.calls}) == 4
    assert told.findings.found[Finding.REPLAYED] == 0


def test_the_same_question_under_a_constant_id_is_asked_each_time() -> None:
    messages = [message for _ in range(3) for message in (asks(("call_0", "t", "{}")), brings("call_0", "same"))]
    told = imported(messages)
    assert told.kinds == [OutcomeKind.SUCCESS] * 3
    assert len({one.call.id for one in told.calls}) == 3


def test_results_go_in_order_to_calls_that_share_an_id() -> None:
    """Field case F03, same_id_twice_in_one_turn."""
    told = imported(
        [
            asks(("x", "query_logs", '{"q":"a"}'), ("x", "query_metrics", '{"q":"a"}')),
            brings("x", "first"),
            brings("x", "second"),
        ]
    )
    assert told.outputs == {"query_logs": "first", "query_metrics": "second"}
    assert told.findings.found[Finding.SHARED_ID] == 1


def test_a_replayed_result_adds_nothing_and_is_told() -> None:
    """Field case F03, replayed_result."""
    told = imported([asks(("y", "query_logs", "{}")), brings("y", "a"), brings("y", "a")])
    assert [output_of(one) for one in told.calls] == ["a"]
    assert told.findings.found[Finding.REPLAYED] == 1


def test_results_out_of_order_find_their_calls() -> None:
    """Field case F03, results_out_of_order."""
    told = imported(
        [
            asks(("p", "query_logs", "{}"), ("q", "query_metrics", "{}")),
            brings("q", "metric"),
            brings("p", "log"),
        ]
    )
    assert told.outputs == {"query_logs": "log", "query_metrics": "metric"}


def test_two_records_of_one_call_with_one_result_are_one_call() -> None:
    told = joined([called("x"), called("x"), returned("x")], LOOSE)
    assert len(told.calls) == 1
    assert told.findings.found[Finding.DUPLICATE] == 1
    assert told.findings.found[Finding.MISSING_RESULT] == 0


def test_two_records_of_one_call_with_two_results_are_two_calls() -> None:
    told = joined([called("x"), called("x"), returned("x", "1"), returned("x", "2")], LOOSE)
    assert [output_of(one) for one in told.calls] == ["1", "2"]
    assert len({one.call.id for one in told.calls}) == 2


def test_a_second_record_does_not_take_the_result_of_a_later_call() -> None:
    told = joined([called("x"), called("x"), returned("x", "1"), called("x", q="other"), returned("x", "2")], LOOSE)
    assert [output_of(one) for one in told.calls] == ["1", "2"]
    assert told.findings.found[Finding.DUPLICATE] == 1


def test_a_copied_call_is_known_where_ids_are_unique() -> None:
    once: list[Event] = [called("x", after=0), returned("x", after=1)]
    told = joined([*once, *once], UNIQUE)
    assert len(told.calls) == 1
    assert told.findings.found[Finding.DUPLICATE] == 1


def test_another_call_under_a_unique_id_is_kept_too() -> None:
    told = joined([called("x"), returned("x", "1"), called("x", q="y"), returned("x", "2")], UNIQUE)
    assert [output_of(one) for one in told.calls] == ["1", "2"]
    assert len({one.call.id for one in told.calls}) == 2


def test_a_result_without_an_id_belongs_to_the_oldest_call_of_its_tool() -> None:
    a_metric = replace(returned(None, "metric"), tool_name="query_metrics")
    told = joined([called("a"), called("b", "query_metrics"), a_metric, returned(None, "log")], LOOSE)
    assert told.outputs == {"query_logs": "log", "query_metrics": "metric"}


def test_a_refused_repeat_refers_to_the_call_that_it_repeats() -> None:
    refusal = replace(returned("b", "already asked"), repeated=True, failed=True)
    told = joined([called("a"), returned("a"), called("b"), refusal], LOOSE)
    first, second = told.calls
    assert isinstance(second.outcome, outcomes.Deduped)
    assert second.outcome.reason is DedupReason.REFUSED_REPEAT
    assert second.outcome.of == (first.call.id,)
    assert second.outcome.inherited is OutcomeKind.SUCCESS
    assert second.outcome.basis is Basis.INFERRED


def test_a_refused_repeat_of_nothing_that_is_here_refers_to_nothing() -> None:
    told = joined([called("b"), replace(returned("b", "no"), repeated=True)], LOOSE)
    assert isinstance(told.calls[0].outcome, outcomes.Deduped)
    assert told.calls[0].outcome.of == ()


@pytest.mark.parametrize("second", ["5 lines", "3 lines"])
def test_a_repeat_that_its_peer_did_not_refuse_is_a_call(second: str) -> None:
    told = joined([called("a"), returned("a", "3 lines"), called("b"), returned("b", second)], LOOSE)
    assert told.kinds == [OutcomeKind.SUCCESS, OutcomeKind.SUCCESS]


def _forbidden(event: Returned, /, *, tool_name: str, arguments: object) -> outcomes.Outcome:
    del event, tool_name, arguments
    return outcomes.failure_because(FailureKind.DENIED, "forbidden")


@pytest.mark.parametrize(("failed", "flag"), [(False, "ok"), (True, None), (None, None)])
def test_a_flag_that_the_outcome_contradicts_is_kept_beside_it(*, failed: bool | None, flag: str | None) -> None:
    joining = Joining(Origin(format=LOOSE, name="file"), infer=_forbidden)
    events = (called("a"), replace(returned("a"), failed=failed))
    (made,) = (one for event in events for one in joining.take(event))
    assert isinstance(made, ImportedCall)
    assert details(made.call).get("flag") == flag
    assert joining.findings.found[Finding.CONTRADICTED] == (flag is not None)


def test_times_of_a_call_are_its_own() -> None:
    told = joined([called("a", after=1), returned("a", after=3.5)], LOOSE)
    assert told.calls[0].call.started_at == NOON + timedelta(seconds=1)
    assert told.calls[0].call.duration_ms == 2_500
    assert "started_at" not in details(told.calls[0].call)


def test_a_clock_that_ran_back_gives_no_duration() -> None:
    told = joined([called("a", after=3), returned("a", after=1)], LOOSE)
    assert told.calls[0].call.duration_ms is None
    assert details(told.calls[0].call)["clock"] == "ran back"
    assert told.findings.found[Finding.CLOCK] == 1


def test_a_start_that_is_not_told_is_the_last_time_before_it_and_says_so() -> None:
    asked = Asked(place="line 1", text="why", at=NOON)
    told = joined([asked, called("a"), returned("a", after=9)], LOOSE)
    assert told.calls[0].call.started_at == NOON
    assert told.calls[0].call.duration_ms is None
    assert "before" in str(details(told.calls[0].call)["started_at"])


def test_calls_without_any_time_keep_their_order() -> None:
    told = joined([called("a"), returned("a"), called("b"), returned("b")], LOOSE)
    starts = [one.call.started_at for one in told.calls]
    assert starts == sorted(starts)
    assert len(set(starts)) == 2
    assert starts[0].year == 1970
    assert told.findings.found[Finding.UNDATED] == 2


@pytest.mark.parametrize("at", [None, NOON], ids=["no time", "one time for all"])
@pytest.mark.parametrize("calls", [0, 1])
def test_answers_keep_the_order_of_their_turns(at: datetime | None, calls: int) -> None:
    events: list[Event] = []
    for number in range(12):
        events.append(Asked(place="", text=f"question {number}", at=at))
        events += [called(f"c{number}"), returned(f"c{number}")] * calls
        events.append(Answered(place="", text=f"answer {number}", at=at))
    told = joined(events, LOOSE)
    times = [one.at for one in told.answers]
    assert [one.question for one in told.answers] == [f"question {number}" for number in range(12)]
    assert times == sorted(set(times))
    assert times[0].replace(microsecond=0) == (at or UNDATED)


def test_an_answer_keeps_a_time_of_its_own() -> None:
    events = [Answered(place="", text=str(number), at=NOON + timedelta(seconds=number)) for number in range(3)]
    asked = [Asked(place="", text="and?", at=None)] * 3
    told = joined([event for pair in zip(asked, events, strict=True) for event in pair], LOOSE)
    assert [one.at for one in told.answers] == [NOON, NOON + timedelta(seconds=1), NOON + timedelta(seconds=2)]


def test_the_last_text_of_each_turn_is_its_answer() -> None:
    told = imported(
        [
            says("user", "first?"),
            says("assistant", "let me look"),
            asks(("a", "t", "{}")),
            brings("a", "seen"),
            says("assistant", "it is the disk"),
            says("user", "sure?"),
            says("assistant", "yes"),
        ]
    )
    assert [(one.turn_id, one.question, one.text) for one in told.answers] == [
        ("turn-1", "first?", "it is the disk"),
        ("turn-2", "sure?", "yes"),
    ]
    assert told.calls[0].call.turn_id == "turn-1"


def test_an_answer_comes_behind_the_calls_of_its_turn() -> None:
    events: list[Event] = [
        Asked(place="", text="a"),
        called("x"),
        Answered(place="", text="soon"),
        Asked(place="", text="b"),
        returned("x", "late"),
    ]
    told = joined(events, LOOSE)
    assert told.answers[0].text == "soon"
    assert output_of(told.calls[0]) == "late"


def test_two_questions_in_a_row_are_one_turn() -> None:
    told = imported([says("user", "context"), says("user", "why?"), says("assistant", "so")])
    assert [(one.turn_id, one.question) for one in told.answers] == [("turn-1", "context\n\nwhy?")]


def test_a_session_without_an_id_is_named_after_its_file() -> None:
    told = joined([called("a"), returned("a")], LOOSE, name="run-1")
    assert told.calls[0].call.session_id == "run-1"


def test_a_prefix_stands_before_each_session() -> None:
    events: list[Event] = [replace(called("a"), session="s"), replace(returned("a"), session="s")]
    assert joined(events, UNIQUE, prefix="tenant").calls[0].call.session_id == "tenant/s"
    assert joined(events, LOOSE, name="f", prefix="tenant").calls[0].call.session_id == "tenant/f/s"


def test_ids_do_not_depend_on_the_file_where_sessions_have_their_own() -> None:
    events: list[Event] = [replace(called("a", after=1), session="s"), replace(returned("a", after=2), session="s")]
    assert joined(events, UNIQUE, name="one").calls == joined(events, UNIQUE, name="two").calls


def test_a_call_of_unique_id_keeps_its_row_id_in_a_copy_of_a_part() -> None:
    first: list[Event] = [called("a", after=0), returned("a", after=1)]
    second: list[Event] = [called("b", after=2), returned("b", after=3)]
    whole, part = joined([*first, *second], UNIQUE), joined(second, UNIQUE)
    assert whole.calls[1].call.id == part.calls[0].call.id


def test_a_result_that_came_later_is_not_lost_behind_its_missing_one() -> None:
    early, late = joined([called("a", after=1)], UNIQUE), joined([called("a", after=1), returned("a")], UNIQUE)
    assert early.calls[0].call.id != late.calls[0].call.id


def test_a_session_too_long_to_store_is_cut_and_still_its_own() -> None:
    def session_of(name: str) -> str:
        return joined([replace(called("a"), session=name), returned("a")], UNIQUE).calls[0].call.session_id

    assert len(session_of("s" * 300)) == 200
    assert session_of("s" * 300) != session_of("s" * 299)


def test_an_ended_session_is_let_go_and_goes_on_where_it_stopped() -> None:
    told = joined([called("a"), returned("a"), Ended(session=None), called("a"), returned("a")], LOOSE)
    assert [one.call.seq for one in told.calls] == [1, 2]
    assert told.findings.sessions == 1


def test_calls_beyond_the_bound_are_kept_without_a_result() -> None:
    told = joined([called(str(number)) for number in range(OPEN_CALLS + 3)], LOOSE)
    assert len(told.calls) == OPEN_CALLS + 3
    assert told.findings.found[Finding.MISSING_RESULT] == OPEN_CALLS + 3


def test_sessions_beyond_the_bound_lose_no_call() -> None:
    events = [replace(called("a"), session=f"s{number}") for number in range(OPEN_SESSIONS + 5)]
    told = joined(events, UNIQUE)
    assert len({one.call.session_id for one in told.calls}) == OPEN_SESSIONS + 5
    assert told.findings.sessions == OPEN_SESSIONS + 5


def test_records_of_unknown_types_are_counted_by_name() -> None:
    strange = [Skipped(place="", what=f"type {number}", known=False) for number in range(200)]
    told = joined([*strange, Skipped(place="", what="meta", known=True)], LOOSE)
    assert told.findings.unknown.total() == 200
    assert len(told.findings.unknown) <= 51
    assert told.findings.known == 1


_IDS = st.sampled_from([None, "x", "\ud800", "call_0"])
_EVENTS = st.lists(
    st.one_of(
        st.builds(called, _IDS, st.sampled_from(["a", "b"]), q=st.sampled_from("12"), after=st.none() | st.just(1.0)),
        st.builds(returned, _IDS, st.sampled_from(["", "some", None, "[]"]), after=st.none() | st.just(2.0)),
        st.builds(lambda text: Asked(place="", text=text), st.text(max_size=3)),
        st.builds(lambda text: Answered(place="", text=text), st.text(max_size=3)),
    ),
    max_size=30,
)


@given(_EVENTS, st.sampled_from([UNIQUE, LOOSE]))
def test_no_call_is_dropped_and_no_id_is_given_twice(events: list[Event], form: object) -> None:
    assert form is UNIQUE or form is LOOSE
    told = joined(events, UNIQUE if form is UNIQUE else LOOSE)
    calls = sum(isinstance(event, Called) for event in events)
    results = sum(isinstance(event, Returned) for event in events)
    found = told.findings.found
    answered = len(told.calls) - found[Finding.MISSING_RESULT]
    assert len(told.calls) + found[Finding.DUPLICATE] == calls
    assert answered + found[Finding.ORPHAN] + found[Finding.REPLAYED] == results
    assert len({one.call.id for one in told.calls}) == len(told.calls)
    assert joined(events, UNIQUE if form is UNIQUE else LOOSE).calls == told.calls
