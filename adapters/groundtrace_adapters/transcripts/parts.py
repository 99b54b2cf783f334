"""One JSON object too large to be held: the records that it lists, one by one, each inside what stands around it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.events import Record
from groundtrace_adapters.transcripts.nesting import prefixed
from groundtrace_adapters.transcripts.pieces import Piece, Unread

PART_CHARACTERS = 64 * 1024 * 1024
"""The largest record of such an object, by the characters of its names and texts."""

HEAD_CHARACTERS = 4 * 1024 * 1024
"""So much of what stands around the records is kept; a member beyond that is left out."""

BUFFER = 1024 * 1024
"""So many bytes are parsed at once: a text that spans many buffers is copied for each."""

TOO_LARGE = "one record that is too large"
BROKEN = "the JSON breaks here; nothing behind it was read"

_RESOURCES = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_LISTED = frozenset(
    {
        *(f"{resource}.item.{scope}.item.spans" for resource in _RESOURCES for scope in _SCOPES),
        "resourceLogs.item.scopeLogs.item.logRecords",
        *("spans", "data", "observations", "samples", "simulations", "traces.item.spans", "traces.item.observations"),
    }
)
_AROUND = frozenset(path[:end] for path in _LISTED for end, sign in enumerate(path) if sign == ".") | {""}

_Token: TypeAlias = tuple[str, str, Any]


@dataclass(slots=True)
class _Heads:
    """What was read so far of the objects around the records, by their paths."""

    members: dict[str, dict[str, JsonValue]] = field(default_factory=dict)

    def keep(self, prefix: str, value: JsonValue) -> None:
        """Keep a member of an object that stands around records."""
        around, _, name = prefix.rpartition(".")
        self.members.setdefault(around, {})[name] = value

    def around(self, path: str) -> dict[str, JsonValue]:
        """Return what is known of the object that a list stands in."""
        return self.members.get(path.rpartition(".")[0], {})


def parts_of(stream: BinaryIO, /, *, most: int = PART_CHARACTERS) -> Iterator[Piece]:
    """Yield the listed records of an object, nothing of one that lists none in a known place; may raise ImportError."""
    import ijson  # type: ignore[import-untyped]

    heads, number = _Heads(), 0
    tokens: Iterator[_Token] = prefixed(
        ijson.basic_parse(stream, use_float=True, multiple_values=True, buf_size=BUFFER)
    )
    try:
        for prefix, event, value in tokens:
            listed = prefix.removesuffix(".item")
            if listed in _LISTED and prefix != listed:
                found = _built(event, value, tokens, most)
                number += 1
                yield _part(found, listed, heads, number)
            elif event == "end_map":
                heads.members.pop(prefix, None)
            elif prefix.rpartition(".")[0] in _AROUND and prefix not in _AROUND | _LISTED and event != "map_key":
                head = _built(event, value, tokens, HEAD_CHARACTERS)
                if head is not None:
                    heads.keep(prefix, head[0])
    except (ijson.JSONError, UnicodeDecodeError, RecursionError, ValueError):
        yield Unread(place=f"record {number + 1}", why=BROKEN)


def _part(found: tuple[JsonValue] | None, listed: str, heads: _Heads, number: int) -> Piece:
    name = listed.rpartition(".")[2]
    place = f"{name} {number}"
    if found is None:
        return Unread(place=place, why=TOO_LARGE)
    return Record(place=place, value=_wrapped({**heads.around(listed), name: [found[0]]}, listed))


def _wrapped(value: dict[str, JsonValue], listed: str) -> JsonValue:
    """Return a record inside the lists that stand around its own, where its format needs them to know it."""
    if not listed.startswith("resourceLogs"):
        return value
    return {"resourceLogs": [{"scopeLogs": [value]}]}


def _built(event: str, value: Any, tokens: Iterable[_Token], most: int) -> tuple[JsonValue] | None:
    """Return the value that begins here, alone in a tuple, None for one that is too large; it is read to its end."""
    from ijson.common import ObjectBuilder  # type: ignore[import-untyped]

    builder, depth, size = ObjectBuilder(), 0, 0
    for _, kind, inner in chain(((("", event, value)),), tokens):
        depth += kind.startswith("start_")
        depth -= kind.startswith("end_")
        size += len(inner) if isinstance(inner, str) else 8
        if size <= most:
            builder.event(kind, inner)
        if depth == 0:
            break
    return (builder.value,) if size <= most else None
