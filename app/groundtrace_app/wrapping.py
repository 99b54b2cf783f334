"""A recorder around any callable: functions, coroutines, generators and futures all leave one true row.

What the tool returns or raises comes out unchanged. What is to happen later is recorded when it has: a coroutine or a
future when it ends, a generator when it ends or its reader leaves it.
"""

import asyncio
import concurrent.futures
import functools
import inspect
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

from groundtrace.classify import Classifier
from groundtrace_app.following import OpenCall, Tool, around_async_generator, around_coroutine, around_generator
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.watching import Watch, WatchedCall

P = ParamSpec("P")
R = TypeVar("R")
_Future: TypeAlias = "asyncio.Future[Any] | concurrent.futures.Future[Any]"


def recorded_tool(
    tool: Callable[P, R],
    /,
    *,
    recorder: ToolInvocationRecorder,
    session_id: str | Callable[[], str],
    turn_id: str | None = None,
    tool_name: str | None = None,
    topic_domain: str | None = None,
    classify: Classifier | None = None,
) -> Callable[P, R]:
    """Return `tool` with each call recorded; its name, signature, kind (`inspect.is...function`) and docstring stay.

    `tool` may also be a method, a `functools.partial`, a callable object, a class method or a static method.
    `session_id` may be a function that is asked at each call. `classify` decides the outcome of a returned value;
    where it returns None or raises, `groundtrace.classify` decides.

    Iterators and awaitables other than generators, coroutines and futures are handed on as they are, unseen: their
    row says so, and is no evidence.
    """

    def recorded(function: Tool) -> Tool:
        watch = Watch(
            recorder=recorder,
            session_id=session_id if callable(session_id) else lambda: session_id,
            turn_id=turn_id,
            tool_name=tool_name or _name_of(function),
            topic_domain=topic_domain,
            classify=classify,
            signature=_signature_of(function),
            is_method=_is_plain_method(function),
        )
        around = next(around for matches, around in _AROUND if matches(function))
        return functools.wraps(function)(around(function, watch.open))

    if isinstance(tool, classmethod | staticmethod):
        return cast("Callable[P, R]", type(tool)(recorded(tool.__func__)))
    return cast("Callable[P, R]", recorded(tool))


def _around_function(tool: Tool, open_call: OpenCall) -> Tool:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        call = open_call(args, kwargs)
        try:
            value = tool(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        return _hand_on(value, call)

    return wrapper


_AROUND: tuple[tuple[Callable[[Tool], bool], Callable[[Tool, OpenCall], Tool]], ...] = (
    (inspect.isasyncgenfunction, around_async_generator),
    (lambda tool: inspect.isgeneratorfunction(tool) and not _is_awaited(tool), around_generator),
    (inspect.iscoroutinefunction, around_coroutine),
    (lambda tool: True, _around_function),
)

_FOLLOWED: tuple[tuple[Callable[[Any], bool], Callable[[Tool, OpenCall], Tool]], ...] = (
    (inspect.iscoroutine, around_coroutine),
    (inspect.isasyncgen, around_async_generator),
    (lambda value: inspect.isgenerator(value) and not inspect.isawaitable(value), around_generator),
)


def _hand_on(value: Any, call: WatchedCall) -> Any:
    """Return what a plain function returned; what is still to happen is recorded when it has."""
    for matches, around in _FOLLOWED:
        if matches(value):
            followed = around(lambda: value, lambda args, kwargs: call)()
            weakref.finalize(followed, call.unread, f"the caller never began to read the {type(value).__name__}")
            return followed
    if issubclass(type(value), asyncio.Future | concurrent.futures.Future):
        _watch_future(value, call)
    elif issubclass(type(value), Iterator | AsyncIterator | Awaitable):
        call.unread(f"what the returned {type(value).__name__} gives was read elsewhere")
    else:
        call.returned(value)
    return value


def _watch_future(future: _Future, call: WatchedCall) -> None:
    if future.done():
        _end(future, call)
    else:
        future.add_done_callback(lambda done: _end(done, call))


def _end(future: _Future, call: WatchedCall) -> None:
    if future.cancelled():
        call.raised(asyncio.CancelledError())
    elif error := future.exception():
        call.raised(error)
    else:
        call.returned(future.result())


def _is_awaited(tool: Tool) -> bool:
    """Tell whether a generator function is a coroutine of the old kind (`types.coroutine`)."""
    code = getattr(tool, "__code__", None)
    return code is not None and bool(code.co_flags & inspect.CO_ITERABLE_COROUTINE)


def _name_of(tool: Any) -> str:
    while isinstance(tool, functools.partial):
        tool = tool.func
    name = getattr(tool, "__name__", None)
    return name if isinstance(name, str) else type(tool).__name__


def _signature_of(tool: Tool) -> inspect.Signature | None:
    try:
        return inspect.signature(tool)
    except (TypeError, ValueError):
        return None


def _is_plain_method(tool: Tool) -> bool:
    """Tell whether a function was written in a class body and is not bound yet: its first argument is the object."""
    scope, _, _ = getattr(tool, "__qualname__", "").rpartition(".")
    in_class = inspect.isfunction(tool) and bool(scope) and not scope.endswith("<locals>")
    parameters = () if not in_class else tuple(inspect.signature(tool).parameters)
    return parameters[:1] in {("self",), ("cls",)}
