"""The embedded default model: one request in, one reply out, by rules; nothing is kept between requests."""

import asyncio
from dataclasses import replace
from typing import assert_never

from returns import result
from returns.result import Result

from groundtrace.roles import DraftRequest, ModelError, ModelReply, ModelRequest, PlanRequest, VerifyRequest
from groundtrace_adapters.models.rules.drafter import draft
from groundtrace_adapters.models.rules.planner import plan
from groundtrace_adapters.models.rules.verifier import unverified, verify

NAME = "rules-1"

QUESTION_CHARACTERS = 4_000
"""A longer question is read so far by planner and drafter; the verifier does not judge what it has not read whole."""


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
            return plan(replace(request, question=request.question[:QUESTION_CHARACTERS]))
        case DraftRequest():
            return draft(replace(request, question=request.question[:QUESTION_CHARACTERS]))
        case VerifyRequest():
            whole = len(request.question) <= QUESTION_CHARACTERS
            return verify(request) if whole else unverified("the question is too long to be checked against")
        case _:
            assert_never(request)
