"""A model whose answers are checked before anybody has them: no stream, no history and no hook sees them sooner."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import CompletedStreamedResponse, Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from typing_extensions import override

from groundtrace_app.chat.turn import Turn
from groundtrace_app.frameworks.grounding import AnswerWithheldError, Grounding, Place, passed

_WRITTEN = frozenset({"native", "prompted"})
"""Output modes in which a structured answer is written as text."""


class Answer(NamedTuple):
    """A final answer as text; a `structured` one cannot be replaced by words."""

    text: str
    structured: bool


@dataclass(init=False)
class GatedModel(WrapperModel):
    """Asks the wrapped model, and lets an answer out as far as the recorded calls of its turn carry it."""

    def __init__(self, wrapped: Model, grounding: Grounding, place: Place, /) -> None:
        """Check the answers of `wrapped` in this place of the trace."""
        super().__init__(wrapped)
        self._grounding = grounding
        self._place = place

    @override
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        return await self._let_out(messages, response, model_request_parameters)

    @override
    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with self.wrapped.request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            async for _ in stream:
                pass
            response = stream.get()
        checked = await self._let_out(messages, response, model_request_parameters)
        yield CompletedStreamedResponse(checked, model_request_parameters=model_request_parameters, replay_events=True)

    async def _let_out(
        self, messages: list[ModelMessage], response: ModelResponse, parameters: ModelRequestParameters
    ) -> ModelResponse:
        answer = answer_in(response, parameters)
        if answer is None:
            return _without_asides(response)
        turn = await self._check(messages, response, answer)
        if answer.structured:
            if not passed(turn):
                raise AnswerWithheldError(turn)
            return response
        return _spoken(response, self._grounding.spoken(turn, answer.text), answer)

    async def _check(self, messages: list[ModelMessage], response: ModelResponse, answer: Answer) -> Turn:
        reason = response.finish_reason
        return await self._grounding.check(
            question_in(messages),
            answer.text,
            session_id=self._place.session_id,
            turn_id=self._place.turn_id,
            # A call of an output tool is a normal end here.
            finish_reason=None if reason == "tool_call" else reason,
        )


def answer_in(response: ModelResponse, parameters: ModelRequestParameters, /) -> Answer | None:
    """Return the answer in a response, None where it calls tools first."""
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    outputs = {tool.name for tool in parameters.output_tools}
    final = next((call for call in calls if call.tool_name in outputs), None)
    if final is not None:
        return Answer(final.args_as_json_str(), True)
    if calls:
        return None
    text = "\n\n".join(part.content for part in response.parts if isinstance(part, TextPart))
    return Answer(text, parameters.output_mode in _WRITTEN)


def question_in(messages: list[ModelMessage], /) -> str:
    """Return the text of the last question."""
    for _, part in _questions(messages):
        content = [part.content] if isinstance(part.content, str) else part.content
        return "\n".join(one for one in content if isinstance(one, str))
    return ""


def run_that_asked(messages: list[ModelMessage], /) -> str | None:
    """Return the id of the run that the last question began, None where it is not known."""
    return next((message.run_id for message, _ in _questions(messages)), None)


def _questions(messages: list[ModelMessage]) -> Iterator[tuple[ModelRequest, UserPromptPart]]:
    """Yield the questions of a conversation, the last one first."""
    for message in reversed(messages):
        if isinstance(message, ModelRequest):
            yield from ((message, part) for part in reversed(message.parts) if isinstance(part, UserPromptPart))


def _spoken(response: ModelResponse, text: str, answer: Answer) -> ModelResponse:
    """Return the response that goes out; in place of one that is withheld, one with nothing of the old in it."""
    if text == answer.text:
        return response
    return ModelResponse(
        parts=[TextPart(content=text)],
        usage=response.usage,
        model_name=response.model_name,
        timestamp=response.timestamp,
        finish_reason="stop",
    )


def _without_asides(response: ModelResponse) -> ModelResponse:
    """Return a response that calls tools without the words beside the calls: nobody checked those."""
    return replace(response, parts=[part for part in response.parts if not isinstance(part, TextPart)])
