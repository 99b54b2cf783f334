"""Pydantic AI with its function model."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from typing_extensions import override

from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.pydantic_ai import Groundtrace, as_language_model
from groundtrace_testing.frameworks.agents import Asked, Driver, ModelBrokeError, Ran, Step


class Script:
    """Plays one step a request, the last one again and again."""

    def __init__(self, asked: Asked, /) -> None:
        self._steps = tuple(asked.steps)
        self.requests: list[list[ModelMessage]] = []

    def model(self) -> FunctionModel:
        """Return the model that plays it."""
        return FunctionModel(self._reply, stream_function=self._stream)

    def shown(self) -> list[str]:
        """Return what the last request showed of tools."""
        parts = [part for message in self.requests[-1] for part in message.parts]
        kinds = ("tool-return", "retry-prompt")
        return [repr(getattr(part, "content", None)) for part in parts if part.part_kind in kinds]

    def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = self._next(messages)
        if step.fails:
            raise ModelBrokeError("in the middle")
        texts = [TextPart(content=step.text)] if step.text else []
        return ModelResponse(parts=[*texts, *(ToolCallPart(tool_name=name, args=args) for name, args in step.calls)])

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        step = self._next(messages)
        for text in step.chunks:
            yield text
        if step.fails:
            raise ModelBrokeError("in the middle")
        for place, (name, args) in enumerate(step.calls):
            yield {place: DeltaToolCall(name=name, json_args=json.dumps(args), tool_call_id=f"{name}-{place}")}

    def _next(self, messages: list[ModelMessage]) -> Step:
        self.requests.append(list(messages))
        return self._steps[min(len(self.requests), len(self._steps)) - 1]


def agent_of(asked: Asked) -> tuple[Agent[None, str], Script]:
    """Return an agent and its script."""
    script = Script(asked)
    capabilities = [] if asked.gate is None else [Groundtrace(asked.gate, **asked.options)]
    return Agent(script.model(), tools=list(asked.tools), capabilities=capabilities), script


class PydanticAI(Driver):
    """`run`, `run_stream` and `run_stream_events`."""

    hidden = ModelRetry

    @override
    def language_model(self, *steps: Step) -> LanguageModel:
        return as_language_model(Script(Asked(gate=None, steps=steps)).model())

    @override
    async def ask(self, asked: Asked, /) -> Ran:
        agent, script = agent_of(asked)
        result = await agent.run(asked.question, conversation_id=asked.session_id)
        ran = asked.ran
        ran.text, ran.shown = result.output, script.shown()
        ran.tell(result, result.all_messages(), result.output)
        return ran

    @override
    async def streams(self, asked: Callable[[], Asked], /) -> list[Ran]:
        return [await _text(asked()), await _events(asked())]


async def _text(asked: Asked) -> Ran:
    agent, script = agent_of(asked)
    ran = asked.ran
    async with agent.run_stream(asked.question, conversation_id=asked.session_id) as result:
        async for text in result.stream_text(delta=True, debounce_by=None):
            ran.tell(text)
            ran.pieces.append(text)
        ran.text = await result.get_output()
        ran.tell(result.all_messages())
    ran.shown = script.shown()
    return ran


async def _events(asked: Asked) -> Ran:
    agent, script = agent_of(asked)
    ran = asked.ran
    async with agent.run_stream_events(asked.question, conversation_id=asked.session_id) as events:
        async for event in events:
            ran.tell(event)
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                ran.pieces.append(event.part.content)
            if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                ran.pieces.append(event.delta.content_delta)
            result: Any = getattr(event, "result", None)
            if getattr(event, "event_kind", "") == "agent_run_result" and result is not None:
                ran.text = result.output
                ran.tell(result.all_messages())
    ran.shown = script.shown()
    return ran


DRIVERS: dict[str, Driver] = {"pydantic_ai": PydanticAI()}
