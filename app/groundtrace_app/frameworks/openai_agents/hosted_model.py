"""A model whose provider runs tools itself: their calls are recorded as soon as its response tells of them."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from agents import Model, ModelResponse
from agents.items import TResponseOutputItem, TResponseStreamEvent
from agents.retry import ModelRetryAdvice, ModelRetryAdviceRequest
from openai.types.responses import ResponseCompletedEvent, ResponseOutputItemDoneEvent
from typing_extensions import override

from groundtrace.invocation import ToolCall
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.frameworks.grounding import Grounding
from groundtrace_app.frameworks.openai_agents.hosted_calls import HostedCall, hosted_calls
from groundtrace_app.frameworks.openai_agents.place import place_now

_log = CarefulLog("groundtrace.recorder")


class HostedToolsModel(Model):
    """Asks another model, and changes nothing of what it says."""

    def __init__(self, inner: Model, grounding: Grounding, /) -> None:
        """Record the provider's own tool calls in the responses of `inner`."""
        self._inner = inner
        self._grounding = grounding

    @override
    async def get_response(self, *asked: Any, **options: Any) -> ModelResponse:
        response = await self._inner.get_response(*asked, **options)
        self._record(response.output)
        return response

    @override
    async def stream_response(self, *asked: Any, **options: Any) -> AsyncIterator[TResponseStreamEvent]:
        done: list[TResponseOutputItem] = []
        events = self._inner.stream_response(*asked, **options)
        async with closed_behind(events):
            async for event in events:
                if isinstance(event, ResponseOutputItemDoneEvent):
                    done.append(event.item)
                elif isinstance(event, ResponseCompletedEvent):
                    self._record(event.response.output or done)
                yield event

    @override
    async def close(self) -> None:
        await self._inner.close()

    @override
    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        return self._inner.get_retry_advice(request)

    def _record(self, output: Sequence[TResponseOutputItem]) -> None:
        try:
            for call in hosted_calls(output):
                _keep(call, self._grounding)
        except Exception as fault:  # noqa: BLE001 - recording never breaks the call that it records
            _log.error("the provider's own tool calls were not recorded: %s", type(fault).__name__)


@asynccontextmanager
async def closed_behind(events: AsyncIterator[TResponseStreamEvent], /) -> AsyncIterator[None]:
    """Close a stream behind its reader, where it can be closed."""
    try:
        yield
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()


def watched(model: Model, grounding: Grounding, /) -> Model:
    """Return a model whose provider's tools are recorded, once."""
    return model if isinstance(model, HostedToolsModel) else HostedToolsModel(model, grounding)


def _keep(call: HostedCall, grounding: Grounding) -> None:
    place, recorder = place_now(grounding), grounding.gate.recorder
    begun = recorder.open(call.tool_name, call.params, session_id=place.session_id, turn_id=place.turn_id).begun
    told = ToolCall(
        session_id=begun.session_id,
        id=begun.id,
        turn_id=begun.turn_id,
        seq=begun.seq,
        tool_name=begun.tool_name,
        input_params=call.params,
        started_at=begun.started_at,
        # The response does not say how long the call took.
        duration_ms=None,
        details={"ran_by": "provider"},
    )
    recorder.record(told, call.outcome)
