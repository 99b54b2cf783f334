"""A recorded tool belongs to the recording around its call; where none is, it runs as it is, and says so once."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Annotated, Any, get_type_hints

import pytest
from pydantic import Field, TypeAdapter, validate_call

from groundtrace import KNOWN_SHAPES, Shape, outcomes
from groundtrace.invocation import Invocation
from groundtrace.outcomes import OutcomeKind, Support
from groundtrace_app.recorded import recorded, recording
from groundtrace_testing.recorder_bench import RecorderBench, recorder_bench


@pytest.fixture
def bench() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


@pytest.fixture
def other() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


@recorded
def list_pods(namespace: Annotated[str, Field(description="where")], limit: int = 10) -> list[str]:
    """List pods.

    Args:
        namespace: where they are.
    """
    return [f"{namespace}-{limit}"]


def sessions(bench: RecorderBench, /) -> dict[str, list[Invocation]]:
    """Return all rows by session; nothing is recorded after that."""
    bench.sink.close(deadline=5)
    names = [line.session_id for line in bench.memory.sessions(limit=100).unwrap()]
    return {name: list(bench.memory.rows(name).unwrap()) for name in names}


class TestWhere:
    def test_a_call_goes_to_the_recording_around_it(self, bench: RecorderBench) -> None:
        with recording(bench, session_id="inc-42", turn_id="turn-1"):
            assert list_pods("shop") == ["shop-10"]
        (row,) = bench.rows("inc-42")
        assert (row.tool_name, row.turn_id, row.topic_domain) == ("list_pods", "turn-1", "shop")

    def test_a_recorder_is_enough_to_record_into(self, bench: RecorderBench) -> None:
        with recording(bench.recorder, session_id="inc-42"):
            list_pods("shop")
        assert len(bench.rows("inc-42")) == 1

    def test_a_recording_inside_another_takes_its_place(self, bench: RecorderBench, other: RecorderBench) -> None:
        with recording(bench, session_id="outer"):
            with recording(other, session_id="inner"):
                list_pods("shop")
            list_pods("attic")
        assert [row.topic_domain for row in bench.rows("outer")] == ["attic"]
        assert [row.topic_domain for row in other.rows("inner")] == ["shop"]

    def test_without_a_recording_a_tool_runs_as_it_is_and_says_so_once(
        self, bench: RecorderBench, caplog: pytest.LogCaptureFixture
    ) -> None:
        tool = recorded(lambda: "3 lines", tool_name="query_logs")
        assert [tool(), tool()] == ["3 lines"] * 2
        with recording(bench, session_id="inc-42"):
            pass
        tool()
        told = [line.getMessage() for line in caplog.records]
        assert told == ["query_logs is called and not recorded: no `recording` is open around the call"]
        assert sessions(bench) == {}

    def test_what_the_tool_itself_was_given_goes_before_the_recording(
        self, bench: RecorderBench, other: RecorderBench
    ) -> None:
        fixed = recorded(lambda: "3 lines", recorder=bench.recorder, session_id="fixed", turn_id="turn-7")
        half = recorded(lambda: "3 lines", recorder=bench.recorder)
        named = recorded(lambda: "3 lines", session_id="named")
        with recording(other, session_id="inc-42", turn_id="turn-1"):
            for tool in (fixed, half, named):
                tool()
        fixed()
        found = {name: [row.turn_id for row in rows] for name, rows in sessions(bench).items()}
        assert found == {"fixed": ["turn-7", "turn-7"], "inc-42": ["turn-1"]}
        assert [row.turn_id for row in other.rows("named")] == ["turn-1"]

    def test_a_recording_ends_with_its_block_also_by_an_exception(self, bench: RecorderBench) -> None:
        @recorded
        def broken() -> None:
            raise KeyError("x")

        with pytest.raises(KeyError), recording(bench, session_id="inc-42"):
            broken()
        list_pods("attic")
        assert len(bench.rows("inc-42")) == 1


class TestTwice:
    def test_a_tool_that_is_recorded_twice_leaves_one_row_as_was_said_last(self, bench: RecorderBench) -> None:
        tool = recorded(recorded(lambda: "3 lines", tool_name="first"), tool_name="second", session_id="inc-43")
        with recording(bench, session_id="inc-42"):
            assert tool() == "3 lines"
        assert [row.tool_name for row in bench.rows("inc-43")] == ["second"]
        assert bench.rows("inc-42") == []

    def test_a_decorator_of_others_between_them_is_a_call_of_its_own(self, bench: RecorderBench) -> None:
        @functools.wraps(list_pods)
        def counted(namespace: str) -> list[str]:
            return [*list_pods(namespace), "1"]

        with recording(bench, session_id="inc-42"):
            assert recorded(counted, tool_name="counted")("shop") == ["shop-10", "1"]
        assert [row.tool_name for row in bench.rows("inc-42")] == ["counted", "list_pods"]


class TestTasksAndThreads:
    def test_tasks_that_run_side_by_side_keep_to_their_own_recording(self, bench: RecorderBench) -> None:
        async def investigate(session: str) -> None:
            with recording(bench, session_id=session):
                for _ in range(3):
                    await asyncio.sleep(0)
                    list_pods(session)
                await asyncio.gather(*(ask(session) for _ in range(2)), asyncio.to_thread(list_pods, session))

        @recorded
        async def ask(service: str) -> str:
            await asyncio.sleep(0)
            return service

        async def main() -> None:
            await asyncio.gather(*(investigate(f"inc-{number}") for number in range(5)))

        asyncio.run(main())
        found = sessions(bench)
        assert {name: {row.topic_domain for row in rows} for name, rows in found.items()} == {
            f"inc-{number}": ({f"inc-{number}"}) for number in range(5)
        }
        assert {len(rows) for rows in found.values()} == {6}

    def test_a_thread_that_did_not_take_over_its_context_is_in_no_strangers_session(
        self, bench: RecorderBench, caplog: pytest.LogCaptureFixture
    ) -> None:
        tool = recorded(lambda: "3 lines", tool_name="query_logs")
        with recording(bench, session_id="inc-42"), ThreadPoolExecutor(1) as pool:
            assert [pool.submit(tool).result(), pool.submit(tool).result()] == ["3 lines"] * 2
        assert bench.rows("inc-42") == []
        assert all(name.startswith("unassigned-") for name in sessions(bench))
        assert len(sessions(bench)) == 2
        assert caplog.text.count("is called by a thread of no recording") == 1

    def test_such_a_thread_is_recorded_nowhere_while_recordings_go_to_different_places(
        self, bench: RecorderBench, other: RecorderBench, caplog: pytest.LogCaptureFixture
    ) -> None:
        tool = recorded(lambda: "3 lines", tool_name="query_logs")
        with recording(bench, session_id="a"), recording(other, session_id="b"), ThreadPoolExecutor(1) as pool:
            pool.submit(tool).result()
        assert sessions(bench) == sessions(other) == {}
        assert "query_logs is called and not recorded" in caplog.text

    @pytest.mark.parametrize("how", ["context", "bound", "adopt"])
    def test_a_pool_is_brought_into_a_recording(self, bench: RecorderBench, how: str) -> None:
        with recording(bench, session_id="inc-42") as current:
            pool = ThreadPoolExecutor(2, initializer=current.adopt if how == "adopt" else None)
            tool: Callable[[str], object] = current.bound(list_pods) if how == "bound" else list_pods
            for _ in range(8):
                run = functools.partial(contextvars.copy_context().run, tool, "shop")
                pool.submit(run if how == "context" else functools.partial(tool, "shop")).result()
            pool.shutdown()
        assert len(bench.rows("inc-42")) == 8

    def test_a_coroutine_function_is_bound_while_it_runs(self, bench: RecorderBench) -> None:
        @recorded
        async def ask(service: str) -> str:
            await asyncio.sleep(0)
            return service

        async def main() -> tuple[str, str]:
            with recording(bench, session_id="inc-42") as current:
                bound = current.bound(ask)
            return await asyncio.gather(bound("shop"), bound("attic"))

        assert list(asyncio.run(main())) == ["shop", "attic"]
        assert len(bench.rows("inc-42")) == 2

    def test_a_recording_that_is_left_in_another_context_ends_all_the_same(self, bench: RecorderBench) -> None:
        opened = recording(bench, session_id="inc-42")
        contextvars.copy_context().run(opened.__enter__)
        opened.__exit__(None, None, None)
        list_pods("shop")
        assert sessions(bench) == {}

    def test_a_generator_belongs_to_the_recording_in_which_it_begins(self, bench: RecorderBench) -> None:
        @recorded
        def lines() -> Iterator[str]:
            yield "l1"

        made = lines()
        with recording(bench, session_id="inc-42"):
            assert next(made) == "l1"
        assert list(made) == []
        assert [row.output_preview for row in bench.rows("inc-42")] == ["l1"]


class Finder:
    """Find what is there."""

    def __call__(self, service: str, limit: int = 3) -> str:
        """Find lines of a service."""
        return f"{limit} lines of {service}"


class LaterFinder:
    """Find what is there, later."""

    async def __call__(self, service: str) -> str:
        await asyncio.sleep(0)
        return f"lines of {service}"


class TestSchemas:
    """What frameworks build a schema from is the tool's own."""

    def test_hints_annotations_and_docstring_are_the_tools(self) -> None:
        assert get_type_hints(list_pods) == {"namespace": str, "limit": int, "return": list[str]}
        assert get_type_hints(list_pods, include_extras=True)["namespace"].__metadata__[0].description == "where"
        assert list(inspect.signature(list_pods).parameters) == ["namespace", "limit"]
        assert (list_pods.__name__, list_pods.__qualname__) == ("list_pods", "list_pods")
        assert (list_pods.__doc__ or "").startswith("List pods.")

    def test_pydantic_builds_the_same_schema(self) -> None:
        tools: tuple[Any, Any] = (list_pods, inspect.unwrap(list_pods))
        of_recorded, of_plain = (TypeAdapter(tool).json_schema() for tool in tools)
        assert of_recorded == of_plain
        assert of_recorded["properties"]["namespace"] == {
            "description": "where",
            "title": "Namespace",
            "type": "string",
        }
        assert of_recorded["required"] == ["namespace"]

    def test_it_goes_under_a_decorator_that_checks_arguments(self, bench: RecorderBench) -> None:
        checked = validate_call(list_pods)
        with recording(bench, session_id="inc-42"):
            assert checked("shop", limit="3") == ["shop-3"]  # type: ignore[arg-type]
        assert json.loads(bench.rows("inc-42")[0].input_params) == {"namespace": "shop", "limit": 3}

    @pytest.mark.parametrize(
        ("tool", "name", "coroutine"),
        [
            (Finder(), "Finder", False),
            (LaterFinder(), "LaterFinder", True),
            (functools.partial(Finder(), limit=1), "Finder", False),
            (Finder().__call__, "__call__", False),
        ],
        ids=["object", "later", "partial", "bound"],
    )
    def test_a_callable_object_has_a_name_hints_and_its_kind(
        self, tool: Callable[..., Any], name: str, *, coroutine: bool
    ) -> None:
        wrapped = recorded(tool)
        assert wrapped.__name__ == name
        assert inspect.iscoroutinefunction(wrapped) is coroutine
        assert inspect.signature(wrapped) == inspect.signature(tool)
        assert get_type_hints(wrapped)["service"] is str
        assert get_type_hints(wrapped)["return"] is str


def of_ticket(value: object) -> outcomes.Outcome | None:
    return outcomes.Success(support=Support.DIRECT, output="seen") if value == "ticket" else None


class TestClassifying:
    def outcome(self, bench: RecorderBench, value: object, /, **options: Any) -> tuple[OutcomeKind, str | None]:
        with recording(bench, session_id="inc-42", shapes=options.pop("around", KNOWN_SHAPES)):
            recorded(lambda: value, tool_name="tool", **options)()
        row = bench.rows("inc-42")[-1]
        return row.outcome, row.reason

    def test_a_shape_is_found_by_the_type_of_the_value(self, bench: RecorderBench) -> None:
        nothing = CompletedProcess(["grep", "x", "f"], 1, "", "")
        assert self.outcome(bench, nothing) == (OutcomeKind.NO_EVIDENCE, "no_match")
        assert self.outcome(bench, CompletedProcess(["make"], 2, "", "")) == (OutcomeKind.FAILURE, "error")

    def test_a_shape_is_named_by_its_name_or_itself(self, bench: RecorderBench) -> None:
        answer = {"status": 429, "url": "/x", "more": 1}
        assert self.outcome(bench, answer) == (OutcomeKind.SUCCESS, None)
        assert self.outcome(bench, answer, classify="http") == (OutcomeKind.FAILURE, "rate_limited")
        http = KNOWN_SHAPES.named("http")
        assert self.outcome(bench, answer, classify=http) == (OutcomeKind.FAILURE, "rate_limited")

    def test_a_name_that_nobody_knows_is_refused_where_it_is_written(self) -> None:
        with pytest.raises(ValueError, match="no declared shape is named 'htttp'; there are json_rpc, mcp"):
            recorded(classify="htttp")

    def test_shapes_come_from_the_tool_or_from_the_recording(self, bench: RecorderBench) -> None:
        mine = KNOWN_SHAPES.extended(
            Shape(name="box", fits=lambda value: hasattr(value, "lid"), read_object=lambda value, inner: inner([]))
        )
        box = SimpleNamespace(lid=1)
        assert self.outcome(bench, box) == (OutcomeKind.NO_EVIDENCE, "partial_empty")
        assert self.outcome(bench, box, shapes=mine) == (OutcomeKind.NO_EVIDENCE, "empty_result")
        assert self.outcome(bench, box, around=mine) == (OutcomeKind.NO_EVIDENCE, "empty_result")
        assert self.outcome(bench, [1], shapes=mine, classify="box") == (OutcomeKind.NO_EVIDENCE, "empty_result")

    def test_a_function_of_ones_own_goes_before_the_shapes(self, bench: RecorderBench) -> None:
        assert self.outcome(bench, "ticket", classify=of_ticket) == (OutcomeKind.SUCCESS, None)
        assert bench.rows("inc-42")[-1].support is Support.DIRECT
        assert self.outcome(bench, "[]", classify=of_ticket) == (OutcomeKind.NO_EVIDENCE, "empty_result")

    def test_a_limit_among_the_parameters_makes_a_full_answer_partial(self, bench: RecorderBench) -> None:
        @recorded
        def rows(limit: int) -> list[int]:
            return list(range(3))

        with recording(bench, session_id="inc-42"):
            rows(3)
            rows(limit=4)
        assert [row.partial for row in bench.rows("inc-42")] == [True, False]

    def test_what_an_exception_carries_says_how_the_call_broke(self, bench: RecorderBench) -> None:
        class HTTPStatusError(Exception):
            response = None

        error = HTTPStatusError("429 for url")
        error.response = SimpleNamespace(status_code=429, headers={"Retry-After": "5"})  # type: ignore[assignment]

        @recorded
        def ask() -> str:
            raise error

        with recording(bench, session_id="inc-42"), pytest.raises(HTTPStatusError) as caught:
            ask()
        assert caught.value is error
        (row,) = bench.rows("inc-42")
        assert (row.reason, row.error_message) == ("rate_limited", "HTTPStatusError: 429 for url; retry after 5 s")
