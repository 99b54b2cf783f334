"""Function tools of the SDK, recorded where they fail: before it turns an exception into words for the model."""

import asyncio
import copy
import functools
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from agents import FunctionTool, Tool
from agents.tool_context import ToolContext

from groundtrace_app.frameworks.grounding import Grounding
from groundtrace_app.frameworks.openai_agents.place import place_now

Invoke: TypeAlias = Callable[[ToolContext[Any], str], Awaitable[Any]]

_RECORDED = "__groundtrace_recorded__"
_INNER = "_invoke_tool_impl"
"""Where an invoker of `function_tool` keeps what it guards; the extra pins the SDK's minor version."""


def recorded(tool: Tool, grounding: Grounding, /) -> Tool:
    """Return a copy of a function tool whose calls are recorded; what is no function tool, as it is."""
    if not isinstance(tool, FunctionTool):
        return tool
    invoker: Any = tool.on_invoke_tool
    inner: Invoke = getattr(invoker, _INNER, invoker)
    if getattr(inner, _RECORDED, False):
        return tool
    watched = _watched(inner, tool, grounding)
    own = copy.copy(tool)
    if inner is invoker:
        own.on_invoke_tool = watched
        return own
    guard = copy.copy(invoker)
    setattr(guard, _INNER, watched)
    guard._function_tool = None
    own.on_invoke_tool = guard.__agents_bind_function_tool__(own)
    return own


def _watched(invoke: Invoke, tool: FunctionTool, grounding: Grounding) -> Invoke:
    @functools.wraps(invoke)
    async def run(ctx: ToolContext[Any], arguments: str) -> Any:
        place = place_now(grounding)
        call = grounding.begin(tool.name, _params(arguments), session_id=place.session_id, turn_id=place.turn_id)
        clock = asyncio.get_running_loop().time
        started = clock()
        try:
            value = await invoke(ctx, arguments)
        except asyncio.CancelledError as cancelled:
            call.raised(_overrun(tool, clock() - started) or cancelled)
            raise
        except BaseException as error:
            call.raised(error)
            raise
        call.returned(value)
        return value

    setattr(run, _RECORDED, True)
    return run


def _overrun(tool: FunctionTool, lasted: float) -> TimeoutError | None:
    """Return the timeout that made the SDK cancel a tool, None where somebody else did."""
    limit = tool.timeout_seconds
    return TimeoutError(f"no answer within {limit:g} s") if limit is not None and lasted >= limit * 0.95 else None


def _params(arguments: str) -> object:
    try:
        return json.loads(arguments) if arguments else {}
    except (ValueError, RecursionError):
        return {"arguments": arguments}
