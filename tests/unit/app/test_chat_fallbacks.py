"""What the user gets, and what the record says, when any part of a turn fails (DESIGN sections 8 to 11)."""

import time
from pathlib import Path

import pytest

from groundtrace import outcomes
from groundtrace.decision import PassNeeds
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Support
from groundtrace.reply import ShowUnverified
from groundtrace.roles import ModelError
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.models.script import Line
from groundtrace_adapters.sinks.evaluation_spool import EvaluationSpool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.chat import TurnRules
from groundtrace_testing.chat_bench import CANARY, NO_CALLS, PLAN_ONE, CannedTool, bench, verdict
from groundtrace_testing.faulty_store import FaultyStore, LateStore

QUICK = TurnRules(tool_seconds=0.2, verifier_seconds=0.3, turn_seconds=5, flush_seconds=0.3, verifier_retries=0)


def test_a_confirmed_answer_comes_with_the_calls_it_rests_on() -> None:
    made = bench(verifier=[verdict("PASS", "e1")])
    turn = made.ask()
    assert turn.decision is not None
    assert turn.reply is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.PASS, Cause.VERIFIED)
    assert turn.text.startswith(CANARY)
    row = made.store.rows("s-1").unwrap()[0]
    assert [(one.invocation_id, one.support) for one in turn.reply.citations] == [(row.id, Support.DIRECT)]
    assert turn.evaluation is not None
    assert turn.evaluation.cited == (row.id,)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        pytest.param(Line(text=None), Cause.MISSING, id="missing"),
        pytest.param(Line(text=" \n"), Cause.MISSING, id="blank"),
        pytest.param(Line(text='{"verdict":'), Cause.INVALID_JSON, id="invalid_json"),
        pytest.param(Line(text='{"verdict":"MAYBE"}'), Cause.UNKNOWN_VERDICT, id="unknown_verdict"),
        pytest.param(Line(text="I can't help with this request."), Cause.INVALID_JSON, id="refusal"),
        pytest.param(Line(text='sure: {"verdict":"PASS","evidence_ids":["e1"]}'), Cause.PROSE_AROUND_JSON, id="prose"),
        pytest.param(Line(text=verdict("PASS", "e1"), finish_reason="length"), Cause.CUT_OFF, id="cut_off"),
        pytest.param(Line(text=verdict("PASS", "e1"), finish_reason="content_filter"), Cause.FILTERED, id="filtered"),
        pytest.param(Line(raises=TimeoutError()), Cause.TIMED_OUT, id="timeout"),
        pytest.param(Line(text="late", delay_seconds=60), Cause.TIMED_OUT, id="hang"),
        pytest.param(
            Line(error=ModelError(kind=FailureKind.RATE_LIMITED, message="429")), Cause.VERIFIER_ERROR, id="rate_limit"
        ),
        pytest.param(Line(raises=TypeError("'NoneType' object is not subscriptable")), Cause.VERIFIER_ERROR, id="type"),
        pytest.param(Line(raises=RecursionError()), Cause.VERIFIER_ERROR, id="recursion"),
        pytest.param(Line(raises=ExceptionGroup("g", [TimeoutError()])), Cause.VERIFIER_ERROR, id="exception_group"),
    ],
)
def test_a_verifier_that_fails_lowers_the_decision_and_leaves_one_record(line: Line, cause: Cause) -> None:
    """Field cases E05 and E06."""
    made = bench(verifier=[line], rules=QUICK)
    turn = made.ask()
    assert turn.decision is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.LOW_CONFID, cause)
    assert "CANARY" not in turn.text
    kept = made.store.evaluations("s-1").unwrap()
    assert [(one.decision, one.cause, one.fallback, one.withheld) for one in kept] == [
        (Verdict.LOW_CONFID, cause, True, True)
    ]
    assert kept[0].raw == line.text if cause not in (Cause.TIMED_OUT, Cause.VERIFIER_ERROR) else kept[0].raw is None


def test_a_verifier_that_is_switched_off_passes_nothing() -> None:
    """Field case E06, verifier_disabled."""
    made = bench(verifier=None)
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.VERIFIER_DISABLED
    assert turn.decision.verdict is Verdict.LOW_CONFID
    assert [one.cause for one in made.store.evaluations("s-1").unwrap()] == [Cause.VERIFIER_DISABLED]


def test_a_verifier_that_recovers_is_asked_again_and_the_attempts_are_recorded() -> None:
    """Field case E05, retry_then_ok."""
    rules = TurnRules(verifier_retries=1, flush_seconds=2)
    made = bench(verifier=[Line(raises=TimeoutError()), verdict("PASS", "e1")], rules=rules)
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.PASS
    assert turn.evaluation is not None
    assert turn.evaluation.attempts == 2


def test_a_low_verdict_shows_the_protocol_and_then_the_answer_marked_unverified() -> None:
    made = bench(verifier=[verdict("LOW_CONFID")])
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.VERIFIER_LOW
    assert turn.text.startswith("Not confirmed")
    protocol, _, answer = turn.text.partition("UNVERIFIED ANSWER")
    assert "CANARY" not in protocol
    assert CANARY in answer


def test_a_low_verdict_without_any_success_withholds_the_answer() -> None:
    empty = CannedTool(outcomes_given=[outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH)])
    turn = bench(verifier=[verdict("LOW_CONFID")], tools=[empty]).ask()
    assert "CANARY" not in turn.text
    assert "What came back empty:\n- query_logs" in turn.text


@pytest.mark.parametrize(
    ("policy", "visible"),
    [(ShowUnverified.NEVER, False), (ShowUnverified.ALWAYS, True), (ShowUnverified.WHEN_LOW, True)],
)
def test_settings_can_turn_the_unverified_answer_either_way(policy: ShowUnverified, *, visible: bool) -> None:
    rules = TurnRules(show_unverified=policy, flush_seconds=2)
    turn = bench(verifier=[verdict("LOW_CONFID")], rules=rules).ask()
    assert ("CANARY" in turn.text) is visible


def test_a_rejected_answer_is_hidden_and_the_template_is_made_of_evidence() -> None:
    made = bench(verifier=[verdict("REJECT", reasons=["CANARY of the verifier"])])
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.REJECT
    assert "CANARY" not in turn.text
    assert turn.text.startswith("Answer withheld")
    assert "query_logs" in turn.text


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        pytest.param([outcomes.failure_because(FailureKind.UNAVAILABLE, "503")], Cause.NO_EVIDENCE, id="all_failed"),
        pytest.param([outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH)], Cause.NO_EVIDENCE, id="only_no_evidence"),
        pytest.param([outcomes.deduped_from("same_query", ("inv-0",))], Cause.NO_EVIDENCE, id="only_deduped"),
    ],
)
def test_no_evidence_never_becomes_a_pass(given: list[outcomes.Outcome], cause: Cause) -> None:
    """Field case E10."""
    turn = bench(verifier=[verdict("PASS", "e1")], tools=[CannedTool(outcomes_given=given)]).ask()
    assert turn.decision is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.LOW_CONFID, cause)
    assert "CANARY" not in turn.text


def test_a_turn_without_calls_never_becomes_a_pass() -> None:
    """Field case E10, no_rows."""
    turn = bench(planner=[NO_CALLS], verifier=[verdict("PASS", "e1")]).ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.NO_EVIDENCE
    assert "never asked" in turn.text


def test_indirect_evidence_carries_a_pass_unless_direct_is_asked_for() -> None:
    hint = CannedTool(outcomes_given=[outcomes.Success(support=Support.INDIRECT, output="a hint")])
    loose = bench(verifier=[verdict("PASS", "e1")], tools=[hint]).ask()
    assert loose.decision is not None
    assert loose.decision.verdict is Verdict.PASS
    rules = TurnRules(pass_needs=PassNeeds.DIRECT, flush_seconds=2)
    strict = bench(verifier=[verdict("PASS", "e1")], tools=[hint], rules=rules).ask()
    assert strict.decision is not None
    assert strict.decision.verdict is Verdict.LOW_CONFID


def test_a_citation_of_what_was_not_shown_lowers_a_pass_and_is_recorded() -> None:
    """Field case E09, mixed."""
    made = bench(verifier=[verdict("PASS", "e1", "e99")])
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.UNKNOWN_CITATION
    assert [one.unknown for one in made.store.evaluations("s-1").unwrap()] == [("e99",)]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(Line(text="no plan"), id="nonsense"),
        pytest.param(Line(text=None), id="nothing"),
        pytest.param(Line(raises=RuntimeError("boom")), id="raises"),
        pytest.param(Line(error=ModelError(kind=FailureKind.UNAVAILABLE, message="down")), id="error"),
        pytest.param(Line(text='{"calls": [{"tool": 7}]}'), id="malformed_call"),
    ],
)
def test_a_planner_that_fails_is_named_in_the_record(line: Line) -> None:
    made = bench(planner=[line], verifier=[verdict("PASS", "e1")])
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.PLANNER_FAILED
    assert "CANARY" not in turn.text
    assert [one.cause for one in made.store.evaluations("s-1").unwrap()] == [Cause.PLANNER_FAILED]


def test_a_plan_that_cannot_be_used_is_told_where_it_is_wrong(caplog: pytest.LogCaptureFixture) -> None:
    bench(planner=['{"calls": [{"tool_name": "CANARY"}]}'], verifier=()).ask()
    assert "call 1 is no object with a tool and params" in caplog.text
    assert "CANARY" not in caplog.text


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(Line(text=None), id="nothing"),
        pytest.param(Line(text="  "), id="blank"),
        pytest.param(Line(text=CANARY, finish_reason="length"), id="cut"),
        pytest.param(Line(raises=RuntimeError(CANARY)), id="raises"),
    ],
)
def test_an_executor_that_fails_is_named_in_the_record_and_nothing_of_it_is_shown(line: Line) -> None:
    """Field case E02, executor_fails_midway."""
    made = bench(executor=[line], verifier=[verdict("PASS", "e1")])
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.EXECUTOR_FAILED
    assert "CANARY" not in turn.text
    assert [one.cause for one in made.store.evaluations("s-1").unwrap()] == [Cause.EXECUTOR_FAILED]


def test_a_tool_that_raises_is_a_recorded_failure_and_the_turn_goes_on() -> None:
    made = bench(tools=[CannedTool(raises=ValueError("bad selector"))], verifier=[verdict("PASS", "e1")])
    turn = made.ask()
    rows = made.store.rows("s-1").unwrap()
    assert [(row.success, row.error_message) for row in rows] == [(False, "ValueError: bad selector")]
    assert turn.decision is not None
    assert turn.decision.cause is Cause.NO_EVIDENCE
    assert "What failed:\n- query_logs" in turn.text


def test_a_tool_that_overruns_is_recorded_once_as_a_timeout() -> None:
    made = bench(tools=[CannedTool(seconds=30)], verifier=[verdict("PASS", "e1")], rules=QUICK)
    made.ask()
    rows = made.store.rows("s-1").unwrap()
    assert [(row.success, row.reason) for row in rows] == [(False, "timeout")]


def test_a_call_of_a_tool_that_does_not_exist_is_recorded_as_a_failure() -> None:
    plan = '{"calls": [{"tool": "query_traces", "params": {}}]}'
    made = bench(planner=[plan, NO_CALLS], verifier=[verdict("PASS", "e1")])
    made.ask()
    row = made.store.rows("s-1").unwrap()[0]
    assert (row.tool_name, row.success) == ("query_traces", False)
    assert "query_logs" in (row.error_message or "")


def test_a_turn_whose_time_is_spent_says_so() -> None:
    slow = CannedTool(seconds=5)
    rules = TurnRules(tool_seconds=10, turn_seconds=0.3, flush_seconds=1, verifier_retries=0)
    made = bench(planner=[PLAN_ONE, PLAN_ONE, NO_CALLS], tools=[slow], verifier=[verdict("PASS", "e1")], rules=rules)
    turn = made.ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.BUDGET_SPENT
    assert [row.reason for row in made.store.rows("s-1").unwrap()] == ["timeout"]


@pytest.mark.parametrize(
    ("broken", "cause"),
    [
        pytest.param(("append",), Cause.EVIDENCE_NOT_STORED, id="rows_are_not_stored"),
        pytest.param(("find",), Cause.EVIDENCE_UNREADABLE, id="rows_cannot_be_read"),
        pytest.param(("save",), Cause.EVALUATION_NOT_STORED, id="evaluation_is_not_stored"),
        pytest.param(("append", "find", "rows", "save", "evaluations"), Cause.EVIDENCE_UNREADABLE, id="store_is_down"),
    ],
)
@pytest.mark.parametrize("how", ["fails", "raises"])
def test_a_store_that_breaks_never_lets_a_pass_through(broken: tuple[str, ...], cause: Cause, how: str) -> None:
    """Field cases B12 and E10 (rows_lost_by_store): an unrecorded call counts for nothing."""
    store = FaultyStore(broken=frozenset(broken), raises=how == "raises")
    turn = bench(verifier=[verdict("PASS", "e1")], store=store, rules=QUICK).ask()
    assert turn.decision is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.LOW_CONFID, cause)
    assert "CANARY" not in turn.text
    assert turn.text.startswith("Not confirmed")


def test_a_store_that_hangs_holds_the_turn_no_longer_than_its_deadlines() -> None:
    store = FaultyStore(broken=frozenset({"append", "find", "save"}), hangs=True)
    turn = bench(verifier=[verdict("PASS", "e1")], store=store, rules=QUICK).ask()
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.LOW_CONFID


def test_an_evaluation_that_is_not_stored_is_kept_and_tells_what_was_served(tmp_path: Path) -> None:
    spool = EvaluationSpool(tmp_path)
    store = FaultyStore(broken=frozenset({"save"}))
    turn = bench(verifier=[verdict("PASS", "e1")], store=store, rules=QUICK, later=spool.keep).ask()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.EVALUATION_NOT_STORED
    back = MemoryStore()
    assert spool.replay(back) == 0
    kept = back.evaluations("s-1").unwrap()
    assert [(one.decision, one.cause, one.given) for one in kept] == [
        (Verdict.LOW_CONFID, Cause.EVALUATION_NOT_STORED, "PASS")
    ]
    assert kept[0].shown == turn.text
    assert kept[0].withheld


def test_a_store_that_took_the_evaluation_without_saying_so_ends_with_what_was_served(tmp_path: Path) -> None:
    spool = EvaluationSpool(tmp_path)
    store = LateStore(seconds=0.6)
    turn = bench(verifier=[verdict("PASS", "e1")], store=store, rules=QUICK, later=spool.keep).ask()
    time.sleep(0.6)
    spool.replay(store)
    kept = store.evaluations("s-1").unwrap()
    assert [one.decision for one in kept] == [Verdict.PASS, Verdict.LOW_CONFID]
    assert kept[-1].shown == turn.text


@pytest.mark.parametrize("given", ["REJECT", "nonsense"])
def test_a_record_that_came_too_late_and_is_spooled_too_is_kept_once(tmp_path: Path, given: str) -> None:
    spool = EvaluationSpool(tmp_path)
    store = LateStore(seconds=0.6)
    turn = bench(verifier=[verdict(given, "e1")], store=store, rules=QUICK, later=spool.keep).ask()
    assert list(tmp_path.iterdir()) != []
    time.sleep(0.6)
    assert spool.replay(store) == 0
    (kept,) = store.evaluations("s-1").unwrap()
    assert turn.decision is not None
    assert (kept.decision, kept.cause, kept.shown) == (turn.decision.verdict, turn.decision.cause, turn.text)
