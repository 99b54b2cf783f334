"""Which recording a call belongs to: the one of its context, so that sessions that run side by side never mix."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from groundtrace.shapes.known import KNOWN_SHAPES
from groundtrace.shapes.registry import Shapes
from groundtrace_app.recorder import ToolInvocationRecorder

P = ParamSpec("P")
R = TypeVar("R")

NO_SESSION = ""
"""The session of a call that belongs to none: the recorder keeps each such call in a session of its own."""


class HasRecorder(Protocol):
    """Where calls can be recorded: a `Trace`, for one."""

    @property
    def recorder(self) -> ToolInvocationRecorder:
        """Return its recorder."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recording:
    """One session being recorded; what `with recording(...)` gives."""

    recorder: ToolInvocationRecorder
    session_id: str
    turn_id: str | None = None
    shapes: Shapes = KNOWN_SHAPES

    def bound(self, function: Callable[P, R], /) -> Callable[P, R]:
        """Return a function or coroutine function that runs in this recording, whatever thread or task calls it.

        A pool of threads takes no context over, and a task has the context in which it began.
        """
        if inspect.iscoroutinefunction(function):
            return cast("Callable[P, R]", self._bound_later(function))

        @functools.wraps(function)
        def in_recording(*args: P.args, **kwargs: P.kwargs) -> R:
            token = _active.set(self)
            try:
                return function(*args, **kwargs)
            finally:
                _active.reset(token)

        return in_recording

    def _bound_later(self, function: Callable[P, Coroutine[Any, Any, Any]]) -> Callable[P, Coroutine[Any, Any, Any]]:
        @functools.wraps(function)
        async def in_recording(*args: P.args, **kwargs: P.kwargs) -> Any:
            token = _active.set(self)
            try:
                return await function(*args, **kwargs)
            finally:
                _active.reset(token)

        return in_recording

    def adopt(self) -> None:
        """Make this the recording of the calling thread, for good: the `initializer` of a thread pool."""
        _active.set(self)


_active: contextvars.ContextVar[Recording | None] = contextvars.ContextVar("groundtrace_recording", default=None)
_open: list[Recording] = []


@contextmanager
def recording(
    into: HasRecorder | ToolInvocationRecorder,
    /,
    *,
    session_id: str,
    turn_id: str | None = None,
    shapes: Shapes = KNOWN_SHAPES,
) -> Iterator[Recording]:
    """Record the calls of `@recorded` tools inside the `with` block as those of one session.

    Holds for the block, for the tasks begun in it and for `asyncio.to_thread`; inside one recording another may stand,
    and takes its place. A pool's thread does not take the context over: use `Recording.bound`, or `Recording.adopt` as
    the pool's initializer. `shapes` are the declared shapes that returned values are read by.
    """
    recorder = into if isinstance(into, ToolInvocationRecorder) else into.recorder
    current = Recording(recorder=recorder, session_id=session_id, turn_id=turn_id, shapes=shapes)
    token = _active.set(current)
    _open.append(current)
    try:
        yield current
    finally:
        _open.remove(current)
        _reset(token)


def active_recording() -> Recording | None:
    """Return the recording of this context; elsewhere one without a session, or None where nothing is recorded.

    A thread that did not take its context over belongs to no session that we could know. While recordings are open, all
    into one recorder, its calls are kept there, each in a session of its own: never in one that may be a stranger's.
    """
    current = _active.get()
    if current is not None:
        return current
    among = tuple(_open)
    if not among or any(one.recorder is not among[0].recorder for one in among):
        return None
    return Recording(recorder=among[0].recorder, session_id=NO_SESSION, shapes=among[0].shapes)


def _reset(token: contextvars.Token[Recording | None]) -> None:
    try:
        _active.reset(token)
    except ValueError:
        # Left in another context than it was begun in (a fixture, an asynchronous generator): that one is gone.
        return
