"""The embedded default model: one request in, one reply out, by rules; nothing is kept between requests."""

import asyncio
from typing import assert_never

from returns import result
from returns.result import Result

from groundtrace.roles import DraftRequest, ModelError, ModelReply, ModelRequest, PlanRequest, VerifyRequest
from groundtrace_adapters.models.rules.drafter import draft
from groundtrace_adapters.models.rules.planner import plan
from groundtrace_adapters.models.rules.verifier import verify

NAME = "rules-1"


class RulesModel:
    """Plays all three roles without a network; the same request always gets the same reply."""

    @property
    def name(self) -> str:
        """Return the name and version of the rules."""
        return NAME

    async def reply(self, request: ModelRequest, /) -> Result[ModelReply, ModelError]:
        """Answer one request in a thread, so that a large one does not hold the event loop."""
        text = await asyncio.to_thread(_answer, request)
        return result.Success(ModelReply(text=text, model=NAME, finish_reason="stop"))


def _answer(request: ModelRequest) -> str:
    match request:
        case PlanRequest():
            return plan(request)
        case DraftRequest():
            return draft(request)
        case VerifyRequest():
            return verify(request)
        case _:
            assert_never(request)
