"""A model whose answers are checked before anybody has them: no stream, no item and no hook sees them sooner."""

from collections.abc import AsyncIterator
from dataclasses import replace

from agents import Model, ModelResponse, ModelSettings, ModelTracing, Tool
from agents.agent_output import AgentOutputSchemaBase
from agents.handoffs import Handoff
from agents.items import TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from agents.retry import ModelRetryAdvice, ModelRetryAdviceRequest
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
)
from openai.types.responses.response_prompt_param import ResponsePromptParam
from typing_extensions import override

from groundtrace_app.frameworks.grounding import AnswerWithheldError, Grounding, passed
from groundtrace_app.frameworks.openai_agents.hosted_model import closed_behind, watched
from groundtrace_app.frameworks.openai_agents.items import (
    CALLS,
    ENDS,
    emptied,
    events_of,
    message_of,
    question_in,
    text_of,
)
from groundtrace_app.frameworks.openai_agents.place import place_now


class GatedModel(Model):
    """Asks another model, and lets an answer out as far as the recorded calls of its turn carry it."""

    def __init__(self, inner: Model, grounding: Grounding, /) -> None:
        """Check the answers of `inner`."""
        self._inner = watched(inner, grounding)
        self._grounding = grounding

    @override
    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> ModelResponse:
        response = await self._inner.get_response(
            system_instructions,
            input,
            model_settings,
            tools,
            output_schema,
            handoffs,
            _without_words(tracing),
            previous_response_id=previous_response_id,
            conversation_id=conversation_id,
            prompt=prompt,
        )
        return replace(response, output=await self._let_out(input, response.output, output_schema))

    @override
    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        events = self._inner.stream_response(
            system_instructions,
            input,
            model_settings,
            tools,
            output_schema,
            handoffs,
            _without_words(tracing),
            previous_response_id=previous_response_id,
            conversation_id=conversation_id,
            prompt=prompt,
        )
        done: list[TResponseOutputItem] = []
        async with closed_behind(events):
            async for event in events:
                if isinstance(event, ResponseOutputItemDoneEvent):
                    done.append(event.item)
                elif isinstance(event, ResponseCompletedEvent):
                    output = await self._let_out(input, event.response.output or done, output_schema)
                    for told in events_of(event, output):
                        yield told
                elif event.type in ENDS:
                    yield emptied(event)

    @override
    async def close(self) -> None:
        await self._inner.close()

    @override
    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        return self._inner.get_retry_advice(request)

    async def _let_out(
        self,
        asked: str | list[TResponseInputItem],
        output: list[TResponseOutputItem],
        schema: AgentOutputSchemaBase | None,
    ) -> list[TResponseOutputItem]:
        """Return what goes out for what the model said: an answer that is withheld leaves nothing of itself behind."""
        if any(item.type in CALLS for item in output):
            return [item for item in output if not isinstance(item, ResponseOutputMessage)]
        if not any(isinstance(item, ResponseOutputMessage) for item in output):
            return output
        answer = "".join(text_of(item) for item in output)
        place = place_now(self._grounding)
        turn = await self._grounding.check(
            question_in(asked), answer, session_id=place.session_id, turn_id=place.turn_id
        )
        if schema is not None and not schema.is_plain_text():
            if not passed(turn):
                raise AnswerWithheldError(turn)
            return output
        text = self._grounding.spoken(turn, answer)
        return output if text == answer else [message_of(text)]


def gated(model: Model, grounding: Grounding, /) -> Model:
    """Return a model gated, once."""
    return model if isinstance(model, GatedModel) else GatedModel(model, grounding)


def _without_words(tracing: ModelTracing) -> ModelTracing:
    return ModelTracing.DISABLED if tracing.is_disabled() else ModelTracing.ENABLED_WITHOUT_DATA
