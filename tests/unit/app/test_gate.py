"""An answer that somebody else drafted, checked over the calls that are recorded of its turn (sections 8 to 10)."""

import asyncio
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace import outcomes
from groundtrace.coverage import ExpectedSource
from groundtrace.outcomes import FailureKind, NoEvidenceReason, Support
from groundtrace.roles import ModelError, VerifyRequest
from groundtrace.snapshot import read_snapshot
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.models.script import Line
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.chat import Turn, TurnRules
from groundtrace_app.gate import NO_QUESTION, Gate
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.settings import Settings
from groundtrace_app.trace import open_trace
from groundtrace_testing.chat_bench import verdict
from groundtrace_testing.faulty_store import FaultyStore
from groundtrace_testing.gate_bench import ANSWER, FOUND, PASS_E1, QUESTION, close_gate_benches, gate_bench

EMPTY = outcomes.NoEvidence(reason=NoEvidenceReason.NO_MATCH)
BROKEN = outcomes.failure_because(FailureKind.UNAVAILABLE, "503")


@pytest.fixture(autouse=True)
def _benches_are_closed() -> Iterator[None]:
    yield
    close_gate_benches()


def decided(turn: Turn) -> tuple[Verdict, Cause]:
    assert turn.decision is not None
    return turn.decision.verdict, turn.decision.cause


def test_a_carried_answer_passes_with_the_calls_it_rests_on() -> None:
    made = gate_bench()
    made.record(FOUND)
    turn = made.check()
    assert decided(turn) == (Verdict.PASS, Cause.VERIFIED)
    assert turn.text.startswith(ANSWER)
    assert "[e1] DIRECT support: query_logs" in turn.text
    (kept,) = made.evaluations()
    assert (kept.turn_id, kept.cited, kept.answer) == ("t-1", (made.rows()[0].id,), ANSWER)


def test_a_rejected_answer_is_hidden_in_every_channel(caplog: pytest.LogCaptureFixture) -> None:
    """Field case E01."""
    made = gate_bench(verifier=[verdict("REJECT", reasons=["CANARY-7f3a of the verifier"])])
    made.record(FOUND)
    with caplog.at_level(logging.DEBUG):
        turn = made.check("CANARY-7f3a it restarted by itself")
    assert decided(turn) == (Verdict.REJECT, Cause.VERIFIER_REJECT)
    assert turn.text.startswith("Answer withheld")
    assert "CANARY" not in repr(turn) + caplog.text
    assert made.evaluations()[0].withheld


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        pytest.param(Line(text=None), Cause.MISSING, id="missing"),
        pytest.param(Line(text='{"verdict":'), Cause.INVALID_JSON, id="invalid_json"),
        pytest.param(Line(text='{"verdict":"MAYBE"}'), Cause.UNKNOWN_VERDICT, id="unknown_verdict"),
        pytest.param(Line(text="I cannot judge this."), Cause.INVALID_JSON, id="refusal"),
        pytest.param(Line(text=f"Fine: {PASS_E1}"), Cause.PROSE_AROUND_JSON, id="prose"),
        pytest.param(Line(text=PASS_E1, finish_reason="length"), Cause.CUT_OFF, id="cut_off"),
        pytest.param(Line(raises=TimeoutError()), Cause.TIMED_OUT, id="timeout"),
        pytest.param(Line(text=PASS_E1, delay_seconds=60), Cause.TIMED_OUT, id="hang"),
        pytest.param(
            Line(error=ModelError(kind=FailureKind.RATE_LIMITED, message="429")), Cause.VERIFIER_ERROR, id="rate_limit"
        ),
        pytest.param(Line(raises=RecursionError()), Cause.VERIFIER_ERROR, id="recursion"),
        pytest.param(Line(raises=ExceptionGroup("g", [OSError()])), Cause.VERIFIER_ERROR, id="exception_group"),
    ],
)
def test_a_verifier_that_fails_lowers_the_decision_and_leaves_one_record(line: Line, cause: Cause) -> None:
    """Field cases E05 and E06."""
    made = gate_bench(verifier=[line])
    made.record(FOUND)
    turn = made.check()
    assert decided(turn) == (Verdict.LOW_CONFID, cause)
    assert turn.text.startswith("Not confirmed")
    assert "CANARY" not in turn.text
    assert [(one.decision, one.cause) for one in made.evaluations()] == [(Verdict.LOW_CONFID, cause)]


def test_a_verifier_that_recovers_is_asked_again_and_the_attempts_are_recorded() -> None:
    """Field case E05, retry_then_ok."""
    made = gate_bench(verifier=[Line(raises=TimeoutError()), PASS_E1], rules=TurnRules(verifier_retries=1))
    made.record(FOUND)
    assert decided(made.check()) == (Verdict.PASS, Cause.VERIFIED)
    assert made.evaluations()[0].attempts == 2


def test_a_verifier_that_is_switched_off_passes_nothing() -> None:
    """Field case E06, verifier_disabled."""
    made = gate_bench(verifier=None)
    made.record(FOUND)
    assert decided(made.check()) == (Verdict.LOW_CONFID, Cause.VERIFIER_DISABLED)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param((BROKEN, BROKEN), id="all_failed"),
        pytest.param((), id="no_rows"),
        pytest.param((EMPTY,), id="only_no_evidence"),
        pytest.param((outcomes.deduped_from("same_query", ("call-0",)),), id="only_deduped"),
    ],
)
def test_without_a_success_nothing_passes(given: tuple[outcomes.Outcome, ...]) -> None:
    """Field case E10."""
    made = gate_bench()
    made.record(*given)
    assert decided(made.check()) == (Verdict.LOW_CONFID, Cause.NO_EVIDENCE)


@pytest.mark.parametrize("answer", [None, "", " \u200b\n", "x" * 100_001], ids=["none", "empty", "blank", "too_long"])
def test_what_is_no_answer_is_not_verified(answer: str | None) -> None:
    made = gate_bench()
    made.record(FOUND)
    assert decided(made.check(answer)) == (Verdict.LOW_CONFID, Cause.EXECUTOR_FAILED)
    assert made.model.requests == []


def test_an_answer_that_was_cut_off_is_none() -> None:
    made = gate_bench()
    made.record(FOUND)
    turn = made.gate.check_now(QUESTION, ANSWER, session_id="s-1", turn_id="t-1", finish_reason="length")
    assert decided(turn) == (Verdict.LOW_CONFID, Cause.EXECUTOR_FAILED)


def test_a_call_of_another_turn_or_session_carries_nothing() -> None:
    """Field case E09, other_session."""
    made = gate_bench()
    made.record(FOUND, turn_id="t-0")
    made.record(FOUND, session_id="s-2")
    assert decided(made.check()) == (Verdict.LOW_CONFID, Cause.NO_EVIDENCE)
    assert made.evaluations("s-2") == ()


def test_without_a_turn_the_answer_may_rest_on_the_whole_session() -> None:
    made = gate_bench()
    made.record(FOUND, turn_id="t-0")
    turn = made.check(turn_id=None)
    assert decided(turn) == (Verdict.PASS, Cause.VERIFIED)
    assert turn.turn_id not in ("", "t-0")


def test_calls_that_another_process_recorded_count() -> None:
    store = MemoryStore()
    recording = gate_bench(store=store)
    recording.record(FOUND)
    recording.sink.flush("s-1", deadline=5)
    checking = gate_bench(store=store)
    assert decided(checking.check()) == (Verdict.PASS, Cause.VERIFIED)


def test_the_verifier_reads_outputs_whole_until_the_turn_is_checked() -> None:
    made = gate_bench(verifier=[PASS_E1, PASS_E1])
    long = "\n".join(f"03:{minute % 60:02} line {minute}" for minute in range(2_000))
    made.record(outcomes.Success(support=Support.DIRECT, output=long))
    made.check()
    made.check()
    first, again = (request.shown[0] for request in made.model.requests if isinstance(request, VerifyRequest))
    assert (first.text, first.whole) == (long, True)
    assert (again.text, again.whole) == (made.rows()[0].output_preview, False)


@pytest.mark.parametrize(
    ("broken", "cause"),
    [
        pytest.param("rows", Cause.EVIDENCE_UNREADABLE, id="rows_lost_by_store"),
        pytest.param("find", Cause.EVIDENCE_UNREADABLE, id="find"),
        pytest.param("append", Cause.EVIDENCE_NOT_STORED, id="append"),
        pytest.param("save", Cause.EVALUATION_NOT_STORED, id="save"),
    ],
)
@pytest.mark.parametrize("raises", [True, False])
def test_a_store_that_breaks_lets_nothing_pass(broken: str, cause: Cause, *, raises: bool) -> None:
    """Field case E10, rows_lost_by_store."""
    made = gate_bench(store=FaultyStore(broken=frozenset({broken}), raises=raises))
    made.record(FOUND)
    turn = made.check()
    assert decided(turn) == (Verdict.LOW_CONFID, cause)
    assert "CANARY" not in turn.text
    assert "query_logs" in turn.text


def test_a_row_that_only_another_recorder_knows_and_nobody_can_read_lowers(tmp_path: Path) -> None:
    made = gate_bench(store=FaultyStore(broken=frozenset({"append"})), spool=Spool(tmp_path / "spool"))
    stranger = ToolInvocationRecorder(made.sink, rules=made.gate.recorder.rules)
    stranger.record(stranger.open("query_logs", {}, session_id="s-1", turn_id="t-1"), FOUND)
    turn = made.check()
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.LOW_CONFID
    assert turn.evaluation is not None
    assert len(read_snapshot(turn.evaluation.evidence).unwrap().lost) == 1


@pytest.mark.parametrize("session_id", ["", "x" * 201, "a\x00b"], ids=["blank", "too_long", "nul"])
def test_a_session_that_cannot_be_stored_has_no_calls(session_id: str) -> None:
    turn = gate_bench().gate.check_now(QUESTION, ANSWER, session_id=session_id)
    assert decided(turn) == (Verdict.LOW_CONFID, Cause.NO_EVIDENCE)
    assert turn.session_id.startswith("unassigned-")


@pytest.mark.parametrize("turn_id", [7, b"t-1", ["t-1"]], ids=["number", "bytes", "list"])
def test_a_turn_id_that_is_no_text_is_none(turn_id: Any) -> None:
    turn = gate_bench().gate.check_now(QUESTION, ANSWER, session_id="s-1", turn_id=turn_id)
    assert decided(turn) == (Verdict.LOW_CONFID, Cause.NO_EVIDENCE)


def test_a_turn_without_a_question_is_checked_all_the_same() -> None:
    made = gate_bench()
    made.record(FOUND)
    assert decided(made.check(question=" ")) == (Verdict.PASS, Cause.VERIFIED)
    assert made.evaluations()[0].question == NO_QUESTION


def test_a_greeting_gets_our_words_and_no_text_of_the_model() -> None:
    turn = gate_bench().check(question="Hello!")
    assert turn.decision is None
    assert "CANARY" not in turn.text


def test_what_needs_no_evidence_is_the_users_to_say() -> None:
    made = gate_bench(talk=lambda question: "Bye." if question == "bye" else None)
    made.record(FOUND)
    assert made.check(question="bye").text == "Bye."
    assert decided(made.check(question="hello")) == (Verdict.PASS, Cause.VERIFIED)


def test_a_secret_in_an_answer_reaches_no_verifier_and_matches_its_evidence() -> None:
    made = gate_bench()
    made.record(outcomes.Success(support=Support.DIRECT, output="url=postgres://app:hunter22@db/shop"))
    turn = made.check("It used postgres://app:hunter22@db/shop.")
    (request,) = made.model.requests
    assert isinstance(request, VerifyRequest)
    assert "hunter22" not in request.prompt + turn.text + repr(made.evaluations())
    (marker,) = set(re.findall(r"\[redacted [^\]]+\]", request.answer))
    assert marker in request.shown[0].text


def test_a_next_step_names_a_foreign_tool_by_itself() -> None:
    made = gate_bench(expected=[ExpectedSource(tool_name="list_pods", source_name="cluster")])
    made.record(BROKEN)
    assert 'Run: query_logs \'{"pattern":' in made.check().text
    assert (
        "Run: list_pods '{}'"
        in gate_bench(expected=[ExpectedSource(tool_name="list_pods", source_name="cluster")]).check().text
    )


def test_a_cancelled_check_is_recorded_once() -> None:
    """Field case E05, caller_cancels."""
    made = gate_bench(verifier=[Line(text=PASS_E1, delay_seconds=60)])
    made.record(FOUND)

    async def cancel() -> None:
        asked = asyncio.Event()
        task = asyncio.ensure_future(
            made.gate.check(QUESTION, ANSWER, session_id="s-1", turn_id="t-1", watch=lambda step: asked.set())
        )
        await asked.wait()
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    assert [one.cause for one in made.evaluations()] == [Cause.CANCELLED]


def test_a_gate_over_a_trace_is_one_line_and_needs_no_model(tmp_path: Path) -> None:
    trace = open_trace(Settings(store=str(tmp_path / "trace.db"))).unwrap()
    gate = Gate.of(trace)
    opened = gate.recorder.open("list_pods", {"namespace": "shop"}, session_id="s-1", turn_id="t-1")
    gate.recorder.record(opened, outcomes.Success(support=Support.INDIRECT, output="cart-0"))
    turn = gate.check_now("which pods run in shop?", "cart-0 runs there. [e1]", session_id="s-1", turn_id="t-1")
    assert turn.evaluation is not None
    assert (turn.evaluation.model, turn.evaluation.turn_id) == ("rules-1", "t-1")
    assert trace.store.evaluations("s-1").unwrap() == (turn.evaluation,)
    trace.close()
