"""Every framework alike: each call of a tool leaves one true row, and nobody in the agent sees a difference."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest

from groundtrace import outcomes
from groundtrace.invocation import Invocation
from groundtrace.outcomes import DedupReason
from groundtrace_app.recorded import recorded, recording
from groundtrace_testing.frameworks.agents import (
    FRAMEWORKS,
    IN_TASKS,
    Asked,
    Driver,
    Ran,
    Step,
    Tool,
    call,
    driver_of,
    say,
)
from groundtrace_testing.gate_bench import GateBench, close_gate_benches, gate_bench

FOUND = "03:12 the primary failed over"

pytestmark = pytest.mark.frameworks


@pytest.fixture(params=FRAMEWORKS)
def driver(request: pytest.FixtureRequest) -> Driver:
    return driver_of(request.param)


@pytest.fixture
def made() -> Iterator[GateBench]:
    yield gate_bench()
    close_gate_benches()


def asked(made: GateBench | None, *steps: Step, tools: tuple[Tool, ...]) -> Asked:
    return Asked(gate=None if made is None else made.gate, steps=steps, tools=tools, gated=False)


def run(driver: Driver, made: GateBench, *steps: Step, tools: tuple[Tool, ...]) -> tuple[Ran, tuple[Invocation, ...]]:
    """Run an agent that is recorded only, and return the rows of its session."""
    ran = asyncio.run(driver.ask(asked(made, *steps, say("done"), tools=tools)))
    return ran, made.rows()


def look(place: str) -> str:
    """Look at a place."""
    return FOUND if place == "db" else ""


async def look_later(place: str) -> str:
    """Look at a place, in a task."""
    await asyncio.sleep(0)
    return look(place)


@pytest.mark.parametrize("tool", [look, look_later], ids=["function", "coroutine"])
def test_a_call_that_found_something_is_a_success(driver: Driver, made: GateBench, tool: Tool) -> None:
    _, (row,) = run(driver, made, call((tool.__name__, {"place": "db"})), tools=(tool,))
    assert (row.outcome, row.support, row.output_preview) == ("success", "INDIRECT", FOUND)
    assert (row.tool_name, row.input_params, row.session_id) == (tool.__name__, '{"place":"db"}', "s-1")
    assert row.turn_id


def test_a_call_that_came_back_empty_is_no_success(driver: Driver, made: GateBench) -> None:
    _, (row,) = run(driver, made, call(("look", {"place": "attic"})), tools=(look,))
    assert (row.outcome, row.reason) == ("no_evidence", "empty_result")


def test_an_empty_list_is_empty_though_its_text_is_not(driver: Driver, made: GateBench) -> None:
    def list_pods(namespace: str) -> list[str]:
        """List pods."""
        return []

    _, (row,) = run(driver, made, call(("list_pods", {"namespace": "shop"})), tools=(list_pods,))
    assert (row.outcome, row.reason) == ("no_evidence", "empty_result")


def test_an_exception_that_the_framework_turns_into_words_is_a_failure(driver: Driver, made: GateBench) -> None:
    def look(place: str) -> str:
        """Look at a place."""
        raise driver.hidden("the database is down")

    ran, rows = run(driver, made, call(("look", {"place": "db"})), tools=(look,))
    assert [(row.outcome, row.reason, row.success) for row in rows] == [("failure", "error", False)]
    assert rows[0].error_message == f"{driver.hidden.__name__}: the database is down"
    assert ran.text == "done"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError("no answer in 3 s"), "timeout"),
        (PermissionError("prod may not be listed"), "denied"),
        (ConnectionRefusedError("503"), "unavailable"),
        (RuntimeError(), "error"),
    ],
    ids=["timeout", "denied", "unavailable", "no_text"],
)
def test_an_exception_keeps_its_kind(driver: Driver, made: GateBench, error: Exception, kind: str) -> None:
    def look(place: str) -> str:
        """Look at a place."""
        raise error

    with suppress(type(error)):
        run(driver, made, call(("look", {"place": "db"})), tools=(look,))
    assert [(row.outcome, row.reason) for row in made.rows()] == [("failure", kind)]


def test_what_a_tool_returns_is_read_by_its_declared_shape(driver: Driver, made: GateBench) -> None:
    def run_command(limit: int) -> dict[str, object]:
        """Run a command."""
        return {"isError": True, "content": [{"type": "text", "text": "no such table"}]}

    _, (row,) = run(driver, made, call(("run_command", {"limit": 3})), tools=(run_command,))
    assert (row.outcome, row.basis) == ("failure", "declared")


def test_an_answer_as_long_as_its_limit_is_only_a_part(driver: Driver, made: GateBench) -> None:
    def list_rows(limit: int) -> list[str]:
        """List rows."""
        return [f"row {number}" for number in range(limit)]

    _, (row,) = run(driver, made, call(("list_rows", {"limit": 3})), tools=(list_rows,))
    assert (row.outcome, row.partial) == ("success", True)


@recorded(topic_domain="pods", classify="http")
def ask_pods(number: int) -> dict[str, object]:
    """Ask for a pod."""
    if number == 0:
        raise PermissionError("not for you")
    return {"status": 429, "body": "slow down"} if number == 1 else {"status": 200, "body": f"cart-{number}"}


@recorded
def helped(number: int) -> str:
    """Ask for a pod, by another tool that is recorded."""
    with suppress(PermissionError):
        ask_pods(number)
    return "it was asked"


@pytest.mark.parametrize(
    ("number", "outcome", "reason"),
    [(0, "failure", "denied"), (1, "failure", "rate_limited"), (2, "success", None)],
)
def test_a_recorded_tool_leaves_one_row_which_knows_what_its_body_gave(
    driver: Driver, made: GateBench, number: int, outcome: str, reason: str | None
) -> None:
    with recording(made.gate.recorder, session_id="elsewhere"), suppress(PermissionError):
        _, rows = run(driver, made, call(("ask_pods", {"number": number})), tools=(ask_pods,))
    rows = made.rows()
    assert [(row.tool_name, row.topic_domain) for row in rows] == [("ask_pods", "pods")]
    assert (rows[0].outcome, rows[0].reason) == (outcome, reason)
    assert made.rows("elsewhere") == ()


def test_another_recorded_tool_beneath_leaves_its_own_row(driver: Driver, made: GateBench) -> None:
    with recording(made.gate.recorder, session_id="elsewhere"):
        _, rows = run(driver, made, call(("helped", {"number": 2})), tools=(helped,))
    assert [row.tool_name for row in rows] == ["helped"]
    assert [row.tool_name for row in made.rows("elsewhere")] == ["ask_pods"]


def test_the_same_call_again_is_a_call_of_its_own(driver: Driver, made: GateBench) -> None:
    again = call(("look", {"place": "db"}))
    _, rows = run(driver, made, again, again, tools=(look,))
    assert [row.outcome for row in rows] == ["success", "success"]
    assert len({row.id for row in rows}) == 2
    assert len({row.input_fingerprint for row in rows}) == 1
    assert len({row.turn_id for row in rows}) == 1


def test_a_refused_repeat_is_a_repeat_where_the_user_says_so(driver: Driver, made: GateBench) -> None:
    def look(place: str) -> str:
        """Look at a place."""
        return "already asked"

    def classify(value: object) -> outcomes.Outcome | None:
        refused = value == "already asked"
        return outcomes.Deduped(reason=DedupReason.SAME_QUERY, of=("call-1",)) if refused else None

    given = Asked(
        gate=made.gate,
        steps=(call(("look", {"place": "db"})), say("done")),
        tools=(look,),
        gated=False,
        classify=classify,
    )
    asyncio.run(driver.ask(given))
    assert [(row.outcome, row.dedup_reason) for row in made.rows()] == [("deduped", "same_query")]


def test_parallel_calls_leave_one_row_each(driver: Driver, made: GateBench) -> None:
    places = ("db", "attic", "cellar", "db")
    _, rows = run(driver, made, call(*(("look_later", {"place": one}) for one in places)), tools=(look_later,))
    told = sorted((row.input_params, str(row.outcome)) for row in rows)
    assert told == [
        ('{"place":"attic"}', "no_evidence"),
        ('{"place":"cellar"}', "no_evidence"),
        ('{"place":"db"}', "success"),
        ('{"place":"db"}', "success"),
    ]


@pytest.mark.parametrize("driver", IN_TASKS, indirect=True)
def test_a_cancelled_call_is_recorded_as_cancelled(driver: Driver, made: GateBench) -> None:
    async def wait(place: str) -> str:
        """Wait for ever."""
        began.set()
        await asyncio.sleep(60)
        return FOUND

    async def cancel() -> None:
        task = asyncio.ensure_future(driver.ask(asked(made, call(("wait", {"place": "db"})), tools=(wait,))))
        await asyncio.wait_for(began.wait(), 10)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    began = asyncio.Event()
    asyncio.run(cancel())
    assert [(row.outcome, row.reason) for row in made.rows()] == [("failure", "cancelled")]


def test_arguments_that_the_tool_refuses_leave_a_row(driver: Driver, made: GateBench) -> None:
    _, rows = run(driver, made, call(("look", {"where": "db"})), tools=(look,))
    assert [(row.tool_name, row.outcome) for row in rows] == [("look", "failure")]


@pytest.mark.parametrize("place", ["db", "attic", "broken"])
def test_the_model_sees_what_it_would_see_without_a_record(driver: Driver, made: GateBench, place: str) -> None:
    def look(place: str) -> list[str]:
        """Look at a place."""
        if place == "broken":
            raise driver.hidden("the database is down")
        return [FOUND] if place == "db" else []

    steps = (call(("look", {"place": place})), say("done"))
    recorded = asyncio.run(driver.ask(asked(made, *steps, tools=(look,))))
    bare = asyncio.run(driver.ask(asked(None, *steps, tools=(look,))))
    assert recorded.shown == bare.shown
    assert len(recorded.shown) == 1
