"""The OpenAI Agents SDK, its tracing switched off."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from typing import Any

from agents import (
    Agent,
    Model,
    ModelResponse,
    RunConfig,
    RunHooks,
    Runner,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from agents.memory import SQLiteSession
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)
from typing_extensions import override

from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.openai_agents import GroundtraceRunner, as_language_model
from groundtrace_testing.frameworks.agents import Asked, Driver, ModelBrokeError, Ran, Step

set_tracing_disabled(True)


class ScriptedModel(Model):
    """Plays one step a request, the last one again and again."""

    def __init__(self, steps: Sequence[Step], /) -> None:
        self._steps = tuple(steps)
        self.requests: list[Any] = []
        self.tracing: list[Any] = []

    def shown(self) -> list[str]:
        """Return what the last request showed of tools."""
        items = self.requests[-1] if isinstance(self.requests[-1], list) else []
        return [repr(one["output"]) for one in items if one.get("type") == "function_call_output"]

    @override
    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **options: Any) -> ModelResponse:
        step = self._next(input)
        self.tracing.append(rest[-1] if rest else options["tracing"])
        if step.fails:
            raise ModelBrokeError("in the middle")
        return ModelResponse(output=self._items(step), usage=Usage(), response_id=None)

    @override
    async def stream_response(
        self, system_instructions: Any, input: Any, *rest: Any, **options: Any
    ) -> AsyncIterator[Any]:
        step = self._next(input)
        self.tracing.append(rest[-1] if rest else options["tracing"])
        for place, text in enumerate(step.chunks):
            yield ResponseTextDeltaEvent(
                content_index=0,
                delta=text,
                item_id="m",
                logprobs=[],
                output_index=0,
                sequence_number=place,
                type="response.output_text.delta",
            )
        if step.fails:
            raise ModelBrokeError("in the middle")
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=self._items(step),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(response=response, sequence_number=99, type="response.completed")

    def _next(self, asked: Any) -> Step:
        self.requests.append(asked)
        return self._steps[min(len(self.requests), len(self._steps)) - 1]

    def _items(self, step: Step) -> list[Any]:
        number = len(self.requests)
        text = ResponseOutputText(text=step.text, annotations=[], type="output_text")
        message = ResponseOutputMessage(
            id=f"m-{number}", content=[text], role="assistant", status="completed", type="message"
        )
        calls = [
            ResponseFunctionToolCall(
                call_id=f"call-{id(self)}-{number}-{place}", name=name, arguments=json.dumps(args), type="function_call"
            )
            for place, (name, args) in enumerate(step.calls)
        ]
        return [*([message] if step.text else []), *calls]


class Listener(RunHooks[Any]):
    """Tells whatever the SDK tells its hooks."""

    def __init__(self, ran: Ran, /) -> None:
        self._ran = ran

    @override
    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self._ran.tell(response)

    @override
    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        self._ran.tell(output)


def agent_of(asked: Asked) -> tuple[Agent[Any], ScriptedModel]:
    """Return an agent and its model."""
    model = ScriptedModel(asked.steps)
    return Agent(name="bench", model=model, tools=[function_tool(one) for one in asked.tools]), model


class OpenAIAgents(Driver):
    """`run` and `run_streamed`."""

    hidden = ValueError

    @override
    def language_model(self, *steps: Step) -> LanguageModel:
        return as_language_model(ScriptedModel(steps))

    @override
    async def ask(self, asked: Asked, /) -> Ran:
        agent, model = agent_of(asked)
        ran = asked.ran
        if asked.gate is None:
            result = await Runner.run(agent, asked.question)
        else:
            runner = GroundtraceRunner(asked.gate, **asked.options)
            with closing(SQLiteSession(asked.session_id)) as session:
                result = await runner.run(agent, asked.question, session=session, hooks=Listener(ran))
                ran.tell(await session.get_items())
        ran.tell(result.to_input_list(), result.raw_responses, result.new_items, result.final_output)
        ran.text, ran.shown = str(result.final_output), model.shown()
        return ran

    @override
    async def streams(self, asked: Callable[[], Asked], /) -> list[Ran]:
        one = asked()
        assert one.gate is not None
        agent, model = agent_of(one)
        ran = one.ran
        runner = GroundtraceRunner(one.gate, **one.options)
        config = RunConfig(group_id=one.session_id)
        result = runner.run_streamed(agent, one.question, hooks=Listener(ran), run_config=config)
        async for event in result.stream_events():
            ran.tell(event)
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                ran.pieces.append(event.data.delta)
        ran.tell(result.to_input_list(), result.raw_responses, result.final_output)
        ran.text, ran.shown = str(result.final_output), model.shown()
        return [ran]


DRIVERS: dict[str, Driver] = {"openai_agents": OpenAIAgents()}
