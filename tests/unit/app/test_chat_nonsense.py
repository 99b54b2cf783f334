"""Models and tools that keep no promise of their port still end in a shaped reply and a true record (section 10)."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import pytest
from returns import result

from groundtrace import outcomes
from groundtrace.outcomes import FailureKind, Support
from groundtrace.roles import ModelReply, ModelRequest, PlanRequest, ToolSpec
from groundtrace.sources import Description
from groundtrace.verdict import Cause
from groundtrace_adapters.models.script import Line
from groundtrace_app.chat.asking import ask
from groundtrace_app.tools.answer import ToolAnswer
from groundtrace_testing.chat_bench import FOUND, NO_CALLS, bench, verdict
from groundtrace_testing.settable_clock import NOON

GOOD = verdict("PASS", "e1")
REQUEST = PlanRequest(question="did it?", now=NOON, tools=(), history=(), seen=(), step=1)


def reply(**fields: Any) -> object:
    return result.Success(ModelReply(**{"text": GOOD, "model": "m", **fields}))


def raises(error: BaseException) -> Callable[[], Any]:
    def give() -> Any:
        raise error

    return give


def gives(value: object) -> Callable[[], Any]:
    async def give() -> object:
        return value

    return give


async def ends_a_generator() -> object:
    raise GeneratorExit


BROKEN: dict[str, Callable[[], Any]] = {
    "nothing": gives(None),
    "a text": gives(GOOD),
    "no coroutine": lambda: 7,
    "an exception at once": raises(ZeroDivisionError()),
    "a cancellation at once": raises(asyncio.CancelledError()),
    "an end of a generator at once": raises(GeneratorExit()),
    "an end of a generator": ends_a_generator,
}
NO_REPLIES = {
    **BROKEN,
    "a reply that is none": gives(result.Success(GOOD)),
    "no reply": gives(result.Success(None)),
    "bytes": gives(reply(text=GOOD.encode())),
    "a number": gives(reply(text=7)),
    "no model": gives(reply(model=None)),
}
NO_ANSWERS = {
    **BROKEN,
    "no outcome": gives(ToolAnswer(outcome=None, text="3 lines")),  # type: ignore[arg-type]
    "no text": gives(ToolAnswer(outcome=FOUND, text=None)),  # type: ignore[arg-type]
    "bytes": gives(ToolAnswer(outcome=FOUND, text=b"3 lines")),  # type: ignore[arg-type]
    "no retrieval": gives(ToolAnswer(outcome=FOUND, text="3 lines", retrieval={})),  # type: ignore[arg-type]
}


class OddModel:
    """A model that does what it was made of."""

    name = "odd"

    def __init__(self, gives: Callable[[], Any]) -> None:
        self._gives = gives

    def reply(self, request: ModelRequest, /) -> Coroutine[Any, Any, Any]:
        """Whatever it is."""
        given: Coroutine[Any, Any, Any] = self._gives()
        return given


class OddTool:
    """A tool that does what it was made of."""

    name = "query_logs"
    retrieves = False

    def __init__(self, gives: Callable[[], Any]) -> None:
        self._gives = gives

    async def describe(self) -> ToolSpec:
        """A specification without a source."""
        return ToolSpec(name=self.name, purpose="odd", parameters={}, source=Description(name=self.name))

    def run(self, params: Mapping[str, object], /, *, session_id: str, call_id: str) -> Coroutine[Any, Any, Any]:
        """Whatever it is."""
        given: Coroutine[Any, Any, Any] = self._gives()
        return given


@pytest.mark.parametrize("given", NO_REPLIES.values(), ids=NO_REPLIES.keys())
def test_a_model_that_gives_no_reply_is_a_model_that_failed(given: Callable[[], Any]) -> None:
    """Field case E05."""
    asked = asyncio.run(ask(OddModel(given), REQUEST, seconds=1))
    assert asked.failure().kind in FailureKind


@pytest.mark.parametrize("text", [7, GOOD.encode(), ["PASS"]], ids=["number", "bytes", "list"])
def test_a_verifier_that_sends_no_text_leaves_its_record_like_any_other(text: Any) -> None:
    """Field cases A20 (wrong_type) and E06, end to end."""
    made = bench(verifier=[Line(text=text)])
    made.ask()
    assert [one.cause for one in made.store.evaluations("s-1").unwrap()] == [Cause.VERIFIER_ERROR]


@pytest.mark.parametrize("given", NO_ANSWERS.values(), ids=NO_ANSWERS.keys())
def test_a_tool_that_gives_no_answer_is_a_failed_call_and_the_turn_goes_on(given: Callable[[], Any]) -> None:
    """Field case E10, all_failed."""
    plan = '{"calls": [{"tool": "query_logs", "params": {}}]}'
    made = bench(planner=[plan, NO_CALLS], tools=[OddTool(given)], verifier=[GOOD])
    made.ask()
    assert [row.success for row in made.store.rows("s-1").unwrap()] == [False]
    assert [one.cause for one in made.store.evaluations("s-1").unwrap()] == [Cause.NO_EVIDENCE]


def test_a_tool_whose_success_is_blank_passes_nothing() -> None:
    """Field case E10, success_level_none."""
    blank = ToolAnswer(outcome=outcomes.Success(support=Support.DIRECT, output=" \n"), text=" \n")
    made = bench(tools=[OddTool(gives(blank))], verifier=[GOOD])
    made.ask()
    assert [one.cause for one in made.store.evaluations("s-1").unwrap()] == [Cause.NO_EVIDENCE]
