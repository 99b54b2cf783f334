"""`@recorded` keeps the type of what it decorates: mypy holds each, in the forms in which it is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, assert_type, overload

import pytest

from groundtrace_app.recorded import recorded, recording
from groundtrace_testing.recorder_bench import RecorderBench, recorder_bench


@pytest.fixture
def bench() -> Iterator[RecorderBench]:
    made = recorder_bench()
    yield made
    made.close()


@recorded
def list_pods(namespace: str, *, limit: int = 10) -> list[str]:
    return [f"{namespace}-{limit}"]


@recorded(tool_name="query_logs", topic_domain="shop", classify="http")
async def query(pattern: str) -> str:
    await asyncio.sleep(0)
    return pattern


@recorded
def lines(service: str) -> Iterator[str]:
    yield service


@recorded()
async def later(service: str) -> AsyncIterator[str]:
    yield service


@overload
def doubled(value: int) -> int: ...
@overload
def doubled(value: str) -> str: ...
@recorded
def doubled(value: int | str) -> int | str:
    return value * 2


class Client:
    @recorded
    def method(self, service: str) -> int:
        return len(service)

    @recorded
    @classmethod
    def of_class(cls, service: str) -> str:
        return f"{cls.__name__} {service}"

    @recorded(tool_name="still")
    @staticmethod
    def static(service: str) -> bytes:
        return service.encode()

    @classmethod
    @recorded
    def inside(cls, service: str) -> str:
        return f"{cls.__name__} {service}"


def test_the_type_of_a_tool_stays(bench: RecorderBench) -> None:
    with recording(bench, session_id="inc-42") as current:
        assert_type(list_pods("shop", limit=3), list[str])
        assert_type(lines("cart"), Iterator[str])
        assert_type(later("cart"), AsyncIterator[str])
        assert_type(query("x"), Coroutine[Any, Any, str]).close()
        assert_type(doubled(2), int)
        assert_type(doubled("a"), str)
        assert_type(Client().method("cart"), int)
        assert_type(Client.of_class("cart"), str)
        assert_type(Client().static("cart"), bytes)
        assert_type(Client.inside("cart"), str)
        assert_type(current.bound(list_pods)("attic"), list[str])
    assert [row.tool_name for row in bench.rows("inc-42")] == [
        *("list_pods", "doubled", "doubled", "method", "of_class", "still", "inside", "list_pods")
    ]


def test_a_call_that_the_tool_would_refuse_is_refused_by_mypy() -> None:
    with pytest.raises(TypeError):
        list_pods(limit=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Client().method("cart", 3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        recorded(list_pods, tool="x")  # type: ignore[call-overload]


def test_a_recorded_tool_is_passed_where_the_tool_was() -> None:
    taken: Callable[[str], list[str]] = list_pods
    given: Callable[[int], list[str]] = list_pods  # type: ignore[assignment]
    assert callable(taken)
    assert callable(given)
