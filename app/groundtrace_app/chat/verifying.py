"""The middle of a turn: draft the answer, have it verified, decide (DESIGN section 8)."""

from dataclasses import dataclass

from returns import result
from returns.result import Result

from groundtrace.decision import Decision, cause_of_failure, decide, fallback
from groundtrace.finish import abnormal_finish
from groundtrace.ports import LanguageModel
from groundtrace.prompt import ANSWER_CHARACTERS, verify_request
from groundtrace.roles import DraftRequest, ModelError, ModelReply, VerifyRequest
from groundtrace.text import clean, is_blank
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply
from groundtrace.verdict_parser import parse_verdict
from groundtrace_app.chat.asking import ask, ask_again
from groundtrace_app.chat.course import Course
from groundtrace_app.chat.evidence import Evidence
from groundtrace_app.chat.turn import Gathered, Models, Progress, Setting, Stage, TurnRules
from groundtrace_app.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was drafted and what became of its verification; `request` is None where it did not come to that."""

    decision: Decision
    answer: str | None = None
    request: VerifyRequest | None = None
    reply: ModelReply | None = None
    parsed: Result[ParsedVerdict, UnusableReply] | None = None
    attempts: int = 0
    duration_ms: int = 0


class Judge:
    """Drafts and verifies; holds nothing between turns."""

    def __init__(self, *, models: Models, rules: TurnRules, clock: Clock) -> None:
        """Let the executor draft and the verifier judge under these deadlines."""
        self._models = models
        self._rules = rules
        self._clock = clock

    @property
    def verifier_name(self) -> str:
        """Return the verifier's name for the record, blank where there is none."""
        return "" if self._models.verifier is None else self._models.verifier.name

    async def verify(self, setting: Setting, gathered: Gathered, evidence: Evidence, course: Course, /) -> Verification:
        """Return what was drafted and decided; whatever fails on the way is the decision's cause."""
        if gathered.fault is not None:
            return Verification(decision=fallback(gathered.fault))
        course.tell(Progress(stage=Stage.DRAFT))
        drafted = await self._draft(setting, evidence)
        answer = drafted.value_or(None)
        if answer is None:
            return Verification(decision=fallback(drafted.failure()))
        if not evidence.readable:
            return Verification(decision=fallback(Cause.EVIDENCE_UNREADABLE), answer=answer)
        if self._models.verifier is None:
            return Verification(decision=fallback(Cause.VERIFIER_DISABLED), answer=answer)
        course.tell(Progress(stage=Stage.VERIFY))
        return await self._ask_verifier(self._models.verifier, setting, evidence, answer)

    async def _draft(self, setting: Setting, evidence: Evidence) -> Result[str, Cause]:
        if self._left(setting) <= 0:
            return result.Failure(Cause.BUDGET_SPENT)
        request = DraftRequest(
            question=setting.question,
            shown=evidence.shown,
            coverage=tuple(one.line for one in evidence.covered),
            history=setting.history,
        )
        replied = await ask(self._models.executor, request, seconds=self._left(setting))
        text = replied.map(_whole_draft).value_or(None)
        if text is None:
            return result.Failure(Cause.BUDGET_SPENT if self._left(setting) <= 0 else Cause.EXECUTOR_FAILED)
        return result.Success(text)

    async def _ask_verifier(
        self, verifier: LanguageModel, setting: Setting, evidence: Evidence, answer: str
    ) -> Verification:
        started = self._clock.monotonic()
        until = min(setting.until, started + self._rules.verifier_seconds)
        if until <= started:
            return Verification(decision=fallback(Cause.BUDGET_SPENT), answer=answer)
        request = verify_request(
            setting.question,
            answer,
            shown=evidence.shown,
            entries=evidence.entries,
            coverage=[one.line for one in evidence.covered],
            earlier=evidence.earlier,
        )
        replied, attempts = await ask_again(
            verifier,
            request,
            retries=self._rules.verifier_retries,
            left=lambda: until - self._clock.monotonic(),
        )
        reply = replied.value_or(None)
        parsed = None if reply is None else _parsed(reply)
        return Verification(
            decision=self._decide(parsed, replied, evidence),
            answer=answer,
            request=request,
            reply=reply,
            parsed=parsed,
            attempts=attempts,
            duration_ms=round((self._clock.monotonic() - started) * 1_000),
        )

    def _decide(
        self,
        parsed: Result[ParsedVerdict, UnusableReply] | None,
        replied: Result[ModelReply, ModelError],
        evidence: Evidence,
    ) -> Decision:
        if parsed is None:
            return fallback(cause_of_failure(replied.failure().kind))
        return decide(parsed, evidence.shown, pass_needs=self._rules.pass_needs, unstored=evidence.lost)

    def _left(self, setting: Setting) -> float:
        return setting.until - self._clock.monotonic()


def _parsed(reply: ModelReply, /) -> Result[ParsedVerdict, UnusableReply]:
    """Return the verdict that a verifier's reply itself carries."""
    return parse_verdict(reply.text, finish_reason=reply.finish_reason, by_tool_call=reply.by_tool_call)


def _whole_draft(reply: ModelReply) -> str | None:
    """Return a draft that is all there; a cut, filtered, blank or over-long one is none."""
    if abnormal_finish(reply.finish_reason, by_tool_call=False) is not None or not isinstance(reply.text, str):
        return None
    return None if is_blank(reply.text) or len(reply.text) > ANSWER_CHARACTERS else clean(reply.text)
