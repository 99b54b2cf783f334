"""The end of a turn: shape the reply, store the evaluation, and remember what the user saw (DESIGN sections 8, 9)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from returns.pipeline import is_successful
from returns.result import Result

from groundtrace.coverage import Covered, ExpectedSource
from groundtrace.decision import Decision, fallback, not_stored
from groundtrace.disclosure import WITHHELD, withhold
from groundtrace.evaluation import Evaluation
from groundtrace.invocation import Invocation
from groundtrace.judging import Judged, evaluate
from groundtrace.next_steps import NO_OPTIONS, NextStep, Options, suggest_steps
from groundtrace.ports import EvaluationStore, Fate, InvocationStore, Telemetry
from groundtrace.problem import Problem
from groundtrace.reply import Reply, shape
from groundtrace.text import cut
from groundtrace.verdict import Cause
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.chat.evidence import Evidence, in_thread
from groundtrace_app.chat.turn import Setting, Turn, TurnRules
from groundtrace_app.chat.verifying import Verification
from groundtrace_app.clock import Clock

HISTORY_TURNS = 5
HISTORY_CHARACTERS = 4_000

_log = CarefulLog("groundtrace.chat")


KeepLater: TypeAlias = Callable[[Evaluation], Result[None, Problem]]
"""Keeps an evaluation that the store did not take; on a Success it survives a crash."""


class Suggest(Protocol):
    """Says what to check next, as `suggest_steps` does."""

    def __call__(
        self,
        rows: Sequence[Invocation],
        covered: Sequence[Covered],
        expected: Sequence[ExpectedSource],
        /,
        *,
        options: Options = NO_OPTIONS,
    ) -> tuple[NextStep, ...]:
        """Return the steps over what a turn asked and could have asked."""


class TraceStore(InvocationStore, EvaluationStore, Protocol):
    """A store of rows and of evaluations."""


class Closer:
    """Closes turns; each leaves exactly one evaluation."""

    def __init__(
        self,
        *,
        store: EvaluationStore,
        expected: tuple[ExpectedSource, ...],
        verifier_name: str,
        rules: TurnRules,
        clock: Clock,
        redact: Callable[[str], str],
        options: Options = NO_OPTIONS,
        suggest: Suggest = suggest_steps,
        later: KeepLater | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        """Keep evaluations in `store`, their texts redacted; `options` are for the commands among the next steps.

        `suggest` makes these steps. `later` keeps an evaluation that the store did not take.
        `telemetry` is told each decision, as it was served.
        """
        self._telemetry = telemetry
        self._later = later
        self._store = store
        self._expected = expected
        self._verifier_name = verifier_name
        self._rules = rules
        self._clock = clock
        self._redact = redact
        self._options = options
        self._suggest = suggest

    async def close(self, setting: Setting, evidence: Evidence, verification: Verification, /) -> Turn:
        """Shape the reply and store the evaluation; where that fails, shape again without a PASS.

        What is kept for later then tells what was served. Where that is the same, it is the same record, which a store
        that took it after all keeps once; a lowered one has an id of its own, since a late record that says PASS alone
        would be wrong.
        """
        reply = self._shape(verification.decision, verification.answer, evidence)
        evaluation = self._evaluation(setting, evidence, verification, reply)
        if await self._save(evaluation):
            self._tell(evaluation)
            return _turn(setting, reply, verification.decision, evaluation)
        lowered = replace(verification, decision=not_stored(verification.decision))
        if lowered == verification:
            self._tell(evaluation)
            await self._keep(evaluation)
            return _turn(setting, reply, verification.decision, None)
        reply = self._shape(lowered.decision, lowered.answer, evidence)
        late = self._evaluation(setting, evidence, lowered, reply)
        self._tell(late)
        await self._keep(late)
        return _turn(setting, reply, lowered.decision, None)

    def _tell(self, evaluation: Evaluation) -> None:
        if self._telemetry is not None:
            self._telemetry.decided(evaluation)

    def _shape(self, decision: Decision, answer: str | None, evidence: Evidence) -> Reply:
        steps = self._suggest(evidence.rows, evidence.covered, self._expected, options=self._options)
        policy = self._rules.show_unverified
        return shape(answer, decision, evidence.shown, evidence.covered, steps, policy=policy)

    def _evaluation(self, setting: Setting, evidence: Evidence, verification: Verification, reply: Reply) -> Evaluation:
        request, replied = verification.request, verification.reply
        judged = Judged(
            session_id=setting.session_id,
            id=self._clock.new_id(),
            turn_id=setting.turn_id,
            created_at=self._clock.now(),
            question=setting.question,
            decision=verification.decision,
            shown=evidence.shown,
            reply_text=reply.text,
            withheld=reply.withheld,
            parsed=verification.parsed,
            answer=verification.answer,
            raw=replied.text if replied else None,
            finish_reason=replied.finish_reason if replied else None,
            by_tool_call=replied.by_tool_call if replied else False,
            entries=evidence.entries,
            coverage=tuple(one.line for one in evidence.covered),
            pass_needs=self._rules.pass_needs,
            unstored=evidence.lost,
            model=replied.model if replied else self._verifier_name,
            prompt_version=request.version if request else "",
            prompt_sha256=request.sha256 if request else "",
            duration_ms=verification.duration_ms,
            attempts=verification.attempts,
        )
        return evaluate(judged, redact=self._redact)

    async def _save(self, evaluation: Evaluation) -> bool:
        kept = await in_thread(lambda: self._store.save(evaluation), self._rules.flush_seconds)
        return kept is not None and kept.value_or(None) is Fate.STORED

    async def _keep(self, evaluation: Evaluation) -> None:
        """Keep what the store did not take; either way it is told."""
        later = self._later
        kept = None if later is None else await in_thread(lambda: later(evaluation), self._rules.flush_seconds)
        where = evaluation.session_id, evaluation.turn_id
        if kept is not None and is_successful(kept):
            _log.warning("the evaluation of session %s, turn %s is spooled, to be stored later", *where)
        else:
            _log.error("the evaluation of session %s, turn %s is not stored", *where)

    async def history(self, session_id: str, /) -> tuple[str, ...]:
        """Return the last questions with the texts that the user saw; none where they cannot be read."""
        read = await in_thread(
            lambda: self._store.evaluations(session_id, latest=HISTORY_TURNS), self._rules.flush_seconds
        )
        kept = () if read is None else read.value_or(())
        return tuple(cut(f"user: {one.question}\nassistant: {one.shown}", HISTORY_CHARACTERS) for one in kept)


def bare_turn(setting: Setting, cause: Cause, /) -> Turn:
    """Return the low-confidence reply over nothing at all, for a turn whose every other end is broken."""
    decision = fallback(cause)
    return _turn(setting, shape(None, decision, (), (), ()), decision, None)


def _without_words(decision: Decision) -> Decision:
    """Return a decision without what a verifier wrote as citations: that may be any text."""
    return replace(decision, unknown=(WITHHELD,) * len(decision.unknown))


def _turn(setting: Setting, reply: Reply, decision: Decision, evaluation: Evaluation | None) -> Turn:
    return Turn(
        session_id=setting.session_id,
        turn_id=setting.turn_id,
        text=reply.text,
        reply=reply,
        decision=_without_words(decision) if reply.withheld else decision,
        evaluation=None if evaluation is None else withhold(evaluation),
    )
