"""The deciding half of the public API, used as a caller would: mypy holds the types, the run holds the values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_type

from returns.result import Result

import groundtrace
from groundtrace import outcomes

AT = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
RULES = groundtrace.RecordRules(redactor=groundtrace.Redactor(b"k" * 32))
CALL = groundtrace.ToolCall(
    session_id="inc-1", id="call-1", tool_name="query_logs", input_params={}, started_at=AT, duration_ms=3
)
FOUND = outcomes.Success(support=groundtrace.Support.DIRECT, output="connection refused")
ROW = groundtrace.record(CALL, FOUND, rules=RULES)
SHOWN = groundtrace.label_rows([ROW], whole={"call-1": "connection refused"})
ANSWER = "Connections were refused. [e1]"
LOGS = groundtrace.ExpectedSource(tool_name="query_logs", source_name="app logs")


def judge(decision: groundtrace.Decision, reply: groundtrace.Reply) -> groundtrace.Evaluation:
    judged = groundtrace.Judged(
        session_id="inc-1",
        id="turn-1-v",
        turn_id="turn-1",
        created_at=AT,
        question="what broke?",
        decision=decision,
        shown=SHOWN,
        reply_text=reply.text,
        withheld=reply.withheld,
        answer=ANSWER,
    )
    return groundtrace.evaluate(judged, redact=RULES.redactor.text)


def test_a_cited_success_carries_a_pass() -> None:
    parsed = groundtrace.parse_verdict('{"verdict": "PASS", "evidence_ids": ["e1"]}', finish_reason="stop")
    assert_type(parsed, Result[groundtrace.ParsedVerdict, groundtrace.UnusableReply])
    decision = groundtrace.decide(parsed, SHOWN, pass_needs=groundtrace.PassNeeds.DIRECT)
    assert (decision.verdict, decision.cause) == (groundtrace.Verdict.PASS, groundtrace.Cause.VERIFIED)
    assert groundtrace.ceiling(SHOWN) is groundtrace.Verdict.PASS
    covered = groundtrace.coverage_of([ROW], [LOGS])
    reply = groundtrace.shape(ANSWER, decision, SHOWN, covered, ())
    assert reply == groundtrace.shape_pass(ANSWER, decision, SHOWN, covered)
    citation: groundtrace.Citation = reply.citations[0]
    source: groundtrace.Covered = covered[0]
    assert (citation.label, source.state) == ("e1", groundtrace.CoverState.FOUND)
    assert not groundtrace.answer_withheld(decision, SHOWN, policy=groundtrace.ShowUnverified.NEVER)


def test_no_reply_is_a_fallback_and_withholds_the_answer() -> None:
    decision = groundtrace.fallback(groundtrace.cause_of_failure(groundtrace.FailureKind.TIMEOUT))
    step = groundtrace.NextStep(source="app logs", why="never asked", command="grep refused app.log")
    steps = (step, *groundtrace.suggest_steps([], groundtrace.coverage_of([], [LOGS]), [LOGS]))
    reply = groundtrace.shape_low(ANSWER, decision, SHOWN, (), steps)
    assert len(reply.next_steps) == 2
    assert reply.withheld
    assert groundtrace.not_stored(decision) == decision
    assert ANSWER not in reply.text


def test_a_rejected_answer_is_absent_from_the_public_view() -> None:
    parsed = groundtrace.parse_verdict('{"verdict": "REJECT"}')
    decision = groundtrace.decide(parsed, SHOWN)
    evaluation = judge(decision, groundtrace.shape_reject(decision, (), ()))
    assert groundtrace.must_hide(evaluation)
    assert groundtrace.public_view(evaluation, reveal=False)["answer"] is None
    assert_type(groundtrace.redecide(evaluation), Result[groundtrace.Decision, groundtrace.Problem])
    assert groundtrace.explain(evaluation)


def test_a_role_gets_a_prompt_and_a_plan_is_parsed() -> None:
    source = groundtrace.Description(name="app logs")
    tool = groundtrace.ToolSpec(name="query_logs", purpose="search logs", parameters={}, source=source)
    plan = groundtrace.PlanRequest(question="what broke?", now=AT, tools=(tool,))
    draft = groundtrace.DraftRequest(question="what broke?", shown=SHOWN)
    verify = groundtrace.verify_request("what broke?", ANSWER, shown=SHOWN)
    asked: tuple[groundtrace.ModelRequest, ...] = (plan, draft, verify)
    prompts: list[groundtrace.Prompt] = [
        groundtrace.planner_prompt(plan),
        groundtrace.draft_prompt(draft),
        groundtrace.verifier_prompt("what broke?", ANSWER, shown=SHOWN),
    ]
    assert_type(verify, groundtrace.VerifyRequest)
    assert len(asked) == len(prompts)
    assert prompts[-1].sha256 == verify.sha256
    calls = groundtrace.parse_plan('{"calls": [{"tool": "query_logs", "params": {}}]}')
    assert_type(calls, Result[tuple[groundtrace.PlannedCall, ...], groundtrace.Problem])
    shown: groundtrace.Shown = SHOWN[0]
    assert (len(calls.unwrap()), shown.state) == (1, groundtrace.RowState.STORED)
