"""The tool calls of an inspect sample: in its messages, in its events, and in the content of a model's own tools."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

from groundtrace.encoding import frozen
from groundtrace.json_text import JsonValue, canonical
from groundtrace.outcomes import FailureKind
from groundtrace.transcripts.content_blocks import output_in
from groundtrace.transcripts.events import Called, Event, Returned
from groundtrace.transcripts.fields import Body, bodies_of, body_of, flag_of, items_of, moment_of, prose_of, text_of

_ATTACHED = "attachment://"
_DEPTH = 40

_KINDS = MappingProxyType(
    {
        "timeout": FailureKind.TIMEOUT,
        "permission": FailureKind.DENIED,
        "approval": FailureKind.DENIED,
        "cancelled": FailureKind.CANCELLED,
        "unicode_decode": FailureKind.BAD_OUTPUT,
    }
)


@dataclass(slots=True, kw_only=True)
class InspectCall:
    """A call of a sample; `event` is what the transcript of the run tells of it, `open` while no message answers it."""

    call_id: str | None
    event: Body | None = None
    open: bool = True


class ToolEvents:
    """The `tool` events of a sample, each to be taken by the call that it stands for."""

    def __init__(self, events: JsonValue) -> None:
        """Collect them; older logs hold the events of a tool inside its own."""
        self._events = list(_tools(events, _DEPTH))

    def take(self, call: Body) -> Body | None:
        """Return the first event of this call, by id, tool and arguments."""
        wanted = _name_of(call)
        for number, event in enumerate(self._events):
            if _name_of(event) == wanted:
                return self._events.pop(number)
        return None

    def rest(self) -> list[Body]:
        """Return the events that no message tells of: of other agents, or before a history was cut."""
        return self._events

    @staticmethod
    def finished(event: Body) -> bool:
        """Tell whether the call came back."""
        if event.get("pending") is True:
            return False
        return bool(event.get("error")) or "completed" in event or bool(event.get("result"))


def calls_of(message: Body, /) -> Iterator[Body]:
    """Yield the calls of an assistant's message."""
    return bodies_of(message.get("tool_calls"))


def called_in(body: Body, call: InspectCall, files: Body, /, *, place: str, session: str) -> Called:
    """Return a call as a message or an event tells it; arguments that were no JSON stand as they were given."""
    return Called(
        place=place,
        call_id=call.call_id,
        tool_name=text_of(body.get("function")) or "unnamed",
        arguments=resolved(body.get("arguments"), files),
        session=session,
        at=None if call.event is None else moment_of(call.event.get("timestamp")),
    )


def returned_in(
    body: Body, output: JsonValue, call: InspectCall, files: Body, /, *, place: str, session: str
) -> Returned:
    """Return what came back, from a message or an event: an `error` or `failed` says that the call broke."""
    event = call.event or {}
    error = body_of(body.get("error") or event.get("error"))
    told = bool(error) or flag_of(body.get("failed")) is True or flag_of(event.get("failed")) is True
    kind = text_of(error.get("type"))
    message = resolved(error.get("message"), files)
    return Returned(
        place=place,
        call_id=call.call_id,
        output=output_in(resolved(output, files)),
        failed=told,
        error=(text_of(message) or (f"error of type {kind}" if kind else None)) if told else None,
        kind=_KINDS.get(kind or "") if told else None,
        tool_name=text_of(body.get("function")),
        session=session,
        at=moment_of(event.get("completed")),
    )


def server_calls(parts: Iterable[Body], place: str, session: str, /) -> Iterator[Event]:
    """Yield the calls that a model's provider made itself: a part of the content holds call and result."""
    for part in parts:
        if part.get("type") != "tool_use" or "name" not in part:
            continue
        call_id, error = text_of(part.get("id")), text_of(part.get("error"))
        name = text_of(part.get("name")) or "unnamed"
        yield Called(place=place, call_id=call_id, tool_name=name, arguments=part.get("arguments"), session=session)
        if "result" in part or error:
            result = part.get("result")
            failed = error is not None
            yield Returned(
                place=place, call_id=call_id, output=result, failed=failed, error=error, tool_name=name, session=session
            )


def answer_in(output: Body, files: Body, /) -> str:
    """Return the final answer of a sample: its `completion`, in older logs the text of the first choice."""
    if text := text_of(resolved(output.get("completion"), files)):
        return text
    first = next(bodies_of(output.get("choices")), {})
    return prose_of(resolved(body_of(first.get("message")).get("content"), files))


def resolved(value: JsonValue, files: Body, /, depth: int = _DEPTH) -> JsonValue:
    """Return a value with the texts that are kept apart put back in."""
    if isinstance(value, str):
        found = files.get(value.removeprefix(_ATTACHED)) if value.startswith(_ATTACHED) else None
        return found if isinstance(found, str) else value
    if not files or depth == 0:
        return value
    if isinstance(value, list):
        return [resolved(one, files, depth - 1) for one in value]
    if isinstance(value, dict):
        return {name: resolved(one, files, depth - 1) for name, one in value.items()}
    return value


def _tools(events: JsonValue, depth: int) -> Iterator[Body]:
    for event in bodies_of(events):
        if event.get("event") == "tool":
            yield event
        if depth and items_of(event.get("events")):
            yield from _tools(event.get("events"), depth - 1)


def _name_of(call: Body) -> str:
    return canonical(frozen([call.get("id"), call.get("function"), call.get("arguments")]).value)
