"""What a turn may rest on: its own stored rows and those they repeat, shown whole within bounds (DESIGN section 8)."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.outcomes import DedupReason, OutcomeKind, Support
from groundtrace.roles import RowState, Shown, VerifyRequest
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.models.script import Line
from groundtrace_adapters.sinks.evaluation_spool import EvaluationSpool
from groundtrace_adapters.sinks.spool import Spool
from groundtrace_app.chat import TurnRules
from groundtrace_app.chat.evidence import whole_texts
from groundtrace_app.chat.turn import Done
from groundtrace_app.tools.answer import ToolAnswer
from groundtrace_testing.chat_bench import FOUND, NO_CALLS, PLAN_ONE, Bench, CannedTool, bench, verdict
from groundtrace_testing.faulty_store import FaultyStore
from groundtrace_testing.records import a_row


def verified(made: Bench) -> VerifyRequest:
    """Return what the verifier was asked last."""
    return [request for request in made.model.requests if isinstance(request, VerifyRequest)][-1]


def states(shown: tuple[Shown, ...]) -> list[tuple[str, RowState]]:
    return [(one.label, one.state) for one in shown]


def test_a_row_that_is_only_spooled_is_shown_as_such_and_carries_no_pass(tmp_path: Path) -> None:
    store = FaultyStore(broken=frozenset({"append"}))
    made = bench(verifier=[verdict("PASS", "e1")], store=store, spool=Spool(tmp_path / "spool"))
    turn = made.ask()
    assert states(verified(made).shown) == [("e1", RowState.SPOOLED)]
    assert "query_logs" in verified(made).prompt
    assert turn.decision is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.LOW_CONFID, Cause.EVIDENCE_NOT_STORED)
    assert turn.evaluation is not None


def test_an_earlier_turn_is_told_with_its_age_and_carries_nothing() -> None:
    made = bench(
        planner=[PLAN_ONE, NO_CALLS, NO_CALLS],
        executor=["as found", "as found before"],
        verifier=[verdict("PASS", "e1"), verdict("PASS", "e1")],
    )
    made.ask("did it fail over?")
    turn = made.ask("are you sure?")
    (earlier,) = verified(made).earlier
    assert "1 success (DIRECT)" in earlier
    assert earlier.endswith("s ago)")
    assert verified(made).shown == ()
    assert turn.decision is not None
    assert turn.decision.cause is Cause.NO_EVIDENCE


@pytest.mark.parametrize(
    ("cited", "cause"), [("e1", Cause.VERIFIED), ("e2", Cause.CITATION_NOT_SUCCESS)], ids=["repeated", "repeat"]
)
def test_a_repeat_brings_the_row_that_it_repeats_which_alone_can_carry_a_pass(cited: str, cause: Cause) -> None:
    tool = CannedTool()
    made = bench(
        planner=[PLAN_ONE, NO_CALLS, PLAN_ONE, NO_CALLS],
        executor=["as found", "as found before"],
        verifier=[verdict("PASS", "e1"), verdict("PASS", cited)],
        tools=[tool],
    )
    made.ask("did it fail over?")
    (first,) = made.store.rows("s-1").unwrap()
    tool.outcomes_given = [outcomes.deduped_from("same_query", (first.id,), inherited=OutcomeKind.SUCCESS)]
    turn = made.ask("did it fail over, again?")
    shown = verified(made).shown
    assert [(one.row.id == first.id, one.age_seconds is not None) for one in shown] == [(True, True), (False, False)]
    assert turn.decision is not None
    assert turn.decision.cause is cause


def a_done(id: str, text: str, outcome: outcomes.Outcome) -> Done:
    return Done(row=a_row(id=id), outcome=outcome, text=text, whole=True)


@pytest.mark.parametrize("reason", [DedupReason.SAME_QUERY, DedupReason.SAME_DOCUMENTS])
def test_a_repeat_lends_its_text_to_the_one_call_that_it_repeats(reason: DedupReason) -> None:
    repeat = outcomes.Deduped(reason=reason, of=("first",))
    assert whole_texts([a_done("again", "the passages", repeat)]) == {"first": "the passages", "again": "the passages"}


@pytest.mark.parametrize(
    ("reason", "of", "text"),
    [
        pytest.param(DedupReason.SAME_DOCUMENTS, ("first", "second"), "passages of both", id="documents_of_two"),
        pytest.param(DedupReason.SAME_QUERY, ("first", "second"), "passages of both", id="query_that_repeated_two"),
        pytest.param(DedupReason.SAME_QUERY, ("first",), " \n", id="nothing_to_lend"),
    ],
)
def test_no_call_is_shown_with_what_it_did_not_return(reason: DedupReason, of: tuple[str, ...], text: str) -> None:
    assert whole_texts([a_done("again", text, outcomes.Deduped(reason=reason, of=of))]) == {"again": text}


def test_a_call_of_the_turn_keeps_its_own_text() -> None:
    repeat = outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("first",))
    calls = [a_done("first", "its own", FOUND), a_done("again", "this repeats: its own", repeat)]
    for order in (calls, calls[::-1]):
        assert whole_texts(order)["first"] == "its own"


@pytest.mark.parametrize(("size", "whole"), [(1024 * 1024, True), (1024 * 1024 + 1, False)])
def test_an_output_is_shown_whole_up_to_its_bound_and_beyond_as_its_preview(size: int, *, whole: bool) -> None:
    text = ("03:12 the primary failed over. " * (size // 31 + 1))[:size]
    found = outcomes.Success(support=Support.DIRECT, output=text)
    made = bench(tools=[CannedTool(outcomes_given=[found])], verifier=[verdict("LOW_CONFID")])
    made.ask()
    (shown,) = verified(made).shown
    assert shown.whole is whole
    assert shown.text == (text if whole else shown.row.output_preview)


def test_no_turn_holds_more_than_16_mib_of_whole_outputs() -> None:
    text = "x" * 700_000
    plan = '{"calls": [' + ",".join(['{"tool": "query_logs", "params": {}}'] * 16) + "]}"
    found = outcomes.Success(support=Support.DIRECT, output=text)
    made = bench(
        planner=[plan, plan, NO_CALLS],
        tools=[CannedTool(outcomes_given=[found])],
        verifier=[verdict("LOW_CONFID")],
        rules=TurnRules(max_calls=32, flush_seconds=5, verifier_retries=0),
    )
    made.ask()
    held = [len(one.text) for one in verified(made).shown if one.whole]
    assert held == [700_000] * 16
    assert len(verified(made).shown) == 32


class StubbornTool(CannedTool):
    """Ignores its cancellation and answers all the same, too late."""

    @override
    async def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> ToolAnswer:
        """Answer after two cancellations."""
        for _ in range(2):
            try:
                await asyncio.sleep(0.2)
            except asyncio.CancelledError:
                continue
        return ToolAnswer(outcome=FOUND, text="late")


def test_the_late_result_of_a_tool_that_overran_is_dropped() -> None:
    rules = TurnRules(tool_seconds=0.1, flush_seconds=1, verifier_retries=0)
    made = bench(tools=[StubbornTool()], verifier=[Line(text=verdict("PASS", "e1"), delay_seconds=0.5)], rules=rules)
    turn = made.ask()
    assert [(row.reason, row.output_preview) for row in made.store.rows("s-1").unwrap()] == [("timeout", None)]
    assert turn.decision is not None
    assert turn.decision.cause is Cause.NO_EVIDENCE


def test_the_deadlines_are_those_of_the_contract_unless_set() -> None:
    rules = TurnRules()
    assert (rules.tool_seconds, rules.verifier_seconds, rules.turn_seconds) == (30, 60, 180)


HANGS = Line(text="late", delay_seconds=60)


@pytest.mark.parametrize(
    ("planner", "executor", "cause"),
    [
        pytest.param([HANGS], ["fine"], Cause.PLANNER_FAILED, id="planner"),
        pytest.param([PLAN_ONE, NO_CALLS], [HANGS], Cause.BUDGET_SPENT, id="executor"),
    ],
)
def test_a_role_that_hangs_ends_with_the_turns_time(
    planner: list[Line | str], executor: list[Line | str], cause: Cause
) -> None:
    rules = TurnRules(turn_seconds=0.5, flush_seconds=1, verifier_retries=0)
    turn = bench(planner=planner, executor=executor, verifier=[verdict("PASS", "e1")], rules=rules).ask()
    assert turn.decision is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.LOW_CONFID, cause)


def test_a_secret_is_redacted_before_it_reaches_the_spool(tmp_path: Path) -> None:
    secret = "sk-live-AAAABBBBCCCCDDDDEEEE1234"
    found = outcomes.Success(support=Support.DIRECT, output=f"retry with token={secret} failed")
    store = FaultyStore(broken=frozenset({"append", "save"}))
    plan = f'{{"calls": [{{"tool": "query_logs", "params": {{"api_key": "{secret}"}}}}]}}'
    made = bench(
        planner=[plan, NO_CALLS],
        tools=[CannedTool(outcomes_given=[found])],
        verifier=[verdict("LOW_CONFID")],
        store=store,
        spool=Spool(tmp_path),
        later=EvaluationSpool(tmp_path).keep,
    )
    made.ask(f"why does {secret} fail?")
    files = {path.suffix: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(files) == {".jsonl", ".json"}
    for content in files.values():
        assert b"[redacted" in content
        assert secret.encode() not in content


def test_a_lookup_that_overruns_is_recorded_as_a_lookup_that_failed_before_its_search() -> None:
    slow = CannedTool(name="lookup_knowledge", retrieves=True, seconds=30)
    plan = '{"calls": [{"tool": "lookup_knowledge", "params": {"query": "slots"}}]}'
    rules = TurnRules(tool_seconds=0.1, flush_seconds=1, verifier_retries=0)
    made = bench(planner=[plan, NO_CALLS], tools=[slow], verifier=[verdict("LOW_CONFID")], rules=rules)
    made.ask()
    (row,) = made.store.rows("s-1").unwrap()
    assert (row.tool_name, row.outcome, row.reason) == ("lookup_knowledge", OutcomeKind.FAILURE, "timeout")
    assert (row.retrieval_layer, row.l0_count, row.retrieval_details) == (None, None, None)
