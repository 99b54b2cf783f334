"""What the OpenAI Agents SDK alone has: timeouts of tools, handoffs, structured outputs, sessions."""

from __future__ import annotations

import asyncio
import importlib
import sys
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
                id="ws-1", status="completed", type="web_search_call", action={"type": "search", "query": "db at 16:52"}
            )
            return [searched, *super()._items(step)]

    made = gate_bench(verifier=[verdict("REJECT")])
    agent = sdk.Agent(name="a", model=Searching((say("CANARY-7f3a"),)))
    result = asyncio.run(runner(made.gate).run(agent, "what is in db?"))
    assert result.final_output.startswith("Answer withheld")
    assert "CANARY" not in repr((result.raw_responses, result.new_items))
    assert [item.type for response in result.raw_responses for item in response.output] == ["message"]


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


def serving(*results: Any) -> Any:
    """A server of MCP in this process, which gives these results in turn and raises those that are exceptions."""
    mcp = importlib.import_module("agents.mcp")
    types = importlib.import_module("mcp.types")
    left = list(results)

    class Server(mcp.MCPServer):  # type: ignore[misc, name-defined]
        name = "pods"

        async def connect(self) -> None: ...

        async def cleanup(self) -> None: ...

        async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Any]:
            schema = {"type": "object", "properties": {"place": {"type": "string"}}}
            return [types.Tool(name="look", inputSchema=schema)]

        async def call_tool(self, tool_name: str, arguments: Any, meta: Any = None) -> Any:
            given = left.pop(0)
            if isinstance(given, BaseException):
                raise given
            text, flag = given
            return types.CallToolResult(content=[types.TextContent(type="text", text=text)], isError=flag)

        async def list_prompts(self) -> Any: ...

        async def get_prompt(self, name: str, arguments: Any = None) -> Any: ...

    return Server()


@pytest.mark.parametrize("gated", [True, False], ids=["gated", "recorded only"])
def test_tools_of_an_mcp_server_are_recorded_with_their_own_flag_and_exception(sdk: Any, *, gated: bool) -> None:
    made = gate_bench(verifier=[verdict("PASS", "e1")])
    server = serving(("db: 3 rows", False), ("", False), ("no such place", True), ConnectionResetError("gone"))
    agent = sdk.Agent(name="a", model=scripted(LOOK, LOOK, LOOK, LOOK, say("3 rows")), mcp_servers=[server])
    result = asyncio.run(runner(made.gate, session_id="s-1", gated=gated).run(agent, "what is in db?"))
    told = [(row.tool_name, row.outcome, row.reason) for row in made.rows()]
    assert told == [
        ("look", "success", None),
        ("look", "no_evidence", "empty_result"),
        ("look", "failure", "error"),
        ("look", "failure", "unavailable"),
    ]
    assert made.rows()[0].input_params == '{"place":"db"}'
    assert result.final_output == "3 rows"
    assert agent.mcp_servers == [server]


def responding(*outputs: list[Any]) -> Any:
    """A model whose provider runs tools itself: each response has these items, streamed or not."""
    agents = importlib.import_module("agents")
    responses = importlib.import_module("openai.types.responses")
    left = list(outputs)

    class Hosted(agents.Model):  # type: ignore[misc, name-defined]
        async def get_response(self, *asked: Any, **options: Any) -> Any:
            return agents.ModelResponse(output=left.pop(0), usage=agents.Usage(), response_id=None)

        async def stream_response(self, *asked: Any, **options: Any) -> Any:
            response = responses.Response(
                id="r", created_at=0, model="m", object="response", output=left.pop(0), parallel_tool_calls=True,
                tool_choice="auto", tools=[],
            )  # fmt: skip
            yield responses.ResponseCompletedEvent(response=response, sequence_number=1, type="response.completed")

    return Hosted()


def item(kind: str, **fields: Any) -> Any:
    module = importlib.import_module("openai.types.responses.response_output_item")
    return getattr(module, kind)(id="i", **fields)


def message(text: str) -> Any:
    part = {"type": "output_text", "text": text, "annotations": []}
    return item("ResponseOutputMessage", type="message", role="assistant", status="completed", content=[part])


def search(status: str = "completed", **more: Any) -> Any:
    action = {"type": "search", "query": "db at 16:52", **more}
    return item("ResponseFunctionWebSearch", type="web_search_call", status=status, action=action)


def files(results: Any, status: str = "completed") -> Any:
    kind = "ResponseFileSearchToolCall"
    return item(kind, type="file_search_call", queries=["db"], status=status, results=results)


def code(outputs: Any, status: str = "completed") -> Any:
    kind = "ResponseCodeInterpreterToolCall"
    return item(kind, type="code_interpreter_call", code="1+1", container_id="c", outputs=outputs, status=status)


def hosted(output: str | None, error: Any = None) -> Any:
    call = {"name": "look", "arguments": '{"place":"db"}', "server_label": "pods", "output": output, "error": error}
    return item("McpCall", type="mcp_call", **call)


REFUSED = {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "no such place"}]}
CALLS: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("search", search, ("web_search", "no_evidence", "partial_empty")),
    (
        "addresses",
        lambda: search(sources=[{"type": "url", "url": "https://a.example"}]),
        ("web_search", "success", None),
    ),
    ("broken search", lambda: search("failed"), ("web_search", "failure", "error")),
    ("cut search", lambda: search("incomplete"), ("web_search", "failure", "cancelled")),
    ("passages", lambda: files([{"filename": "a.md", "text": "db is full"}]), ("file_search", "success", None)),
    ("no passage", lambda: files([]), ("file_search", "no_evidence", "no_match")),
    ("unseen passages", lambda: files(None), ("file_search", "no_evidence", "partial_empty")),
    ("logs", lambda: code([{"type": "logs", "logs": "2"}]), ("code_interpreter", "success", None)),
    ("silent code", lambda: code([]), ("code_interpreter", "no_evidence", "empty_result")),
    ("image", lambda: code([{"type": "image", "url": "u"}]), ("code_interpreter", "no_evidence", "partial_empty")),
    ("unseen code", lambda: code(None), ("code_interpreter", "no_evidence", "partial_empty")),
    ("hosted mcp", lambda: hosted("db: 3 rows"), ("look", "success", None)),
    ("empty hosted mcp", lambda: hosted("[]"), ("look", "no_evidence", "empty_result")),
    ("broken hosted mcp", lambda: hosted(None, REFUSED), ("look", "failure", "error")),
]


@pytest.mark.parametrize(("made_item", "told"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS])
def test_a_tool_that_the_provider_runs_is_recorded_by_what_its_item_shows(sdk: Any, made_item: Any, told: Any) -> None:
    made = gate_bench(verifier=[verdict("REJECT")])
    agent = sdk.Agent(name="a", model=responding([made_item(), message("3 rows")]))
    asyncio.run(runner(made.gate, session_id="s-1").run(agent, "what is in db?"))
    (row,) = made.rows()
    assert (row.tool_name, row.outcome, row.reason) == told
    assert row.support in (None, "INDIRECT")
    assert row.duration_ms is None


@pytest.mark.parametrize("gated", [True, False], ids=["gated", "recorded only"])
def test_what_the_provider_handed_over_is_evidence_before_the_answer_is_checked(sdk: Any, *, gated: bool) -> None:
    made = gate_bench(verifier=[PASS_E1])
    agent = sdk.Agent(name="a", model=responding([files([{"filename": "a.md", "text": "db: 3"}]), message("3 rows")]))

    async def streamed() -> Any:
        result = runner(made.gate, session_id="s-1", gated=gated).run_streamed(agent, "what is in db?")
        return [event async for event in result.stream_events()], result.final_output

    _, answer = asyncio.run(streamed())
    assert answer == "3 rows"
    assert [row.tool_name for row in made.rows()] == ["file_search"]
    assert [one.decision for one in made.evaluations()] == (["PASS"] if gated else [])


def test_an_answer_over_what_the_provider_kept_to_itself_is_not_confirmed(sdk: Any) -> None:
    made = gate_bench(verifier=[PASS_E1])
    agent = sdk.Agent(name="a", model=responding([search(), message("CANARY-7f3a")]))
    result = asyncio.run(runner(made.gate, session_id="s-1").run(agent, "what is in db?"))
    assert "CANARY" not in repr((result.final_output, result.raw_responses, result.new_items))
    assert [one.decision for one in made.evaluations()] == ["LOW_CONFID"]


def test_tools_of_a_real_server_over_pipes_are_recorded_until_it_dies(sdk: Any) -> None:
    mcp, command = importlib.import_module("agents.mcp"), importlib.import_module("groundtrace_testing.command")
    made = gate_bench(verifier=[PASS_E1])
    asked: list[tuple[str, dict[str, Any]]] = [
        ("pods", {"app": "cart"}),
        ("names", {"count": 0}),
        ("broken", {}),
        ("die", {"code": 9}),
    ]
    model = scripted(*(call(one) for one in asked), say("cart-0 runs"))
    words = {"command": sys.executable, "args": ["-m", "groundtrace_testing.mcp_peers.sdk_server"]}

    async def run() -> Any:
        async with mcp.MCPServerStdio({**words, "env": command.environment()}, cache_tools_list=True) as server:
            agent = sdk.Agent(name="a", model=model, mcp_servers=[server])
            return await runner(made.gate, session_id="s-1").run(agent, "which pods run?")

    result = asyncio.run(asyncio.wait_for(run(), 60))
    told = [(row.tool_name, row.outcome, row.reason) for row in made.rows()]
    assert told == [
        ("pods", "success", None),
        ("names", "no_evidence", "empty_result"),
        ("broken", "failure", "error"),
        ("die", "failure", "unavailable"),
    ]
    assert result.final_output == "cart-0 runs"
