"""A framework's own model in the port `LanguageModel`: it verifies, or plays any role, by the prompts of the core."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias, assert_never

from returns import result
from returns.result import Result
from typing_extensions import override

from groundtrace.outcomes import failure_from
from groundtrace.ports import LanguageModel
from groundtrace.role_prompts import draft_prompt, planner_prompt
from groundtrace.roles import DraftRequest, ModelError, ModelReply, ModelRequest, PlanRequest, VerifyRequest


class Said(NamedTuple):
    """What a model said to a prompt, and how it says that it ended."""

    text: str | None
    finish_reason: str | None = None


Ask: TypeAlias = Callable[[str], Awaitable[Said]]


class AskedModel(LanguageModel):
    """Hands each request as one prompt to a model that reads text; keeps nothing between requests."""

    def __init__(self, name: str, ask: Ask, /) -> None:
        """Ask through `ask`; `name` is for the record."""
        self._name = name
        self._ask = ask

    @property
    @override
    def name(self) -> str:
        return self._name

    @override
    async def reply(self, request: ModelRequest, /) -> Result[ModelReply, ModelError]:
        try:
            said = await self._ask(_prompt_of(request))
        except Exception as fault:  # noqa: BLE001 - whatever a framework's model raises, it gave no reply
            told = failure_from(fault)
            return result.Failure(ModelError(kind=told.kind, message=told.message))
        return result.Success(ModelReply(text=said.text, model=self._name, finish_reason=said.finish_reason))


def _prompt_of(request: ModelRequest) -> str:
    match request:
        case VerifyRequest():
            return request.prompt
        case PlanRequest():
            return planner_prompt(request).text
        case DraftRequest():
            return draft_prompt(request).text
        case _:
            assert_never(request)
