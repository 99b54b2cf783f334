"""Asking a model under a deadline: what it replied or why it did not, as a value; nothing it does escapes."""

import asyncio
from collections.abc import Callable

from returns import result
from returns.result import Result

from groundtrace.outcomes import RETRYABLE_KINDS, FailureKind, failure_from
from groundtrace.ports import LanguageModel
from groundtrace.roles import ModelError, ModelReply, ModelRequest
from groundtrace_app.deadline import within

RETRY_PAUSE = 0.2


async def ask(model: LanguageModel, request: ModelRequest, /, *, seconds: float) -> Result[ModelReply, ModelError]:
    """Return the model's reply; an exception, a hang or a cancellation of its own is a ModelError.

    A cancellation of the caller goes through.
    """

    async def asked() -> Result[ModelReply, ModelError]:
        return await model.reply(request)

    try:
        return (await within(asked(), seconds)).bind(_readable)
    except Exception as fault:  # noqa: BLE001 - a model that raises is a model that failed
        told = failure_from(fault)
        return result.Failure(ModelError(kind=told.kind, message=told.message))


async def ask_again(
    model: LanguageModel, request: ModelRequest, /, *, retries: int, left: Callable[[], float]
) -> tuple[Result[ModelReply, ModelError], int]:
    """Ask, and after a fault that may pass ask up to `retries` times more, all within `left()` seconds.

    Returns the last answer and how often was asked.
    """
    attempts = 0
    while True:
        attempts += 1
        answer = await ask(model, request, seconds=left())
        if attempts > retries or not answer.swap().map(_may_pass).value_or(False) or left() <= RETRY_PAUSE:
            return answer, attempts
        await asyncio.sleep(RETRY_PAUSE)


def _readable(reply: object) -> Result[ModelReply, ModelError]:
    """Refuse what is no reply: whatever a model's adapter gives, the record of it is text."""
    if isinstance(reply, ModelReply) and all((isinstance(reply.text, str | None), isinstance(reply.model, str))):
        return result.Success(reply)
    return result.Failure(ModelError(kind=FailureKind.BAD_OUTPUT, message="the model gave no reply that can be read"))


def _may_pass(error: ModelError) -> bool:
    return error.kind in RETRYABLE_KINDS
