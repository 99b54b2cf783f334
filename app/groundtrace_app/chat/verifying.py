"""The middle of a turn: have a draft verified, and decide (DESIGN section 8)."""

from dataclasses import dataclass

from returns.result import Result

from groundtrace.decision import Decision, cause_of_failure, decide, fallback
from groundtrace.ports import LanguageModel
from groundtrace.prompt import verify_request
from groundtrace.roles import ModelError, ModelReply, VerifyRequest
from groundtrace.verdict import Cause, ParsedVerdict, UnusableReply
from groundtrace.verdict_parser import parse_verdict
from groundtrace_app.chat.asking import ask_again
from groundtrace_app.chat.course import Course
from groundtrace_app.chat.evidence import Evidence
from groundtrace_app.chat.turn import Progress, Setting, Stage, TurnRules
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
    """Has answers verified; holds nothing between turns."""

    def __init__(self, verifier: LanguageModel | None, /, *, rules: TurnRules, clock: Clock) -> None:
        """Let `verifier` judge under these deadlines; None means that nothing is verified, and so nothing passes."""
        self._verifier = verifier
        self._rules = rules
        self._clock = clock

    @property
    def verifier_name(self) -> str:
        """Return the verifier's name for the record, blank where there is none."""
        return "" if self._verifier is None else self._verifier.name

    async def verify(self, setting: Setting, evidence: Evidence, answer: str, course: Course, /) -> Verification:
        """Return what was decided on a draft; whatever fails on the way is the decision's cause."""
        if not evidence.readable:
            return Verification(decision=fallback(Cause.EVIDENCE_UNREADABLE), answer=answer)
        if self._verifier is None:
            return Verification(decision=fallback(Cause.VERIFIER_DISABLED), answer=answer)
        course.tell(Progress(stage=Stage.VERIFY))
        return await self._ask_verifier(self._verifier, setting, evidence, answer)

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


def _parsed(reply: ModelReply, /) -> Result[ParsedVerdict, UnusableReply]:
    """Return the verdict that a verifier's reply itself carries."""
    return parse_verdict(reply.text, finish_reason=reply.finish_reason, by_tool_call=reply.by_tool_call)
