"""Transcripts in memory for tests: records of one format, joined to calls and answers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundtrace import outcomes
from groundtrace.inference import infer
from groundtrace.invocation import ToolCall
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import OutcomeKind
from groundtrace.transcripts.events import Event, Format, Record
from groundtrace.transcripts.formats import format_of
from groundtrace.transcripts.joined import Findings, ImportedAnswer, ImportedCall
from groundtrace.transcripts.joining import Joining, Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """All that came of one transcript."""

    calls: tuple[ImportedCall, ...]
    answers: tuple[ImportedAnswer, ...]
    findings: Findings

    @property
    def kinds(self) -> list[OutcomeKind]:
        """The outcomes in order of appearance."""
        return [outcomes.kind_of(one.outcome) for one in self.calls]

    @property
    def outputs(self) -> dict[str, object]:
        """Output by tool."""
        return {one.call.tool_name: output_of(one) for one in self.calls}

    def by_peer(self, call_id: str) -> ImportedCall:
        """The call that the peer knows by this id."""
        return next(one for one in self.calls if details(one.call).get("call_id") == call_id)


def details(call: ToolCall, /) -> dict[str, object]:
    """What the importer says of a call in its row's details."""
    found = dict(call.details or {})["import"]
    assert isinstance(found, dict)
    return found


def output_of(one: ImportedCall, /) -> object:
    """The output of a call, None for a repeat."""
    return None if isinstance(one.outcome, outcomes.Deduped) else one.outcome.output


def imported(values: Sequence[JsonValue], form: Format | None = None, *, name: str = "file", **origin: str) -> Imported:
    """Join records of a format, which is found where none is given."""
    records = [Record(place=f"line {number}", value=value) for number, value in enumerate(values, start=1)]
    found = form or format_of(records)
    assert found is not None
    return joined(list(found.read(iter(records))), found, name=name, **origin)


def joined(events: Sequence[Event], form: Format, *, name: str = "file", prefix: str | None = None) -> Imported:
    """Join events."""
    joining = Joining(Origin(format=form, name=name, prefix=prefix), infer=infer)
    found = [one for event in events for one in joining.take(event)]
    found += list(joining.end())
    return Imported(
        calls=tuple(one for one in found if isinstance(one, ImportedCall)),
        answers=tuple(one for one in found if isinstance(one, ImportedAnswer)),
        findings=joining.findings,
    )


def asks(*calls: tuple[str, str, JsonValue]) -> JsonValue:
    """A chat message that calls tools: id, name and arguments each."""
    made: list[JsonValue] = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def brings(call_id: str, content: JsonValue) -> JsonValue:
    """A chat message that brings a result."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def says(role: str, content: str) -> JsonValue:
    """A chat message of words."""
    return {"role": role, "content": content}


def as_lines(values: Sequence[JsonValue]) -> bytes:
    """Records as JSON lines."""
    return "".join(f"{json.dumps(value)}\n" for value in values).encode()


ODD: list[JsonValue] = [None, True, 0, -1, 10**30, 1e308, "", "x", "\ud800\x1b[2J", [], {}, [[]], [{}], ["x"], [None]]
"""Values of every type, for the place of any other."""


def places(value: JsonValue, /, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Each place in a value, by its path."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in members:
        yield from places(inner, (*path, name))


def with_other(value: JsonValue, path: tuple[str | int, ...], other: JsonValue, /) -> JsonValue:
    """A value with another one at one place."""
    if not path:
        return other
    name, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: with_other(inner, rest, other) if key == name else inner for key, inner in value.items()}
    assert isinstance(value, list)
    return [with_other(inner, rest, other) if key == name else inner for key, inner in enumerate(value)]
