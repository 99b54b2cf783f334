"""A tool as LangChain runs it, with a look at what its body really returned or raised.

LangChain turns some exceptions into a message before anybody around the tool sees them (`handle_tool_error`), and each
value into text. A copy of the tool, made for one call, notes what came out of the body itself, and hands it on.
"""

import functools
from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool

from groundtrace_adapters.careful_log import CarefulLog

_log = CarefulLog("groundtrace.recorder")


class Sight:
    """What the body of a tool gave in one call; `seen` is False where it never ran to an end."""

    __slots__ = ("error", "seen", "value")

    def __init__(self) -> None:
        """Begin before the call."""
        self.seen = False
        self.value: object = None
        self.error: BaseException | None = None

    def returned(self, value: object, /) -> None:
        """Note a returned value."""
        self.seen, self.value, self.error = True, value, None

    def raised(self, error: BaseException, /) -> None:
        """Note an exception."""
        self.seen, self.value, self.error = True, None, error


def under_sight(tool: BaseTool, sight: Sight, /) -> BaseTool:
    """Return a copy of a tool whose body is that of the original, watched; a tool that cannot be copied, as it is."""
    try:
        copy = tool.model_copy()
        vars(copy).update(_run=_watched(tool._run, sight), _arun=_watched_async(tool._arun, sight))
    except Exception as fault:  # noqa: BLE001 - what cannot be watched is called all the same
        _log.warning("the body of tool %s cannot be watched: %s", tool.name, type(fault).__name__)
        return tool
    return copy


def _watched(body: Callable[..., Any], sight: Sight) -> Callable[..., Any]:
    @functools.wraps(body)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            value = body(*args, **kwargs)
        except BaseException as error:
            sight.raised(error)
            raise
        sight.returned(value)
        return value

    return run


def _watched_async(body: Callable[..., Any], sight: Sight) -> Callable[..., Any]:
    @functools.wraps(body)
    async def run(*args: Any, **kwargs: Any) -> Any:
        try:
            value = await body(*args, **kwargs)
        except BaseException as error:
            sight.raised(error)
            raise
        sight.returned(value)
        return value

    return run
