"""One turn from question to reply: what leaks nowhere, what is remembered, what streams (DESIGN sections 9 and 10)."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import asdict

import pytest
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.explanation import explain
from groundtrace.judging import redecide
from groundtrace.outcomes import FailureKind, Support
from groundtrace.problem import Problem
from groundtrace.roles import DraftRequest, ModelError, PlanRequest, ToolSpec, VerifyRequest
from groundtrace.sources import Description
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.models.script import Line
from groundtrace_app.chat import Progress, Stage, Turn, TurnRules
from groundtrace_app.tools.answer import ToolAnswer
from groundtrace_testing.chat_bench import CANARY, NO_CALLS, PLAN_ONE, CannedTool, bench, verdict
from groundtrace_testing.sinks import eventually


def turns_of(steps: list[Progress | Turn | Problem]) -> list[Turn]:
    return [step for step in steps if isinstance(step, Turn)]


def told(steps: list[Progress | Turn | Problem]) -> str:
    return repr([step for step in steps if isinstance(step, Progress)])


def test_a_rejected_answer_reaches_no_channel(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Field case E01: return value, logs at DEBUG, reprs, stream frames, the next turn's history."""
    caplog.set_level(logging.DEBUG)
    made = bench(
        planner=[PLAN_ONE, NO_CALLS, NO_CALLS],
        executor=[CANARY, "fine"],
        verifier=[verdict("REJECT", reasons=["CANARY-7f3a is not shown"]), verdict("LOW_CONFID")],
    )
    steps = made.streamed()
    turn = turns_of(steps)[0]
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.REJECT
    out = capsys.readouterr()
    channels = (
        turn.text,
        repr(turn),
        repr(turn.decision),
        repr(turn.reply),
        repr(asdict(turn)),
        told(steps),
        caplog.text,
        out.out,
        out.err,
    )
    for channel in channels:
        assert "CANARY" not in channel
        assert "failed over at 03:12" not in channel.replace("03:12 the primary failed over", "")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(Line(text=verdict("REJECT", reasons=[CANARY], unsupported_claims=[CANARY])), id="reject"),
        pytest.param(Line(text=verdict(CANARY)), id="verdict_word"),
        pytest.param(Line(text=verdict("PASS", "e1", CANARY)), id="citation"),
        pytest.param(Line(text=verdict("PASS", "e1", unsupported_claims=[CANARY])), id="claim"),
        pytest.param(Line(text=verdict("PASS", "e1", confidence=CANARY)), id="confidence"),
        pytest.param(Line(text=f"so: {verdict('LOW_CONFID')}"), id="prose"),
        pytest.param(Line(text=verdict("PASS", "e1"), finish_reason=CANARY), id="finish_reason"),
        pytest.param(Line(raises=RuntimeError(CANARY)), id="raises"),
        pytest.param(Line(raises=type(CANARY, (Exception,), {})()), id="raises_by_name"),
        pytest.param(Line(error=ModelError(kind=FailureKind.ERROR, message=CANARY)), id="error"),
    ],
)
def test_no_field_of_a_turn_holds_what_was_withheld(line: Line) -> None:
    """Field case E01, API fields: whoever serialises a whole turn gives nothing away."""
    made = bench(verifier=[line], rules=TurnRules(flush_seconds=2, verifier_retries=0))
    turn = made.ask()
    assert turn.evaluation is not None
    assert turn.evaluation.withheld
    assert "CANARY" not in repr(asdict(turn))
    assert "CANARY" not in "".join(explain(turn.evaluation))
    (kept,) = made.store.evaluations("s-1").unwrap()
    assert kept.answer == CANARY
    assert explain(turn.evaluation) == explain(kept)
    assert redecide(turn.evaluation).map(lambda one: (one.verdict, one.cause)) == redecide(kept).map(
        lambda one: (one.verdict, one.cause)
    )


def test_the_next_turn_remembers_what_the_user_saw_and_not_what_was_withheld() -> None:
    """Field case E01, next_turn_messages."""
    made = bench(
        planner=[PLAN_ONE, NO_CALLS, NO_CALLS],
        executor=[CANARY, "fine"],
        verifier=[verdict("REJECT"), verdict("LOW_CONFID")],
    )
    made.ask("first?")
    made.ask("second?")
    later = [request for request in made.model.requests if isinstance(request, PlanRequest | DraftRequest)][-1]
    assert any("first?" in line and "Answer withheld" in line for line in later.history)
    assert "CANARY" not in repr(later)


def test_earlier_rows_of_the_session_are_summed_up_with_their_age_and_cannot_be_cited() -> None:
    made = bench(
        planner=[PLAN_ONE, NO_CALLS, NO_CALLS],
        executor=[CANARY, CANARY],
        verifier=[verdict("LOW_CONFID"), verdict("PASS", "e1")],
    )
    made.ask("first?")
    turn = made.ask("second?")
    asked = [request for request in made.model.requests if isinstance(request, VerifyRequest)]
    assert asked[0].earlier == ()
    assert [line.partition(": ")[0] for line in asked[1].earlier] == ["query_logs about general"]
    assert asked[1].earlier[0].endswith("ago)")
    assert asked[1].shown == ()
    assert turn.decision is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.LOW_CONFID, Cause.NO_EVIDENCE)


def test_a_stream_tells_progress_and_holds_every_character_back_until_the_decision() -> None:
    """Field case E02, pass."""
    steps = bench(verifier=[verdict("PASS", "e1")]).streamed()
    assert [step.stage for step in steps if isinstance(step, Progress)] == [
        Stage.PLAN,
        Stage.CALL,
        Stage.RESULT,
        Stage.PLAN,
        Stage.DRAFT,
        Stage.VERIFY,
        Stage.DECIDED,
    ]
    assert "CANARY" not in told(steps)
    assert isinstance(steps[-1], Turn)
    assert steps[-1].text.startswith(CANARY)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        pytest.param(Line(text='{"verdict":"REJECT"}'), Verdict.REJECT, id="reject"),
        pytest.param(Line(text=f"PASS! {verdict('PASS', 'e1')} <- final"), Verdict.LOW_CONFID, id="invalid"),
        pytest.param(Line(text="late", delay_seconds=60), Verdict.LOW_CONFID, id="verifier_hangs"),
    ],
)
def test_a_stream_without_a_pass_carries_no_answer_text(line: Line, word: Verdict) -> None:
    """Field case E02."""
    steps = bench(
        verifier=[line], rules=TurnRules(verifier_seconds=0.3, flush_seconds=1, verifier_retries=0)
    ).streamed()
    turn = turns_of(steps)[0]
    assert turn.decision is not None
    assert turn.decision.verdict is word
    assert "CANARY" not in told(steps) + turn.text


def test_a_reader_that_leaves_a_stream_does_not_stop_the_record() -> None:
    """Field case E02, client_disconnects."""
    made = bench(verifier=[Line(text=verdict("PASS", "e1"), delay_seconds=0.2)])

    async def leave_early() -> None:
        stream = made.chat.stream("did it?", session_id="s-1")
        async for step in stream:
            if isinstance(step, Progress) and step.stage is Stage.VERIFY:
                break
        await asyncio.to_thread(eventually, lambda: made.store.evaluations("s-1").unwrap() != ())

    asyncio.run(leave_early())
    assert [one.cause for one in made.store.evaluations("s-1").unwrap()] == [Cause.VERIFIED]


@pytest.mark.parametrize("question", ["hello", "Thanks!", "What can you do?", "  HI  "])
def test_a_greeting_gets_a_fixed_text_of_ours_and_no_model_is_asked(question: str) -> None:
    made = bench(planner=[], executor=[], verifier=())
    turn = made.ask(question)
    assert turn.decision is None
    assert turn.text
    assert made.store.evaluations("s-1").unwrap() == ()


def test_a_greeting_before_a_question_does_not_open_the_gate() -> None:
    made = bench(verifier=[verdict("PASS", "e9")])
    turn = made.ask("hello, what can you do about checkout being down?")
    assert turn.decision is not None
    assert turn.decision.cause is Cause.UNKNOWN_CITATION


@pytest.mark.parametrize(
    ("question", "session_id", "where"),
    [
        ("", "s-1", "question"),
        (" \u200b\n", "s-1", "question"),
        ("x" * 32_001, "s-1", "question"),
        ("why?", " ", "session"),
    ],
)
def test_a_question_that_cannot_be_used_is_refused_in_one_line(question: str, session_id: str, where: str) -> None:
    problem = bench().chat.answer_now(question, session_id=session_id).failure()
    assert problem.where == where
    assert "\n" not in problem.line()


class MeetingTool(CannedTool):
    """Answers once all of its calls are under way at the same time."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._all_here = asyncio.Barrier(calls)

    @override
    async def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> ToolAnswer:
        await self._all_here.wait()
        return await super().run(params, session_id=session_id, call_id=call_id)


def test_independent_calls_run_together_and_all_are_recorded() -> None:
    plan = '{"calls": [' + ",".join(['{"tool": "query_logs", "params": {}}'] * 5) + "]}"
    made = bench(planner=[plan, NO_CALLS], tools=[MeetingTool(5)], verifier=[verdict("PASS", "e5")])
    turn = made.ask()
    assert [row.success for row in made.store.rows("s-1").unwrap()] == [True] * 5
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.PASS


def test_a_planner_that_never_has_enough_is_asked_a_bounded_number_of_times() -> None:
    rules = TurnRules(max_steps=3, flush_seconds=2, verifier_retries=0)
    made = bench(planner=[PLAN_ONE] * 9, verifier=[verdict("PASS", "e3")], rules=rules)
    turn = made.ask()
    asked = [request for request in made.model.requests if isinstance(request, PlanRequest)]
    assert [(request.step, len(request.seen)) for request in asked] == [(1, 0), (2, 1), (3, 2)]
    assert len(made.store.rows("s-1").unwrap()) == 3
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.PASS


def test_calls_beyond_the_limit_are_not_made_and_the_reply_says_so() -> None:
    plan = '{"calls": [' + ",".join(['{"tool": "query_logs", "params": {}}'] * 5) + "]}"
    tool = CannedTool()
    rules = TurnRules(max_calls=3, flush_seconds=2)
    made = bench(planner=[plan, NO_CALLS], tools=[tool], verifier=[verdict("LOW_CONFID")], rules=rules)
    turn = made.ask()
    rows = made.store.rows("s-1").unwrap()
    assert [row.reason for row in rows if not row.success] == ["denied", "denied"]
    assert len(tool.calls) == 3
    assert "at most 3 calls" in turn.text


class ToolThatTells(CannedTool):
    """A tool whose source found secrets in its data."""

    @override
    async def describe(self) -> ToolSpec:
        source = Description(
            name="logs",
            entities={"pod": ("db-0",), "access_token": ("Zq9x8w7v6u5t",), "url": ("https://app:pw12345@db.test/x",)},
            titles=("rotate token=Zq9x8w7v6u5t",),
            unseen=("https://app:pw12345@db.test/x cannot be read",),
        )
        return ToolSpec(name=self.name, purpose="canned", parameters={}, source=source)


def test_a_secret_in_a_sources_description_reaches_no_model() -> None:
    """Field case B19: redaction comes before the model, the planner too."""
    made = bench(tools=[ToolThatTells()], verifier=[verdict("PASS", "e1")])
    made.ask()
    asked = repr(made.model.requests)
    assert "db-0" in asked
    assert "db.test" in asked
    assert "Zq9x8w7v6u5t" not in asked
    assert "pw12345" not in asked


def test_a_secret_in_a_question_is_redacted_before_anybody_can_repeat_it_bare() -> None:
    """Field case B19: `hunter2hunter2` alone, in a reason or an answer, would be a word like any other."""
    made = bench(executor=["no row speaks of it"], verifier=[verdict("LOW_CONFID")])
    made.ask("why is token=hunter2hunter2 refused by https://ann:pw12345@db.test at 03:12?")
    asked = repr(made.model.requests)
    assert "at 03:12?" in asked
    assert "db.test" in asked
    for secret in ("hunter2hunter2", "pw12345"):
        assert secret not in asked
        assert secret not in repr(asdict(made.store.evaluations("s-1").unwrap()[0]))


def test_a_secret_in_a_tools_answer_reaches_no_model_and_no_record() -> None:
    secret = "sk-live-AAAABBBBCCCCDDDDEEEE1234"
    found = outcomes.Success(support=Support.DIRECT, output=f"retry with token={secret} failed")
    made = bench(tools=[CannedTool(outcomes_given=[found])], verifier=[verdict("LOW_CONFID")])
    made.ask()
    assert secret not in repr(made.model.requests)
    assert secret not in repr(made.store.rows("s-1").unwrap())
    assert secret not in repr(made.store.evaluations("s-1").unwrap()[0].evidence)
