"""What the planner is offered: what each tool says of itself, without secrets; a tool's own fault never ends a turn."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from groundtrace.json_text import JsonValue
from groundtrace.redaction import Redactor
from groundtrace.roles import ToolSpec
from groundtrace.sources import Description
from groundtrace_adapters.careful_log import CarefulLog
from groundtrace_app.deadline import within
from groundtrace_app.tools.answer import EvidenceTool

_log = CarefulLog("groundtrace.chat")


async def offer(tools: Sequence[EvidenceTool], /, *, redactor: Redactor, seconds: float) -> tuple[ToolSpec, ...]:
    """Return each tool's description, redacted; one that gives none in time is still offered, without details."""
    return tuple(await asyncio.gather(*(_spec(tool, redactor, seconds) for tool in tools)))


async def _spec(tool: EvidenceTool, redactor: Redactor, seconds: float) -> ToolSpec:
    async def described() -> ToolSpec:
        return await tool.describe()

    try:
        spec = await within(described(), seconds)
        return replace(spec, source=_without_secrets(spec.source, redactor))
    except Exception as fault:  # noqa: BLE001 - a tool's own fault never ends the turn
        _log.warning("tool %s did not describe itself: %s", tool.name, type(fault).__name__)
        return ToolSpec(name=tool.name, purpose="", parameters={}, source=Description(name=tool.name))


def _without_secrets(source: Description, redactor: Redactor) -> Description:
    """Redact what a source found in its data: the values of a log field may be anything, its titles and remarks too."""
    entities = redactor.value({name: list[JsonValue](values) for name, values in source.entities.items()})
    return replace(
        source,
        entities={name: _texts(values) for name, values in entities.items()} if isinstance(entities, dict) else {},
        metrics=tuple(map(redactor.text, source.metrics)),
        titles=tuple(map(redactor.text, source.titles)),
        unseen=tuple(map(redactor.text, source.unseen)),
    )


def _texts(values: JsonValue) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
