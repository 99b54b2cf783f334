"""`recorded` around a tool, `recording` around a session: what a tool returns or raises stays, one true row remains.

The tool keeps its name, signature, docstring, annotations and kind, so `@recorded` goes under a framework's decorator
that builds a schema from them, and sees the real exception there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypedDict, TypeVar, Unpack, overload

from groundtrace.classify import Classifier
from groundtrace.shapes.registry import Shapes
from groundtrace.shapes.shape import Shape
from groundtrace_app.active_recording import Recording, recording
from groundtrace_app.placing import HowRecorded
from groundtrace_app.recorder import ToolInvocationRecorder
from groundtrace_app.wrapping import wrapped

__all__ = ["RecordedOptions", "Recording", "recorded", "recording"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class RecordedOptions(TypedDict, total=False):
    """The options of `recorded`, which says what each is."""

    tool_name: str | None
    topic_domain: str | None
    classify: Classifier | Shape | str | None
    shapes: Shapes | None
    recorder: ToolInvocationRecorder | None
    session_id: str | Callable[[], str] | None
    turn_id: str | None


class _Recorded:
    """What `@recorded(...)` gives: a decorator that keeps the type of what it decorates."""

    __slots__ = ("_how",)

    def __init__(self, how: HowRecorded) -> None:
        self._how = how

    @overload
    def __call__(self, tool: classmethod[T, P, R], /) -> classmethod[T, P, R]: ...
    @overload
    def __call__(self, tool: staticmethod[P, R], /) -> staticmethod[P, R]: ...
    @overload
    def __call__(self, tool: Callable[P, R], /) -> Callable[P, R]: ...
    def __call__(self, tool: Any, /) -> Any:
        """Return `tool` with each call recorded."""
        return wrapped(tool, self._how)


@overload
def recorded(tool: classmethod[T, P, R], /, **options: Unpack[RecordedOptions]) -> classmethod[T, P, R]: ...
@overload
def recorded(tool: staticmethod[P, R], /, **options: Unpack[RecordedOptions]) -> staticmethod[P, R]: ...
@overload
def recorded(tool: Callable[P, R], /, **options: Unpack[RecordedOptions]) -> Callable[P, R]: ...
@overload
def recorded(**options: Unpack[RecordedOptions]) -> _Recorded: ...
def recorded(tool: Any = None, /, **options: Unpack[RecordedOptions]) -> Any:
    """Return `tool` with each call recorded, or a decorator that does so: `@recorded`, `@recorded(...)`, `recorded(f)`.

    A tool is a function, coroutine function, generator function (of either colour), method, class method, static
    method, `functools.partial` or callable object. What happens later is recorded when it has: a coroutine or a future
    when it ends, a generator when it ends or its reader leaves it. Iterators and awaitables of other kinds are handed
    on as they are, unseen: their row says so, and is no evidence.

    `tool_name` and `topic_domain` stand in the row in place of what is found. `classify` says what a returned value
    amounts to: a declared shape, its name (an unknown one is a ValueError), or a function of yours; where it says None
    or raises, the shapes (`shapes`, else those of the recording) and the published rules decide.

    A call goes to the recording that is open around it, or to `recorder` and `session_id` (a text, or a function that
    is asked at each call) where these are given. Where nothing is recorded, the tool runs as it is, and a warning of
    the logger `groundtrace.recorder` says so at its first call.
    """
    how = HowRecorded(**options)
    return _Recorded(how) if tool is None else wrapped(tool, how)
