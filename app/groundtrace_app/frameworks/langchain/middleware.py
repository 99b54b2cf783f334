"""The middleware for `create_agent`: records each tool call, and lets no answer out that was not checked.

The answer is checked where the model gives it, inside the model's own node, and no callback handler is told before. So
no stream mode, no event, no checkpoint and no later turn ever holds what was withheld.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from typing_extensions import override

from groundtrace.classify import Classifier
from groundtrace_app.chat.turn import Turn
from groundtrace_app.frameworks.grounding import AnswerWithheldError, Grounding, Heard, Place, nobody, passed, text_of
from groundtrace_app.frameworks.langchain.holding import (
    finish_reason_of,
    spoken,
    unheard,
    was_spoken,
    without_asides,
    without_listeners,
)
from groundtrace_app.frameworks.langchain.place import TURN, is_final, messages_in, place_of, question_in
from groundtrace_app.frameworks.langchain.recording import AsyncHandler, Handler, Told, call_tool, call_tool_async
from groundtrace_app.frameworks.langchain.refusals import Refusals
from groundtrace_app.gate import Gate


class GroundtraceState(AgentState[Any]):
    """The state of an agent with the id of the turn that is under way."""

    groundtrace_turn: NotRequired[Annotated[str, PrivateStateAttr]]


class GroundtraceMiddleware(AgentMiddleware[GroundtraceState, Any, Any]):
    """Records and gates an agent: `create_agent(model, tools, middleware=[GroundtraceMiddleware(gate)])`.

    Put it first, so that it is around what other middleware does. The session is `session_id`, else the `thread_id`,
    else the turn's own id; a turn is one run of the agent, its interrupts included. With `gated=False` it records only.
    A structured response that is not confirmed raises AnswerWithheldError.
    """

    state_schema = GroundtraceState

    def __init__(
        self,
        gate: Gate,
        /,
        *,
        session_id: str | None = None,
        gated: bool = True,
        cite: bool = False,
        classify: Classifier | None = None,
        heard: Heard = nobody,
    ) -> None:
        """Record and check through `gate`; `heard` is told each checked turn."""
        super().__init__()
        self._grounding = Grounding(gate=gate, session_id=session_id, cite=cite, classify=classify, heard=heard)
        self._gated = gated
        self._refusals = Refusals(self._grounding)

    @override
    def before_agent(self, state: GroundtraceState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        turn_id = self._grounding.gate.new_turn_id()
        self._refusals.begin(turn_id)
        return {TURN: turn_id}

    @override
    async def abefore_agent(self, state: GroundtraceState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.before_agent(state, runtime)

    @override
    def wrap_tool_call(self, request: ToolCallRequest, handler: Handler) -> Told:
        place = place_of(self._grounding, request.state, request.runtime.config)
        self._refusals.made(place.turn_id, request.tool_call["id"])
        return call_tool(self._grounding, place, request, handler)

    @override
    async def awrap_tool_call(self, request: ToolCallRequest, handler: AsyncHandler) -> Told:
        place = place_of(self._grounding, request.state, request.runtime.config)
        self._refusals.made(place.turn_id, request.tool_call["id"])
        return await call_tool_async(self._grounding, place, request, handler)

    @override
    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        self._see_refused(request)
        if not self._gated:
            return handler(request)
        with unheard():
            response = handler(request.override(model=without_listeners(request.model)))
        answer = _answer_in(response)
        if answer is None:
            return _asides_removed(response)
        place = place_of(self._grounding, request.state)
        return self._let_out(response, answer, self._check_now(place, request.state, answer))

    @override
    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        self._see_refused(request)
        if not self._gated:
            return await handler(request)
        with unheard():
            response = await handler(request.override(model=without_listeners(request.model)))
        answer = _answer_in(response)
        if answer is None:
            return _asides_removed(response)
        place = place_of(self._grounding, request.state)
        return self._let_out(response, answer, await self._check(place, request.state, answer))

    @override
    def after_agent(self, state: GroundtraceState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        self._refusals.record(place_of(self._grounding, state), state)
        last = self._unchecked(state)
        if last is None:
            return None
        turn = self._check_now(place_of(self._grounding, state), state, last)
        return {"messages": [spoken(self._grounding, turn, last)]}

    @override
    async def aafter_agent(self, state: GroundtraceState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        self._refusals.record(place_of(self._grounding, state), state)
        last = self._unchecked(state)
        if last is None:
            return None
        turn = await self._check(place_of(self._grounding, state), state, last)
        return {"messages": [spoken(self._grounding, turn, last)]}

    def _see_refused(self, request: ModelRequest[Any]) -> None:
        names = {one.name for one in request.tools if isinstance(one, BaseTool)}
        self._refusals.record(place_of(self._grounding, request.state), request.state, names)

    def _unchecked(self, state: GroundtraceState) -> BaseMessage | None:
        """Return the last message where it is an answer that nobody checked: other middleware put it there."""
        last = messages_in(state)[-1:]
        return last[0] if self._gated and last and is_final(last[0]) and not was_spoken(last[0]) else None

    def _let_out(self, response: ModelResponse[Any], answer: BaseMessage, turn: Turn) -> ModelResponse[Any]:
        if response.structured_response is None:
            said = spoken(self._grounding, turn, answer)
            return replace(response, result=[said if one is answer else one for one in response.result])
        if not passed(turn):
            raise AnswerWithheldError(turn)
        return response

    async def _check(self, place: Place, state: object, answer: BaseMessage) -> Turn:
        with unheard():
            return await self._grounding.check(
                question_in(state),
                answer.text,
                session_id=place.session_id,
                turn_id=place.turn_id,
                finish_reason=finish_reason_of(answer),
            )

    def _check_now(self, place: Place, state: object, answer: BaseMessage) -> Turn:
        return self._grounding.check_now(
            question_in(state),
            answer.text,
            session_id=place.session_id,
            turn_id=place.turn_id,
            finish_reason=finish_reason_of(answer),
        )


def _answer_in(response: ModelResponse[Any]) -> BaseMessage | None:
    """Return the answer of a response, None where it calls tools; a structured one is written as text."""
    if response.structured_response is not None:
        return AIMessage(content=text_of(response.structured_response))
    return next((one for one in reversed(response.result) if is_final(one)), None)


def _asides_removed(response: ModelResponse[Any]) -> ModelResponse[Any]:
    return replace(response, result=[without_asides(one) for one in response.result])
