"""A chat model for LangChain that says what it is told to, in a stream or at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr
from typing_extensions import override

from groundtrace_testing.frameworks.agents import ModelBrokeError, Step


class ScriptedChat(BaseChatModel):
    """Plays one step a request, the last one again and again."""

    _steps: Sequence[Step] = PrivateAttr()
    _requests: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, steps: Sequence[Step]) -> ScriptedChat:
        """Return a model that plays these steps."""
        own = cls()
        own._steps = tuple(steps)
        return own

    def shown(self) -> list[str]:
        """Return what the last request showed of tools."""
        return [repr((one.content, one.status)) for one in self._requests[-1] if isinstance(one, ToolMessage)]

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted"

    @override
    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        step, number = self._next(messages)
        if step.fails:
            raise ModelBrokeError("in the middle")
        calls = [
            {"name": name, "args": args, "id": f"call-{number}-{place}", "type": "tool_call"}
            for place, (name, args) in enumerate(step.calls)
        ]
        message = AIMessage(content=step.text, tool_calls=calls, response_metadata={"finish_reason": "stop"})
        return ChatResult(generations=[ChatGeneration(message=message)])

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        step, number = self._next(messages)
        for text in step.chunks:
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=text))
            if run_manager is not None:
                run_manager.on_llm_new_token(text, chunk=chunk)
            yield chunk
        if step.fails:
            raise ModelBrokeError("in the middle")
        for place, (name, args) in enumerate(step.calls):
            call = {"name": name, "args": repr(args).replace("'", '"'), "id": f"call-{number}-{place}", "index": place}
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[call]))

    def _next(self, messages: list[BaseMessage]) -> tuple[Step, int]:
        self._requests.append(list(messages))
        number = len(self._requests)
        return self._steps[min(number, len(self._steps)) - 1], number
