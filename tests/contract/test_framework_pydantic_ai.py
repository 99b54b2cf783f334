"""What Pydantic AI alone has: timeouts of tools, conversations, output tools, tool returns, deferred calls."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from groundtrace.verdict import Cause
from groundtrace_testing.chat_bench import verdict
from groundtrace_testing.frameworks.agents import Asked, Step, call, say
from groundtrace_testing.gate_bench import PASS_E1, GateBench, close_gate_benches, gate_bench

pytestmark = pytest.mark.frameworks

LOOK = call(("look", {"place": "db"}))


def look(place: str) -> str:
    """Look at a place."""
    return f"{place}: 3 rows"


@pytest.fixture(autouse=True)
def _benches_are_closed() -> Iterator[None]:
    yield
    close_gate_benches()


def agent_of(made: GateBench, *steps: Step, tools: list[Any], **options: Any) -> Any:
    ai = importlib.import_module("pydantic_ai")
    driver = importlib.import_module("groundtrace_testing.frameworks.pydantic_ai_driver")
    ours = importlib.import_module("groundtrace_app.frameworks.pydantic_ai")
    model = driver.Script(Asked(gate=None, steps=steps)).model()
    return ai.Agent(model, tools=tools, capabilities=[ours.Groundtrace(made.gate)], **options)


def test_a_tool_that_is_stopped_after_its_timeout_is_a_timeout() -> None:
    async def look(place: str) -> str:
        """Look at a place."""
        await asyncio.sleep(60)
        return "late"

    ai = importlib.import_module("pydantic_ai")
    made = gate_bench()
    agent = agent_of(made, LOOK, say("no"), tools=[ai.Tool(look, timeout=0.05)])
    asyncio.run(agent.run("what is in db?", conversation_id="s-1"))
    assert [(row.outcome, row.reason) for row in made.rows()] == [("failure", "timeout")]


def test_the_conversation_is_the_session_and_the_next_turn_begins_with_what_the_user_saw() -> None:
    """Field case E01, next_turn_messages."""
    made = gate_bench(verifier=[verdict("REJECT")] * 2)
    agent = agent_of(made, LOOK, say("CANARY-7f3a"), tools=[look])

    async def twice() -> Any:
        first = await agent.run("what is in db?", conversation_id="inc-42")
        return await agent.run("and now?", message_history=first.all_messages())

    assert "CANARY" not in repr(asyncio.run(twice()).all_messages())
    (row,) = made.rows("inc-42")
    first, second = made.evaluations("inc-42")
    assert row.turn_id == first.turn_id != second.turn_id
    assert second.question == "and now?"


@pytest.mark.parametrize("passes", [True, False], ids=["pass", "reject"])
@pytest.mark.parametrize("written", [True, False], ids=["as_text", "as_call"])
def test_a_structured_output_goes_out_only_if_it_is_confirmed(*, passes: bool, written: bool) -> None:
    ai = importlib.import_module("pydantic_ai")
    count = importlib.import_module("pydantic").create_model("Count", rows=(int, ...), why=(str, ...))
    grounding = importlib.import_module("groundtrace_app.frameworks.grounding")
    made = gate_bench(verifier=[PASS_E1 if passes else verdict("REJECT")])
    final = say('{"rows": 3, "why": "CANARY-7f3a"}')
    if not written:
        final = call(("final_result", {"rows": 3, "why": "CANARY-7f3a"}))
    output = ai.PromptedOutput(count) if written else count
    agent = agent_of(made, LOOK, final, tools=[look], output_type=output)
    if passes:
        assert asyncio.run(agent.run("what is in db?")).output == count(rows=3, why="CANARY-7f3a")
        return
    with pytest.raises(grounding.AnswerWithheldError) as raised:
        asyncio.run(agent.run("what is in db?"))
    assert "CANARY" not in repr(raised.value) + str(raised.value) + repr(vars(raised.value))


def test_a_tool_return_is_read_by_its_value() -> None:
    messages = importlib.import_module("pydantic_ai.messages")

    def look(place: str) -> Any:
        """Look at a place."""
        return messages.ToolReturn(return_value=[], content="seen", metadata={"rows": 3})

    made = gate_bench()
    asyncio.run(agent_of(made, LOOK, say("no"), tools=[look]).run("what is in db?", conversation_id="s-1"))
    assert [(row.outcome, row.reason) for row in made.rows()] == [("no_evidence", "empty_result")]


def find(place: str) -> str:
    """Find a place."""
    return "here"


@pytest.mark.parametrize("approved", [True, False], ids=["approved", "denied"])
def test_a_call_that_waits_for_approval_has_not_ended_and_goes_on_in_its_turn(*, approved: bool) -> None:
    ai = importlib.import_module("pydantic_ai")
    tools = importlib.import_module("pydantic_ai.tools")

    def look(ctx: Any, place: str) -> str:
        """Look at a place."""
        if not ctx.tool_call_approved:
            raise ai.ApprovalRequired
        return f"{place}: 3 rows"

    look.__annotations__["ctx"] = ai.RunContext[None]
    made = gate_bench()
    both = call(("find", {"place": "db"}), ("look", {"place": "db"}))
    agent = agent_of(made, both, say("3 rows"), tools=[find, look], output_type=[str, tools.DeferredToolRequests])

    async def answered(*, approved: bool) -> Any:
        first = await agent.run("what is in db?", conversation_id="s-1")
        assert [row.tool_name for row in made.rows()] == ["find"]
        ids = {one.tool_call_id: approved for one in first.output.approvals}
        results = tools.DeferredToolResults(approvals=ids)
        return await agent.run(message_history=first.all_messages(), deferred_tool_results=results)

    asyncio.run(answered(approved=approved))
    assert [(row.tool_name, row.output_preview, row.reason) for row in made.rows()] == [
        ("find", "here", None),
        ("look", "db: 3 rows", None) if approved else ("look", None, "denied"),
    ]
    assert len({row.turn_id for row in made.rows()}) == 1
    assert [one.cause for one in made.evaluations()] == [Cause.VERIFIED]
