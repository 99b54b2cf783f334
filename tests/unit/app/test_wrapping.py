"""Any callable can be recorded: what it returns or raises comes out unchanged, and one true row stays (DESIGN 4)."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import functools
import gc
import inspect
import json
import threading
import traceback
import types
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any, NoReturn

import pytest
from typing_extensions import override

from groundtrace import outcomes
from groundtrace.invocation import Invocation, OutputState
from groundtrace.outcomes import Basis, OutcomeKind, Support
from groundtrace_app.recorded import recorded, recording
from groundtrace_app.stream import STREAM_CHARACTERS
from groundtrace_testing.moody_store import Mood
from groundtrace_testing.recorder_bench import SESSION, RecorderBench, recorder_bench

ENDINGS: dict[str, BaseException] = {
    "value_error": ValueError("bad selector"),
    "no_words": TimeoutError(),
    "cancelled": asyncio.CancelledError(),
    "keyboard_interrupt": KeyboardInterrupt(),
    "system_exit": SystemExit(3),
    "generator_exit": GeneratorExit(),
    "stop_iteration": StopIteration("a bug of the tool"),
}


@pytest.fixture
def bench() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


def query(service: str, /, *filters: str, limit: int = 10, **rest: object) -> str:
    """Find lines."""
    return f"{limit} lines of {service}"


async def query_later(service: str, limit: int = 10) -> str:
    """Find lines later."""
    await asyncio.sleep(0)
    return f"{limit} lines of {service}"


def stream(service: str) -> Generator[str, str | None, int]:
    """Give lines one by one."""
    for number in range(3):
        yield f"{service} {number}\n"
    return 3


async def stream_later(service: str) -> AsyncIterator[str]:
    """Give lines one by one, later."""
    for number in range(3):
        await asyncio.sleep(0)
        yield f"{service} {number}\n"


def partial_notes(row: Invocation, /) -> list[str]:
    notes: list[str] = json.loads(row.details).get("partial", [])
    return notes


class TestTheFace:
    @pytest.mark.parametrize("tool", [query, query_later, stream, stream_later])
    def test_name_signature_kind_and_docstring_stay(self, bench: RecorderBench, tool: Callable[..., Any]) -> None:
        wrapped = bench.wrapped(tool)
        assert (wrapped.__name__, wrapped.__doc__, wrapped.__module__) == (tool.__name__, tool.__doc__, tool.__module__)
        assert inspect.signature(wrapped) == inspect.signature(tool)
        for kind in (
            inspect.isfunction,
            inspect.iscoroutinefunction,
            inspect.isgeneratorfunction,
            inspect.isasyncgenfunction,
        ):
            assert kind(wrapped) == kind(tool)

    def test_the_tool_is_found_under_the_wrapper(self, bench: RecorderBench) -> None:
        assert inspect.unwrap(bench.wrapped(query)) is query

    def test_a_name_of_the_callers_choice_is_recorded(self, bench: RecorderBench) -> None:
        bench.wrapped(query, tool_name="query_logs", topic_domain="Checkout ")("api")
        assert (bench.row().tool_name, bench.row().topic_domain) == ("query_logs", "checkout")

    def test_the_session_may_be_asked_for_at_each_call(self, bench: RecorderBench) -> None:
        current = contextvars.ContextVar("current", default="acme/one")
        wrapped = recorded(query, recorder=bench.recorder, session_id=current.get, turn_id="turn-9")
        wrapped("api")
        current.set("acme/two")
        wrapped("api")
        assert [len(bench.rows(session)) for session in ("acme/one", "acme/two")] == [1, 1]
        assert bench.rows("acme/one")[0].turn_id == "turn-9"

    def test_a_session_function_that_fails_breaks_no_call(
        self, bench: RecorderBench, caplog: pytest.LogCaptureFixture
    ) -> None:
        def nobody() -> str:
            raise LookupError("no request")

        assert recorded(query, recorder=bench.recorder, session_id=nobody)("api") == "10 lines of api"
        assert "the session of a call of query is unknown: LookupError" in caplog.text


class TestParameters:
    def parameters(self, bench: RecorderBench) -> object:
        return json.loads(bench.row().input_params)

    def test_arguments_are_recorded_by_name_as_given(self, bench: RecorderBench) -> None:
        bench.wrapped(query)("api", "a=b", "c=d", limit=3, zone="eu")
        assert self.parameters(bench) == {"service": "api", "filters": ["a=b", "c=d"], "limit": 3, "zone": "eu"}

    def test_a_single_mapping_is_the_parameters(self, bench: RecorderBench) -> None:
        def tool(params: dict[str, Any]) -> str:
            return "3 lines"

        bench.wrapped(tool)({"service": "api", "limit": 3})
        assert self.parameters(bench) == {"service": "api", "limit": 3}
        assert bench.row().topic_domain == "api"

    def test_arguments_that_do_not_fit_are_recorded_as_they_came(self, bench: RecorderBench) -> None:
        with pytest.raises(TypeError, match="missing 1 required positional argument"):
            bench.wrapped(query)(limit=3)
        assert self.parameters(bench) == {"args": [], "kwargs": {"limit": 3}}
        assert bench.row().outcome is OutcomeKind.FAILURE

    def test_a_callable_without_a_signature_is_recorded(self, bench: RecorderBench) -> None:
        assert bench.wrapped(max)([1, 3, 2]) == 3
        assert (bench.row().tool_name, self.parameters(bench)) == ("max", {"args": [[1, 3, 2]], "kwargs": {}})

    def test_what_the_tool_does_to_its_parameters_and_its_caller_to_the_result_changes_no_row(
        self, bench: RecorderBench
    ) -> None:
        """Field case B18."""
        lines = ["l1", "l2"]

        def tool(params: dict[str, Any]) -> list[str]:
            params["filters"].append("svc=db")
            params["opts"]["limit"] = 9_999
            return lines

        returned = bench.wrapped(tool)({"filters": ["svc=api"], "opts": {"limit": 10}})
        before = bench.row()
        returned.clear()
        assert returned is lines
        assert self.parameters(bench) == {"filters": ["svc=api"], "opts": {"limit": 10}}
        assert (bench.row().output_preview, bench.row().output_sha256) == ('["l1","l2"]', before.output_sha256)

    def test_what_cannot_be_copied_breaks_no_call(self, bench: RecorderBench) -> None:
        """Field case B18."""
        lock = threading.Lock()
        assert bench.wrapped(lambda client, service: client)(lock, "api") is lock
        assert self.parameters(bench) == {"client": "<lock>", "service": "api"}

    def test_a_method_is_recorded_without_its_object(self, bench: RecorderBench) -> None:
        class Client:
            secret = "hunter2"

            def query(self, service: str) -> str:
                return self.secret and service

        Client.query = bench.wrapped(Client.query)  # type: ignore[method-assign]
        assert Client().query("api") == "api"
        assert self.parameters(bench) == {"service": "api"}


class Tools:
    """The ways in which a callable may be held."""

    def method(self, service: str) -> str:
        return f"method {service}"

    @classmethod
    def of_class(cls, service: str) -> str:
        return f"{cls.__name__} {service}"

    @staticmethod
    def static(service: str) -> str:
        return f"static {service}"

    def __call__(self, service: str) -> str:
        return f"called {service}"


class LaterTool:
    async def __call__(self, service: str) -> str:
        await asyncio.sleep(0)
        return f"later {service}"


class TestKindsOfCallables:
    @pytest.mark.parametrize(
        ("tool", "name", "returned"),
        [
            (Tools().method, "method", "method api"),
            (Tools.of_class, "of_class", "Tools api"),
            (Tools.static, "static", "static api"),
            (Tools(), "Tools", "called api"),
            (functools.partial(query, "api", limit=2), "query", "2 lines of api"),
            (lambda service: f"lambda {service}", "<lambda>", "lambda api"),
        ],
        ids=["method", "classmethod", "staticmethod", "object", "partial", "lambda"],
    )
    def test_each_is_called_as_before_and_recorded(
        self, bench: RecorderBench, tool: Callable[..., Any], name: str, returned: str
    ) -> None:
        arguments = () if isinstance(tool, functools.partial) else ("api",)
        assert bench.wrapped(tool)(*arguments) == returned
        assert (bench.row().tool_name, bench.row().output_preview) == (name, returned)

    def test_class_and_static_methods_may_be_wrapped_where_they_are_written(self, bench: RecorderBench) -> None:
        class Recorded:
            of_class = bench.wrapped(classmethod(lambda cls, service: f"{cls.__name__} {service}"))  # type: ignore[arg-type]
            static = bench.wrapped(staticmethod(lambda service: f"static {service}"))

        assert Recorded.of_class("api") == Recorded().of_class("api") == "Recorded api"
        assert Recorded.static("api") == Recorded().static("api") == "static api"
        assert len(bench.rows()) == 4

    def test_a_partial_of_a_coroutine_function_stays_one(self, bench: RecorderBench) -> None:
        wrapped = bench.wrapped(functools.partial(query_later, limit=2))
        assert inspect.iscoroutinefunction(wrapped)
        assert asyncio.run(wrapped("api")) == "2 lines of api"
        assert bench.row().tool_name == "query_later"

    def test_an_object_with_an_asynchronous_call_is_recorded_when_it_has_answered(self, bench: RecorderBench) -> None:
        async def ask() -> str:
            pending = bench.wrapped(LaterTool())("api")
            assert bench.rows() == []
            answer: str = await pending
            return answer

        assert asyncio.run(ask()) == "later api"
        assert bench.row().output_preview == "later api"


class TestWhatIsReturned:
    @pytest.mark.parametrize("value", [None, 0, False, [], {}, "", b"", float("nan"), object(), ["x"] * 3, 1 + 2j])
    def test_comes_out_as_the_same_object(self, bench: RecorderBench, value: object) -> None:
        async def later() -> object:
            return value

        assert bench.wrapped(lambda: value)() is value
        assert asyncio.run(bench.wrapped(later)()) is value
        assert len(bench.rows()) == 2

    def test_may_refuse_to_be_compared_counted_or_shown(self, bench: RecorderBench) -> None:
        class Hostile:
            def fail(self, *_: object) -> NoReturn:
                raise RuntimeError("do not touch")

            __eq__ = __bool__ = __len__ = __str__ = __repr__ = __iter__ = __getattr__ = __class__ = fail  # type: ignore[assignment]
            __hash__ = None  # type: ignore[assignment]

        hostile = Hostile()
        assert bench.wrapped(lambda: hostile)() is hostile
        assert len(bench.rows()) == 1

    def test_may_be_huge_and_is_kept_as_head_and_tail(self, bench: RecorderBench) -> None:
        huge = "begin " + "x" * 20_000_000 + " end"
        assert bench.wrapped(lambda: huge)() is huge
        row = bench.row()
        assert (row.output_state, row.output_bytes) == (OutputState.TRUNCATED, len(huge))
        assert len(row.output_preview or "") < 2_200

    def test_is_read_by_the_tools_own_classifier_first(self, bench: RecorderBench) -> None:
        own = outcomes.Success(support=Support.DIRECT, output="seen")
        bench.wrapped(lambda: {"status": "ok"}, classify=lambda value: own)()
        assert (bench.row().support, bench.row().output_preview) == (Support.DIRECT, "seen")

    @pytest.mark.parametrize(
        "classify",
        [
            lambda value: 1 / 0,
            lambda value: "yes",
            lambda value: True,
            lambda value: outcomes.Success(support=Support.INDIRECT, output=[value]),  # type: ignore[arg-type]
        ],
    )
    def test_is_read_by_the_published_rules_where_a_classifier_is_broken(
        self, bench: RecorderBench, classify: Callable[[object], Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        assert bench.wrapped(lambda: "no results found", classify=classify)() == "no results found"
        assert (bench.row().outcome, bench.row().basis) == (OutcomeKind.NO_EVIDENCE, Basis.INFERRED)
        assert "is passed over" in caplog.text

    def test_is_left_to_the_published_rules_where_a_classifier_says_none(self, bench: RecorderBench) -> None:
        bench.wrapped(lambda: "3 lines", classify=lambda value: None)()
        assert (bench.row().outcome, bench.row().support) == (OutcomeKind.SUCCESS, Support.INDIRECT)


class TestWhatIsRaised:
    @pytest.mark.parametrize("name", ENDINGS)
    def test_by_a_function_comes_out_as_the_same_exception(self, bench: RecorderBench, name: str) -> None:
        """Field case B14: keyboard_interrupt, system_exit. B15."""
        error = ENDINGS[name]

        def tool() -> NoReturn:
            raise error

        with pytest.raises(type(error)) as caught:
            bench.wrapped(tool)()
        assert caught.value is error
        assert_failed(bench.row(), error)

    @pytest.mark.parametrize("name", [name for name in ENDINGS if name != "stop_iteration"])
    def test_by_a_coroutine_comes_out_as_the_same_exception(self, bench: RecorderBench, name: str) -> None:
        """Field case B14: task_cancelled."""
        error = ENDINGS[name]

        async def tool() -> NoReturn:
            raise error

        pending = bench.wrapped(tool)()
        with pytest.raises(type(error)) as caught:
            pending.send(None)
        assert caught.value is error
        assert_failed(bench.row(), error)

    def test_has_its_own_traceback_and_context(self, bench: RecorderBench) -> None:
        def tool() -> NoReturn:
            try:
                raise KeyError("job")
            except KeyError as cause:
                raise ValueError("bad selector") from cause

        with pytest.raises(ValueError, match="bad selector") as caught:
            bench.wrapped(tool)()
        assert isinstance(caught.value.__cause__, KeyError)
        assert caught.value.__context__ is caught.value.__cause__
        assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][-1] == "tool"

    def test_may_refuse_to_be_shown(self, bench: RecorderBench) -> None:
        class UnprintableError(Exception):
            @override
            def __str__(self) -> str:
                raise RuntimeError("no words")

        def tool() -> NoReturn:
            raise UnprintableError

        with pytest.raises(UnprintableError):
            bench.wrapped(tool)()
        assert bench.row().error_message == "UnprintableError"

    def test_by_a_deadline_of_the_caller_is_recorded_as_cut_off(self, bench: RecorderBench) -> None:
        """Field case B14: wait_for_timeout."""

        async def slow() -> str:
            await asyncio.sleep(10)
            return "too late"

        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(bench.wrapped(slow)(), 0.05))
        assert (bench.row().success, bench.row().reason) == (False, "cancelled")

    def test_by_a_cancellation_during_the_record_leaves_no_half_row(self, bench: RecorderBench) -> None:
        """Field case B14: cancel_during_record_write."""
        bench.store.mood = Mood.HANGS

        async def ask() -> None:
            call = asyncio.create_task(bench.wrapped(query_later)("api"))
            await asyncio.sleep(0.01)
            call.cancel()
            await call

        asyncio.run(ask())
        bench.store.mood = Mood.WORKS
        assert bench.row().output_preview == "10 lines of api"

    @pytest.mark.parametrize("mood", [Mood.RAISES, Mood.HANGS])
    def test_and_returned_comes_out_the_same_while_the_store_is_down(self, bench: RecorderBench, mood: Mood) -> None:
        """Field case B12: tool_ok, tool_raises, store_hangs."""
        bench.store.mood = mood

        def tool(word: str) -> str:
            if word == "bad":
                raise ValueError("bad selector")
            return "3 lines"

        wrapped = bench.wrapped(tool)
        assert wrapped("good") == "3 lines"
        with pytest.raises(ValueError, match="bad selector"):
            wrapped("bad")
        assert len(bench.sink.flush(SESSION, deadline=0.1).lost) == 2


def assert_failed(row: Invocation, error: BaseException, /) -> None:
    assert (row.success, row.outcome) == (False, OutcomeKind.FAILURE)
    assert type(error).__name__ in (row.error_message or "")


class TestStreams:
    def test_a_stream_is_recorded_when_it_ends(self, bench: RecorderBench) -> None:
        lines = bench.wrapped(stream)("api")
        assert (next(lines), bench.rows()) == ("api 0\n", [])
        assert list(lines) == ["api 1\n", "api 2\n"]
        row = bench.row()
        assert (row.output_preview, row.partial) == ("api 0\napi 1\napi 2\n", False)

    def test_a_stream_of_values_is_recorded_as_a_list_of_them_as_they_were(self, bench: RecorderBench) -> None:
        def samples() -> Iterator[dict[str, int]]:
            yield {"up": 1}
            yield {"up": 0}

        for sample in bench.wrapped(samples)():
            sample.clear()
        assert bench.row().output_preview == '[{"up":1},{"up":0}]'

    def test_a_stream_of_bytes_is_recorded_as_bytes(self, bench: RecorderBench) -> None:
        list(bench.wrapped(lambda: (part for part in (b"ab", b"\xffc")))())
        assert bench.row().output_bytes == 4

    def test_a_stream_that_gives_nothing_is_no_evidence(self, bench: RecorderBench) -> None:
        assert list(bench.wrapped(lambda: (item for item in [*""]))()) == []
        assert (bench.row().outcome, bench.row().reason) == (OutcomeKind.NO_EVIDENCE, "empty_result")

    def test_a_stream_that_its_reader_leaves_is_partial(self, bench: RecorderBench) -> None:
        lines = bench.wrapped(stream)("api")
        next(lines)
        lines.close()
        row = bench.row()
        assert (row.outcome, row.support, row.partial) == (OutcomeKind.SUCCESS, Support.INDIRECT, True)
        assert partial_notes(row) == ["the reader left the stream after 1 items"]

    def test_a_stream_that_breaks_keeps_what_came_before(self, bench: RecorderBench) -> None:
        def breaks() -> Iterator[str]:
            yield "first line"
            raise ConnectionResetError("peer")

        with pytest.raises(ConnectionResetError):
            list(bench.wrapped(breaks)())
        row = bench.row()
        assert (row.success, row.output_preview) == (False, "first line")

    def test_a_stream_is_sent_thrown_into_and_returns_as_before(self, bench: RecorderBench) -> None:
        def talks() -> Generator[object, object, str]:
            heard = yield "ready"
            try:
                yield f"heard {heard}"
            except KeyError as error:
                yield f"caught {error!r}"
            return "done"

        talk = bench.wrapped(talks)()
        assert (next(talk), talk.send("hello"), talk.throw(KeyError("k"))) == (
            "ready",
            "heard hello",
            "caught KeyError('k')",
        )
        with pytest.raises(StopIteration) as end:
            next(talk)
        assert end.value.value == "done"
        assert len(bench.rows()) == 1

    def test_a_tool_that_ends_its_stream_in_its_own_way_is_let(self, bench: RecorderBench) -> None:
        tidied: list[str] = []

        def tidies() -> Iterator[str]:
            try:
                yield "first"
                yield "second"
            finally:
                tidied.append("closed")

        lines = bench.wrapped(tidies)()
        next(lines)
        lines.close()
        assert tidied == ["closed"]

    def test_a_stream_that_never_begins_never_ran_and_leaves_no_row(self, bench: RecorderBench) -> None:
        bench.wrapped(stream)("api").close()
        assert bench.rows() == []

    def test_a_stream_that_a_function_returned_and_nobody_read_leaves_a_row_that_says_so(
        self, bench: RecorderBench
    ) -> None:
        unread = bench.wrapped(lambda: stream("api"))()
        del unread
        gc.collect()
        assert (bench.row().outcome, bench.row().reason) == (OutcomeKind.NO_EVIDENCE, "partial_empty")
        assert partial_notes(bench.row()) == ["the caller never began to read the generator"]

    def test_a_stream_without_end_is_bounded_and_says_what_is_not_kept(self, bench: RecorderBench) -> None:
        chunk = "x" * 300_000

        def endless() -> Iterator[str]:
            for _ in range(100):
                yield chunk

        assert all(item is chunk for item in bench.wrapped(endless)())
        row = bench.row()
        assert (row.output_bytes, row.partial) == (STREAM_CHARACTERS, True)
        assert partial_notes(row) == [
            "only the first 1,048,576 characters of the 100 items of the stream were recorded"
        ]

    def test_an_asynchronous_stream_is_recorded_when_it_ends(self, bench: RecorderBench) -> None:
        async def read() -> list[str]:
            return [line async for line in bench.wrapped(stream_later)("api")]

        assert asyncio.run(read()) == ["api 0\n", "api 1\n", "api 2\n"]
        assert bench.row().output_preview == "api 0\napi 1\napi 2\n"

    def test_an_asynchronous_stream_that_its_reader_leaves_is_partial(self, bench: RecorderBench) -> None:
        """Field case B14: async_gen_closed."""

        async def read() -> None:
            async for _ in bench.wrapped(stream_later)("api"):
                break

        asyncio.run(read())
        row = bench.row()
        assert (row.success, row.partial, row.output_preview) == (True, True, "api 0\n")
        assert partial_notes(row) == ["the reader left the stream after 1 items"]

    def test_an_asynchronous_stream_that_is_cancelled_keeps_what_came_before(self, bench: RecorderBench) -> None:
        async def stalls() -> AsyncIterator[str]:
            yield "first line"
            await asyncio.sleep(30)

        async def read() -> None:
            async for _ in bench.wrapped(stalls)():
                pass

        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(read(), 0.05))
        assert (bench.row().reason, bench.row().output_preview) == ("cancelled", "first line")

    def test_an_asynchronous_stream_is_sent_and_thrown_into_as_before(self, bench: RecorderBench) -> None:
        async def talks() -> Any:
            heard = yield "ready"
            try:
                yield f"heard {heard}"
            except KeyError as error:
                yield f"caught {error!r}"

        async def talk() -> list[object]:
            open_talk = bench.wrapped(talks)()
            said = [await anext(open_talk), await open_talk.asend("hello"), await open_talk.athrow(KeyError("k"))]
            await open_talk.aclose()
            return said

        assert asyncio.run(talk()) == ["ready", "heard hello", "caught KeyError('k')"]
        assert len(bench.rows()) == 1


class TestWhatComesLater:
    def test_a_future_of_an_event_loop_is_recorded_when_it_is_done(self, bench: RecorderBench) -> None:
        async def ask() -> object:
            future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            given = bench.wrapped(lambda: future)()
            assert given is future
            asyncio.get_running_loop().call_later(0.01, future.set_result, "3 lines")
            return await given

        assert asyncio.run(ask()) == "3 lines"
        assert bench.row().output_preview == "3 lines"

    def test_a_task_that_is_cancelled_is_recorded_as_cancelled(self, bench: RecorderBench) -> None:
        async def ask() -> None:
            task = bench.wrapped(lambda: asyncio.create_task(asyncio.sleep(30)))()
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})

        asyncio.run(ask())
        assert (bench.row().reason, bench.row().success) == ("cancelled", False)

    def test_a_future_of_a_pool_is_recorded_when_it_is_done(self, bench: RecorderBench) -> None:
        future: concurrent.futures.Future[str] = concurrent.futures.Future()
        assert bench.wrapped(lambda: future)() is future
        assert bench.rows() == []
        future.set_exception(ValueError("bad selector"))
        assert bench.row().error_message == "ValueError: bad selector"

    def test_a_future_that_is_done_already_is_recorded_at_once(self, bench: RecorderBench) -> None:
        future: concurrent.futures.Future[str] = concurrent.futures.Future()
        future.set_result("3 lines")
        bench.wrapped(lambda: future)()
        assert bench.row().output_preview == "3 lines"

    @pytest.mark.parametrize(
        "lazy", [iter(["l1"]), map(str, [1]), zip([1], [2], strict=True)], ids=["iter", "map", "zip"]
    )
    def test_another_lazy_object_is_handed_on_as_it_is_and_its_row_is_no_evidence(
        self, bench: RecorderBench, lazy: Iterator[object]
    ) -> None:
        assert bench.wrapped(lambda: lazy)() is lazy
        row = bench.row()
        assert (row.outcome, row.reason, row.partial) == (OutcomeKind.NO_EVIDENCE, "partial_empty", True)
        assert len(list(lazy)) == 1

    def test_an_awaitable_of_the_callers_own_is_handed_on_as_it_is(self, bench: RecorderBench) -> None:
        class Lazy:
            def __await__(self) -> Iterator[None]:
                yield

        @types.coroutine
        def old_kind() -> Generator[None, None, str]:
            yield
            return "3 lines"

        lazy = Lazy()
        assert bench.wrapped(lambda: lazy)() is lazy
        assert inspect.isawaitable(bench.wrapped(old_kind)())
        assert [row.reason for row in bench.rows()] == ["partial_empty"] * 2


class TestManyAtOnce:
    def test_calls_of_many_threads_and_tasks_leave_one_row_each(self, bench: RecorderBench) -> None:
        wrapped, later = bench.wrapped(query), bench.wrapped(query_later)

        async def ask() -> None:
            await asyncio.gather(*(later(f"later-{number}") for number in range(100)))

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(wrapped, (f"service-{number}" for number in range(100))))
        asyncio.run(ask())
        assert len({row.output_preview for row in bench.rows()}) == 200

    def test_a_tool_that_calls_itself_leaves_a_row_for_each_call(self, bench: RecorderBench) -> None:
        def countdown(n: int) -> int:
            return n if n == 0 else wrapped(n - 1)

        wrapped = bench.wrapped(countdown)
        wrapped(3)
        assert [row.seq for row in bench.rows()] == [1, 2, 3, 4]

    def test_a_variable_of_the_context_that_a_tool_sets_is_seen_by_its_caller(self, bench: RecorderBench) -> None:
        seen = contextvars.ContextVar("seen", default="nothing")

        async def tool() -> None:
            seen.set("set by the tool")

        async def ask() -> str:
            await bench.wrapped(tool)()
            return seen.get()

        assert asyncio.run(ask()) == "set by the tool"


class _Counter:
    def __init__(self, start: int) -> None:
        self.start = start

    @recorded
    def above(self, by: int, /) -> int:
        return self.start + by

    @recorded
    @classmethod
    def named(cls, by: int) -> str:
        return f"{cls.__name__}-{by}"


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        (_Counter(40).above, 42),
        (_Counter.named, "_Counter-2"),
        (_Counter(40).named, "_Counter-2"),
        (functools.partial(_Counter(40).above), 42),
        (functools.partial(_Counter.above, _Counter(40)), 42),
    ],
    ids=["method", "class_method", "class_method_of_an_object", "partial_of_a_method", "partial_of_a_function"],
)
def test_a_bound_tool_that_is_recorded_already_stays_bound_and_leaves_one_row(
    tool: Callable[[int], object], value: object, bench: RecorderBench
) -> None:
    again = bench.wrapped(tool, tool_name="again")
    with recording(bench.recorder, session_id=SESSION):
        assert again(2) == value
    assert (bench.row().tool_name, bench.row().outcome) == ("again", "success")
