"""What the OpenAI Agents SDK alone has: timeouts of tools, handoffs, structured outputs, sessions."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from groundtrace_testing.chat_bench import verdict
from groundtrace_testing.frameworks.agents import Step, call, say
from groundtrace_testing.gate_bench import PASS_E1, close_gate_benches, gate_bench

pytestmark = pytest.mark.frameworks

LOOK = call(("look", {"place": "db"}))


def look(place: str) -> str:
    """Look at a place."""
    return f"{place}: 3 rows"


@pytest.fixture(autouse=True)
def _benches_are_closed() -> Iterator[None]:
    yield
    close_gate_benches()


@pytest.fixture
def sdk() -> Any:
    importlib.import_module("groundtrace_testing.frameworks.openai_agents_driver")
    return importlib.import_module("agents")


def scripted(*steps: Step) -> Any:
    return importlib.import_module("groundtrace_testing.frameworks.openai_agents_driver").ScriptedModel(steps)


def runner(*given: Any, **options: Any) -> Any:
    return importlib.import_module("groundtrace_app.frameworks.openai_agents").GroundtraceRunner(*given, **options)


def test_a_tool_that_the_sdk_stops_after_its_timeout_is_a_timeout(sdk: Any) -> None:
    async def look(place: str) -> str:
        """Look at a place."""
        await asyncio.sleep(60)
        return "late"

    made = gate_bench()
    tool = sdk.function_tool(timeout=0.05)(look)
    agent = sdk.Agent(name="a", model=scripted(LOOK, say("no")), tools=[tool])
    asyncio.run(runner(made.gate, session_id="s-1").run(agent, "what is in db?"))
    assert [(row.outcome, row.reason) for row in made.rows()] == [("failure", "timeout")]


def test_a_session_of_the_sdk_is_the_session_and_keeps_what_the_user_saw(sdk: Any) -> None:
    """Field case E01, next_turn_messages."""
    memory = importlib.import_module("agents.memory")
    made = gate_bench(verifier=[verdict("REJECT")] * 2)
    agent = sdk.Agent(name="a", model=scripted(LOOK, say("CANARY-7f3a")), tools=[sdk.function_tool(look)])

    async def twice() -> Any:
        session = memory.SQLiteSession("inc-42")
        for _ in range(2):
            await runner(made.gate).run(agent, "what is in db?", session=session)
        kept = await session.get_items()
        session.close()
        return kept

    assert "CANARY" not in repr(asyncio.run(twice()))
    assert len(made.rows("inc-42")) == 1
    assert len(made.evaluations("inc-42")) == 2


def test_an_agent_that_is_handed_over_to_is_recorded_and_gated_too(sdk: Any) -> None:
    made = gate_bench(verifier=[verdict("REJECT")])
    second = sdk.Agent(name="second", model=scripted(LOOK, say("CANARY-7f3a")), tools=[sdk.function_tool(look)])
    first = sdk.Agent(name="first", model=scripted(call(("transfer_to_second", {}))), handoffs=[sdk.handoff(second)])
    second.handoffs = [first]
    result = asyncio.run(runner(made.gate, session_id="s-1").run(first, "what is in db?"))
    assert result.final_output.startswith("Answer withheld")
    assert "CANARY" not in repr((result.raw_responses, result.new_items))
    assert [row.tool_name for row in made.rows()] == ["look"]


def test_the_agent_that_was_given_stays_as_it_is(sdk: Any) -> None:
    made = gate_bench(verifier=[PASS_E1, PASS_E1])
    model, tool = scripted(LOOK, say("3 rows"), LOOK, say("3 rows")), sdk.function_tool(look)
    agent = sdk.Agent(name="a", model=model, tools=[tool])
    result = asyncio.run(runner(made.gate, session_id="s-1").run(agent, "what is in db?"))
    assert (agent.model, agent.tools) == (model, [tool])
    asyncio.run(runner(made.gate, session_id="s-1").run(result.last_agent, "again?"))
    assert len(made.rows()) == 2
    assert len(made.evaluations()) == 2


@pytest.mark.parametrize("passes", [True, False], ids=["pass", "reject"])
def test_a_structured_output_goes_out_only_if_it_is_confirmed(sdk: Any, *, passes: bool) -> None:
    count = importlib.import_module("pydantic").create_model("Count", rows=(int, ...), why=(str, ...))
    grounding = importlib.import_module("groundtrace_app.frameworks.grounding")
    made = gate_bench(verifier=[PASS_E1 if passes else verdict("REJECT")])
    model = scripted(LOOK, say('{"rows": 3, ', '"why": "CANARY-7f3a"}'))
    agent = sdk.Agent(name="a", model=model, tools=[sdk.function_tool(look)], output_type=count)
    if passes:
        result = asyncio.run(runner(made.gate).run(agent, "what is in db?"))
        assert result.final_output == count(rows=3, why="CANARY-7f3a")
        return
    with pytest.raises(grounding.AnswerWithheldError) as raised:
        asyncio.run(runner(made.gate).run(agent, "what is in db?"))
    assert "CANARY" not in repr(raised.value) + str(raised.value) + repr(vars(raised.value))


def test_a_model_that_is_named_for_the_whole_run_is_gated(sdk: Any) -> None:
    made = gate_bench(verifier=[verdict("REJECT")])
    agent = sdk.Agent(name="a", model="unused", tools=[sdk.function_tool(look)])
    config = sdk.RunConfig(model=scripted(LOOK, say("CANARY-7f3a")))
    result = asyncio.run(runner(made.gate).run(agent, "what is in db?", run_config=config))
    assert result.final_output.startswith("Answer withheld")


def test_a_tool_that_is_no_function_of_python_is_recorded_too(sdk: Any) -> None:
    async def invoke(context: Any, arguments: str) -> Any:
        raise ConnectionError(arguments)

    tool = sdk.FunctionTool(
        name="look", description="", params_json_schema={}, on_invoke_tool=invoke, strict_json_schema=False
    )
    made = gate_bench()
    agent = sdk.Agent(name="a", model=scripted(LOOK, say("no")), tools=[tool])
    with pytest.raises(Exception, match="db"):
        asyncio.run(runner(made.gate, session_id="s-1").run(agent, "what is in db?"))
    assert [(row.outcome, row.reason) for row in made.rows()] == [("failure", "unavailable")]


def test_an_answer_beside_a_search_of_the_provider_is_checked_too(sdk: Any) -> None:
    responses = importlib.import_module("openai.types.responses")
    driver = importlib.import_module("groundtrace_testing.frameworks.openai_agents_driver")

    class Searching(driver.ScriptedModel):  # type: ignore[misc, name-defined]
        """Searches the web before each answer."""

        def _items(self, step: Step) -> list[Any]:
            searched = responses.ResponseFunctionWebSearch(
                id="ws-1", status="completed", type="web_search_call", action={"type": "search", "query": "CANARY-7f3a"}
            )
            return [searched, *super()._items(step)]

    made = gate_bench(verifier=[verdict("REJECT")])
    agent = sdk.Agent(name="a", model=Searching((say("CANARY-7f3a"),)))
    result = asyncio.run(runner(made.gate).run(agent, "what is in db?"))
    assert result.final_output.startswith("Answer withheld")
    assert "CANARY" not in repr((result.raw_responses, result.new_items))


def test_no_trace_of_the_sdk_holds_what_the_model_said(sdk: Any) -> None:
    made, model = gate_bench(verifier=[verdict("REJECT")]), scripted(LOOK, say("CANARY-7f3a"))
    agent = sdk.Agent(name="a", model=model, tools=[sdk.function_tool(look)])

    async def both() -> None:
        await runner(made.gate).run(agent, "what is in db?")
        async for _ in runner(made.gate).run_streamed(agent, "what is in db?").stream_events():
            pass

    asyncio.run(both())
    assert len(model.tracing) == 3
    assert [tracing.include_data() for tracing in model.tracing] == [False] * 3
