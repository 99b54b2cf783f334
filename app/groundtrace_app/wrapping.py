"""How each kind of callable is wrapped for `recorded`: functions, coroutines, generators and futures.

What the tool returns or raises comes out unchanged. What is to happen later is recorded when it has: a coroutine or a
future when it ends, a generator when it ends or its reader leaves it.
"""

import asyncio
import concurrent.futures
import functools
import inspect
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import MethodType
from typing import Any, TypeAlias

from groundtrace_app.following import OpenCall, Tool, around_async_generator, around_coroutine, around_generator
from groundtrace_app.placing import HowRecorded
from groundtrace_app.watching import Watch, WatchedCall

_MARK = "__groundtrace_tool__"

_Future: TypeAlias = "asyncio.Future[Any] | concurrent.futures.Future[Any]"


def wrapped(tool: Any, how: HowRecorded, /) -> Any:
    """Return `tool` with each call recorded; its name, signature, kind (`inspect.is...function`) and docstring stay.

    One that is recorded already is recorded once, as `how` says now.
    """
    if isinstance(tool, classmethod | staticmethod):
        return type(tool)(wrapped(tool.__func__, how))
    tool = _beneath(tool)
    watch = Watch(how, tool_name=_name_of(tool), signature=_signature_of(tool), is_method=_is_plain_method(tool))
    body = _body_of(tool)
    around = next(around for matches, around in _AROUND if matches(body))
    return _with_face(around(tool, watch.open), tool)


def _with_face(wrapper: Tool, tool: Tool) -> Tool:
    """Return the wrapper with all that a framework reads of a tool; a callable object and a partial have a part."""
    face = functools.wraps(tool)(wrapper)
    setattr(face, _MARK, tool)
    body = _body_of(tool)
    if body is not tool:
        face.__name__ = face.__qualname__ = _name_of(tool)
        face.__doc__ = tool.__doc__ if not isinstance(tool, functools.partial) else body.__doc__
        face.__annotations__ = dict(getattr(body, "__annotations__", {}))
    return face


def _beneath(tool: Any) -> Any:
    """Return the tool under our own wrapper, bound as it is; a decorator of others around it copies the mark."""
    if isinstance(tool, functools.partial):
        inner = _beneath(tool.func)
        return tool if inner is tool.func else functools.partial(inner, *tool.args, **tool.keywords)
    if inspect.ismethod(tool):
        inner = _beneath(tool.__func__)
        return tool if inner is tool.__func__ else MethodType(inner, tool.__self__)
    own = getattr(tool, "__dict__", {})
    return own[_MARK] if _MARK in own and own.get("__wrapped__") is own[_MARK] else tool


def _body_of(tool: Any) -> Any:
    """Return the function that runs when a tool is called, beneath partials and the `__call__` of an object."""
    while isinstance(tool, functools.partial):
        tool = tool.func
    if inspect.isroutine(tool) or isinstance(tool, type):
        return tool
    return type(tool).__call__ if callable(tool) else tool


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
        call.handed_on(value, f"what the returned {type(value).__name__} gives was read elsewhere")
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
