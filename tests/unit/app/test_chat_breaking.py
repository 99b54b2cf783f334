"""A turn that breaks off, wherever it is: a shaped reply, one record, no call of it lost (DESIGN section 10)."""

import asyncio
import threading
from datetime import datetime

import pytest
from returns.result import Result
from typing_extensions import override

from groundtrace.evaluation import Evaluation
from groundtrace.ports import Fate, StoreError
from groundtrace.snapshot import read_snapshot
from groundtrace.verdict import Cause, Verdict
from groundtrace_adapters.models.script import Line
from groundtrace_adapters.stores.memory import MemoryStore
from groundtrace_app.chat import Progress, Stage
from groundtrace_app.clock import SystemClock
from groundtrace_testing.chat_bench import PLAN_ONE, Bench, CannedTool, bench, verdict


class ClockThatBreaks(SystemClock):
    """Tells the time so often, and then never again."""

    def __init__(self, times: int, /) -> None:
        super().__init__()
        self._left = times

    @override
    def now(self) -> datetime:
        self._left -= 1
        if self._left < 0:
            raise OverflowError("the clock has run out")
        return super().now()


async def cancel_at(made: Bench, stage: Stage) -> None:
    """Cancel a caller as soon as a stage is reached, and wait until it has ended."""
    reached = asyncio.Event()

    def watch(step: Progress) -> None:
        if step.stage is stage:
            reached.set()

    caller = asyncio.ensure_future(made.chat.answer("did it fail over?", session_id="s-1", watch=watch))
    await asyncio.wait_for(reached.wait(), 5)
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller


def shown_calls(store: MemoryStore) -> list[tuple[str, ...]]:
    """Return for each evaluation the ids of the calls in its snapshot of the evidence."""
    kept = [read_snapshot(one.evidence).unwrap() for one in store.evaluations("s-1").unwrap()]
    return [tuple(one.id for one in snapshot.exhibits) for snapshot in kept]


def causes(store: MemoryStore) -> list[Cause]:
    return [one.cause for one in store.evaluations("s-1").unwrap()]


def test_the_record_of_a_cancelled_turn_holds_the_calls_that_it_made() -> None:
    """Field case E05, caller_cancels."""
    made = bench(verifier=[Line(text="late", delay_seconds=60)])
    asyncio.run(cancel_at(made, Stage.VERIFY))
    rows = made.store.rows("s-1").unwrap()
    assert [row.success for row in rows] == [True]
    assert causes(made.store) == [Cause.CANCELLED]
    assert shown_calls(made.store) == [(rows[0].id,)]


def test_the_record_of_a_turn_that_is_cancelled_in_a_call_holds_that_call_too() -> None:
    made = bench(planner=[PLAN_ONE, PLAN_ONE], tools=[CannedTool(seconds=60)])
    asyncio.run(cancel_at(made, Stage.CALL))
    rows = made.store.rows("s-1").unwrap()
    assert [row.reason for row in rows] == ["cancelled"]
    assert shown_calls(made.store) == [(rows[0].id,)]


class GatedStore(MemoryStore):
    """Says when an evaluation comes, and keeps it once the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.saving = threading.Event()
        self.gate = threading.Event()

    @override
    def save(self, evaluation: Evaluation, /) -> Result[Fate, StoreError]:
        self.saving.set()
        self.gate.wait(10)
        return super().save(evaluation)


def test_a_turn_that_is_cancelled_while_its_end_is_stored_leaves_that_one_record() -> None:
    store = GatedStore()
    made = bench(verifier=[verdict("PASS", "e1")], store=store)

    async def cancel_while_saving() -> None:
        caller = asyncio.ensure_future(made.chat.answer("did it fail over?", session_id="s-1"))
        assert await asyncio.to_thread(store.saving.wait, 10)
        caller.cancel()
        await asyncio.sleep(0)
        store.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await caller

    asyncio.run(cancel_while_saving())
    assert causes(store) == [Cause.VERIFIED]


@pytest.mark.parametrize("stage", list(Stage))
def test_a_watcher_that_raises_changes_nothing_of_the_turn(stage: Stage) -> None:
    made = bench(verifier=[verdict("PASS", "e1")])
    told: list[Stage] = []

    def watch(step: Progress) -> None:
        told.append(step.stage)
        if step.stage is stage:
            raise BrokenPipeError("the reader has left")

    turn = made.chat.answer_now("did it fail over?", session_id="s-1", watch=watch).unwrap()
    assert turn.decision is not None
    assert turn.decision.verdict is Verdict.PASS
    assert causes(made.store) == [Cause.VERIFIED]
    assert told[-1] is stage


@pytest.mark.parametrize("end", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
def test_a_tool_that_asks_the_program_to_end_is_a_failed_call(end: BaseException) -> None:
    made = bench(tools=[CannedTool(raises=end)], verifier=[verdict("PASS", "e1")])
    turn = made.ask()
    assert [row.reason for row in made.store.rows("s-1").unwrap()] == ["cancelled"]
    assert turn.decision is not None
    assert turn.decision.cause is Cause.NO_EVIDENCE


@pytest.mark.parametrize(
    ("times", "cause"),
    [
        pytest.param(0, Cause.PLANNER_FAILED, id="the_first_plan"),
        pytest.param(1, Cause.PLANNER_FAILED, id="the_second_plan"),
        pytest.param(2, Cause.EVIDENCE_UNREADABLE, id="the_evidence"),
        pytest.param(4, Cause.EVALUATION_NOT_STORED, id="the_record"),
    ],
)
def test_a_turn_in_which_all_breaks_still_gets_a_shaped_reply(times: int, cause: Cause) -> None:
    turn = bench(verifier=[verdict("PASS", "e1")], clock=ClockThatBreaks(times)).ask()
    assert turn.decision is not None
    assert (turn.decision.verdict, turn.decision.cause) == (Verdict.LOW_CONFID, cause)
    assert turn.text.startswith("Not confirmed")
