"""The draft of an answer, written by the executor or by somebody else; what is not whole is none (section 8)."""

from returns import result
from returns.result import Result

from groundtrace.finish import abnormal_finish
from groundtrace.ports import LanguageModel
from groundtrace.prompt import ANSWER_CHARACTERS
from groundtrace.roles import DraftRequest
from groundtrace.text import clean, is_blank
from groundtrace.verdict import Cause
from groundtrace_app.chat.asking import ask
from groundtrace_app.chat.evidence import Evidence
from groundtrace_app.chat.turn import Setting
from groundtrace_app.clock import Clock


class Drafter:
    """Has the executor draft answers; holds nothing between turns."""

    def __init__(self, executor: LanguageModel, clock: Clock, /) -> None:
        """Let `executor` draft within the time that is left of a turn."""
        self._executor = executor
        self._clock = clock

    async def draft(self, setting: Setting, evidence: Evidence, /) -> Result[str, Cause]:
        """Return the whole draft, or why there is none."""
        if self._left(setting) <= 0:
            return result.Failure(Cause.BUDGET_SPENT)
        request = DraftRequest(
            question=setting.question,
            shown=evidence.shown,
            coverage=tuple(one.line for one in evidence.covered),
            history=setting.history,
        )
        replied = await ask(self._executor, request, seconds=self._left(setting))
        text = replied.map(lambda reply: whole_draft(reply.text, finish_reason=reply.finish_reason)).value_or(None)
        if text is None:
            return result.Failure(Cause.BUDGET_SPENT if self._left(setting) <= 0 else Cause.EXECUTOR_FAILED)
        return result.Success(text)

    def _left(self, setting: Setting) -> float:
        return setting.until - self._clock.monotonic()


def whole_draft(text: object, /, *, finish_reason: object = None) -> str | None:
    """Return a draft that is all there; a cut, filtered, blank or over-long one is none."""
    if abnormal_finish(finish_reason, by_tool_call=False) is not None or not isinstance(text, str):
        return None
    return None if is_blank(text) or len(text) > ANSWER_CHARACTERS else clean(text)
