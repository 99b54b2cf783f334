"""Spans and observations in one form: what each tells of a tool's call, and of the messages around a model's."""

from dataclasses import dataclass
from datetime import datetime

from groundtrace.encoding import frozen
from groundtrace.json_text import JsonValue, canonical, fingerprint_of
from groundtrace.outcomes import FailureKind
from groundtrace.text import clean
from groundtrace.transcripts.events import Event

_DEPTH = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """A tool's run. `arguments` is None where none were kept; `done` tells whether an outcome was.

    `empty` and `repeated` are told only by our own spans.

    A run that is not `sure` may be anything that has a name: it is a call only if a message asked for that tool.
    """

    name: str
    call_id: str | None = None
    arguments: JsonValue = None
    output: JsonValue = None
    done: bool = False
    failed: bool | None = None
    error: str | None = None
    kind: FailureKind | None = None
    empty: bool = False
    repeated: bool = False
    sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One span or observation; `before` is what stood in a model's input, in order, and `after` what it gave."""

    place: str
    trace: str | None
    conversation: str | None = None
    id: str | None = None
    parent: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    agent: bool = False
    tool: ToolStep | None = None
    before: tuple[Event, ...] = ()
    after: tuple[Event, ...] = ()


def mark_of(value: object, /) -> str:
    """Return what is equal for equal values, and short."""
    return fingerprint_of(clean(value) if isinstance(value, str) else canonical(frozen(value).value))


def weight_of(value: object, /, depth: int = _DEPTH) -> int:
    """Return about how many bytes a value holds."""
    if isinstance(value, str):
        return len(value) + 50
    if depth == 0:
        return 50
    if isinstance(value, dict):
        return 100 + sum(len(str(name)) + weight_of(one, depth - 1) for name, one in value.items())
    if isinstance(value, list | tuple):
        return 100 + sum(weight_of(one, depth - 1) for one in value)
    return 50
