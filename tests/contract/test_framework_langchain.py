"""What LangChain and LangGraph alone have: interrupts, threads, other middleware, structured responses, messages."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from groundtrace import outcomes
from groundtrace.outcomes import Support
from groundtrace.verdict import Cause, Verdict
from groundtrace_testing.chat_bench import verdict
from groundtrace_testing.frameworks.agents import Step, call, say
from groundtrace_testing.gate_bench import PASS_E1, GateBench, close_gate_benches, gate_bench

pytestmark = pytest.mark.frameworks

LOOK = call(("look", {"place": "db"}))
THREAD: Any = {"configurable": {"thread_id": "thread-7"}}
ASK: Any = {"messages": [("user", "what is in db?")]}


def look(place: str) -> str:
    """Look at a place."""
    return f"{place}: 3 rows"


@pytest.fixture(autouse=True)
def _benches_are_closed() -> Iterator[None]:
    yield
    close_gate_benches()


def agent_of(made: GateBench, *steps: Step, tools: list[Any], middleware: tuple[Any, ...] = (), **more: Any) -> Any:
    agents = importlib.import_module("langchain.agents")
    memory = importlib.import_module("langgraph.checkpoint.memory")
    chat = importlib.import_module("groundtrace_testing.frameworks.scripted_chat")
    ours = importlib.import_module("groundtrace_app.frameworks.langchain")
    return agents.create_agent(
        chat.ScriptedChat.of(steps),
        tools,
        middleware=[ours.GroundtraceMiddleware(made.gate), *middleware],
        checkpointer=memory.InMemorySaver(),
        **more,
    )


def test_the_thread_is_the_session_and_each_run_is_a_turn() -> None:
    made = gate_bench(verifier=[PASS_E1, PASS_E1])
    agent = agent_of(made, LOOK, say("3 rows"), LOOK, say("still 3"), tools=[look])
    agent.invoke(ASK, THREAD)
    agent.invoke(ASK, THREAD)
    rows = made.rows("thread-7")
    assert len({row.turn_id for row in rows}) == 2
    assert [one.turn_id for one in made.evaluations("thread-7")] == [row.turn_id for row in rows]


def test_without_a_thread_each_run_is_a_session_of_its_own() -> None:
    made = gate_bench()
    agents = importlib.import_module("langchain.agents")
    chat = importlib.import_module("groundtrace_testing.frameworks.scripted_chat")
    ours = importlib.import_module("groundtrace_app.frameworks.langchain")
    middleware = [ours.GroundtraceMiddleware(made.gate)]
    agent = agents.create_agent(chat.ScriptedChat.of((LOOK, say("3 rows"))), [look], middleware=middleware)
    assert agent.invoke(ASK)["messages"][-1].text == "3 rows"
    (line,) = made.store.sessions().unwrap()
    assert line.rows == 1


def test_the_next_turn_begins_with_what_the_user_saw() -> None:
    """Field case E01, next_turn_messages."""
    made = gate_bench(verifier=[verdict("REJECT")] * 2)
    agent = agent_of(made, LOOK, say("CANARY-7f3a rows"), tools=[look])
    agent.invoke(ASK, THREAD)
    state = agent.invoke(ASK, THREAD)
    assert "CANARY" not in repr(state)
    assert state["messages"][-1].response_metadata["groundtrace"]["verdict"] == "REJECT"


def test_an_interrupted_call_goes_on_in_its_turn_and_leaves_one_row() -> None:
    types = importlib.import_module("langgraph.types")

    def ask_first(place: str) -> str:
        """Ask a person, then look."""
        return f"{types.interrupt('may I?')}: {look(place)}"

    made = gate_bench()
    agent = agent_of(
        made,
        call(("look", {"place": "db"})),
        call(("ask_first", {"place": "db"})),
        say("3 rows"),
        tools=[look, ask_first],
    )
    agent.invoke(ASK, THREAD)
    assert [row.tool_name for row in made.rows("thread-7")] == ["look"]
    agent.invoke(types.Command(resume="yes"), THREAD)
    rows = made.rows("thread-7")
    assert [row.tool_name for row in rows] == ["look", "ask_first"]
    assert len({row.turn_id for row in rows}) == 1
    assert rows[1].output_preview == "yes: db: 3 rows"
    assert [one.cause for one in made.evaluations("thread-7")] == [Cause.VERIFIED]


def test_an_answer_that_other_middleware_puts_in_is_checked_at_the_end() -> None:
    types = importlib.import_module("langchain.agents.middleware")
    messages = importlib.import_module("langchain_core.messages")

    def boast(state: Any, runtime: Any) -> dict[str, Any] | None:
        last = state["messages"][-1]
        if last.tool_calls:
            return None
        return {"messages": [messages.AIMessage(content="CANARY-7f3a it is all fine", id=last.id)]}

    made = gate_bench(verifier=[PASS_E1, verdict("REJECT")])
    state = agent_of(made, LOOK, say("3 rows"), tools=[look], middleware=(types.after_model(boast),)).invoke(
        ASK, THREAD
    )
    assert state["messages"][-1].text.startswith("Answer withheld")
    assert [one.decision for one in made.evaluations("thread-7")] == [Verdict.PASS, Verdict.REJECT]


def test_a_call_that_other_middleware_answers_is_recorded_as_answered() -> None:
    types = importlib.import_module("langchain.agents.middleware")
    messages = importlib.import_module("langchain_core.messages")

    def refuse(request: Any, handler: Any) -> Any:
        return messages.ToolMessage("not allowed", tool_call_id=request.tool_call["id"], status="error")

    made = gate_bench()
    agent_of(made, LOOK, say("nothing"), tools=[look], middleware=(types.wrap_tool_call(refuse),)).invoke(ASK, THREAD)
    (row,) = made.rows("thread-7")
    assert (row.outcome, row.error_message) == ("failure", "not allowed")


@pytest.mark.parametrize("passes", [True, False], ids=["pass", "reject"])
def test_a_structured_response_goes_out_only_if_it_is_confirmed(*, passes: bool) -> None:
    pydantic = importlib.import_module("pydantic")
    structured = importlib.import_module("langchain.agents.structured_output")
    grounding = importlib.import_module("groundtrace_app.frameworks.grounding")
    count = pydantic.create_model("Count", rows=(int, ...), why=(str, ...))
    made = gate_bench(verifier=[PASS_E1 if passes else verdict("REJECT")])
    final = call(("Count", {"rows": 3, "why": "CANARY-7f3a"}))
    agent = agent_of(made, LOOK, final, tools=[look], response_format=structured.ToolStrategy(count))
    if passes:
        assert agent.invoke(ASK, THREAD)["structured_response"] == count(rows=3, why="CANARY-7f3a")
        return
    with pytest.raises(grounding.AnswerWithheldError) as raised:
        agent.invoke(ASK, THREAD)
    assert "CANARY" not in repr(raised.value) + str(raised.value) + repr(agent.get_state(THREAD).values)


@pytest.mark.parametrize(
    ("status", "outcome", "told"),
    [("success", "success", ("3 rows", None)), ("error", "failure", (None, "3 rows"))],
)
def test_a_tool_that_returns_a_message_or_a_command_is_read_by_its_words(
    status: str, outcome: str, told: tuple[str | None, str | None]
) -> None:
    messages = importlib.import_module("langchain_core.messages")
    types = importlib.import_module("langgraph.types")
    tools = importlib.import_module("langchain_core.tools")

    def command(place: str, tool_call_id: Any) -> Any:
        """Look at a place."""
        return types.Command(
            update={"messages": [messages.ToolMessage("3 rows", tool_call_id=tool_call_id, status=status)]}
        )

    def message(place: str) -> Any:
        """Look at a place."""
        return messages.ToolMessage("3 rows", tool_call_id="call-1-1", status=status)

    command.__annotations__["tool_call_id"] = importlib.import_module("typing").Annotated[str, tools.InjectedToolCallId]
    made = gate_bench()
    both = call(("command", {"place": "db"}), ("message", {"place": "db"}))
    agent_of(made, both, say("3 rows"), tools=[tools.tool(command), tools.tool(message)]).invoke(ASK, THREAD)
    assert [(row.outcome, row.output_preview, row.error_message) for row in made.rows("thread-7")] == [
        (outcome, *told),
        (outcome, *told),
    ]


def test_content_and_artifact_are_told_apart() -> None:
    tools = importlib.import_module("langchain_core.tools")

    def look(place: str) -> tuple[str, dict[str, int]]:
        """Look at a place."""
        return "", {"rows": 3}

    made = gate_bench()
    tool = tools.tool(response_format="content_and_artifact")(look)
    agent_of(made, LOOK, say("nothing"), tools=[tool]).invoke(ASK, THREAD)
    assert [row.reason for row in made.rows("thread-7")] == ["empty_result"]


def test_a_tool_that_counts_its_calls_goes_on_counting() -> None:
    tools = importlib.import_module("langchain_core.tools")

    class Counter(tools.BaseTool):  # type: ignore[misc, name-defined]
        """A tool with a memory."""

        name: str = "look"
        description: str = "Look at a place."
        calls: int = 0

        def _run(self, place: str) -> str:
            self.calls += 1
            return f"call {self.calls}"

    counter, made = Counter(), gate_bench()
    agent_of(made, LOOK, LOOK, say("two"), tools=[counter]).invoke(ASK, THREAD)
    assert [row.output_preview for row in made.rows("thread-7")] == ["call 1", "call 2"]
    assert counter.calls == 2


@pytest.mark.parametrize("bound", [False, True], ids=["plain", "bound"])
def test_a_handler_of_the_model_itself_hears_no_answer(*, bound: bool) -> None:
    driver = importlib.import_module("groundtrace_testing.frameworks.langchain_driver")
    chat = importlib.import_module("groundtrace_testing.frameworks.scripted_chat")
    agents = importlib.import_module("groundtrace_testing.frameworks.agents")
    ours = importlib.import_module("groundtrace_app.frameworks.langchain")
    graphs = importlib.import_module("langgraph.graph")
    ran, made = agents.Ran(), gate_bench(verifier=[verdict("REJECT")])
    model = chat.ScriptedChat.of((say("CANARY-7f3a ", "rows"),))
    model.callbacks = [driver.Listener(ran)]
    if bound:
        model = model.with_config(callbacks=[driver.Listener(ran)])
    graph = graphs.StateGraph(graphs.MessagesState)
    graph.add_node("model", ours.gated_model_node(model, made.gate))
    graph.add_edge(graphs.START, "model")
    for chunk in graph.compile().stream(ASK, THREAD, stream_mode="messages"):
        ran.tell(chunk)
    assert "Answer withheld" in repr(ran.frames)
    assert "CANARY" not in repr(ran.frames)


@pytest.mark.parametrize("ends", ["continue", "end"])
def test_a_call_beyond_a_limit_was_not_made_and_is_recorded_as_denied(ends: str) -> None:
    limits = importlib.import_module("langchain.agents.middleware")
    made = gate_bench()
    limit = limits.ToolCallLimitMiddleware(run_limit=1, exit_behavior=ends)
    agent = agent_of(made, LOOK, LOOK, say("3 rows"), tools=[look], middleware=(limit,))
    agent.invoke(ASK, THREAD)
    rows = made.rows("thread-7")
    assert [(row.tool_name, row.outcome, row.reason) for row in rows] == [
        ("look", "success", None),
        ("look", "failure", "denied"),
    ]
    assert len({row.turn_id for row in rows}) == 1


def test_a_refusal_of_an_earlier_turn_is_not_recorded_again() -> None:
    limits = importlib.import_module("langchain.agents.middleware")
    made = gate_bench(verifier=[PASS_E1] * 2)
    limit = limits.ToolCallLimitMiddleware(run_limit=1, exit_behavior="end")
    agent = agent_of(made, LOOK, LOOK, say("3 rows"), tools=[look], middleware=(limit,))
    agent.invoke(ASK, THREAD)
    agent.invoke(ASK, THREAD)
    assert [row.reason for row in made.rows("thread-7")] == [None, "denied"]


def test_a_model_that_gives_no_message_is_refused_by_a_gated_node() -> None:
    runnables = importlib.import_module("langchain_core.runnables")
    ours = importlib.import_module("groundtrace_app.frameworks.langchain")
    structured = runnables.RunnableLambda(lambda _: {"why": "CANARY-7f3a"})
    node = ours.gated_model_node(structured, gate_bench().gate)
    with pytest.raises(TypeError, match="gives messages, not dict"):
        node.invoke({"messages": []})


@pytest.mark.parametrize("kind", ["refusal", "output_text"])
@pytest.mark.parametrize("calls", [[], [{"name": "look", "args": {}, "id": "1"}]], ids=["answer", "beside_a_call"])
def test_words_in_other_blocks_than_the_checked_text_do_not_go_out(kind: str, calls: list[dict[str, Any]]) -> None:
    messages = importlib.import_module("langchain_core.messages")
    fakes = importlib.import_module("langchain_core.language_models.fake_chat_models")
    ours = importlib.import_module("groundtrace_app.frameworks.langchain")
    made = gate_bench()
    begun = made.gate.recorder.open("look", {}, session_id="s-1", turn_id="t-1")
    made.gate.recorder.record(begun, outcomes.Success(support=Support.INDIRECT, output="cart-0 runs"))
    blocks = [{"type": "text", "text": "cart-0 runs"}, {"type": kind, kind: "CANARY"}]
    model = fakes.GenericFakeChatModel(messages=iter([messages.AIMessage(content=blocks, tool_calls=calls)]))
    asked = {"messages": [messages.HumanMessage("Which pods run?", id="t-1")]}
    told = ours.gated_model_node(model, made.gate).invoke(asked, {"configurable": {"thread_id": "s-1"}})
    (message,) = told["messages"]
    assert "CANARY" not in repr(message)
    assert message.text == ("" if calls else "cart-0 runs")
