"""What a declared shape is: a name, how values of it are known, and how they are read. The families fill it in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from groundtrace import outcomes
from groundtrace.json_text import JsonValue
from groundtrace.outcomes import Output

Body: TypeAlias = Mapping[str, JsonValue]
"""A JSON object, as `encode` writes it."""

Inner: TypeAlias = Callable[[object], outcomes.Outcome]
"""What a value that stands inside another amounts to, by all shapes and the published rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the reader of a JSON object is told beside it.

    `output` is the object as the tool gave it. `limit` is how many items the call itself asked for, None where it did
    not say. `named`: the tool itself names this shape, so less of it has to be there.
    """

    output: Output
    inner: Inner
    limit: int | None = None
    named: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One declared shape: a pure classifier that can be named, or found by type.

    `types` are classes by top package and name (`httpx.Response`), subclasses included; `fits` tells an object of
    another class that looks like one. These are read by `read_object`. JSON objects, as values or as whole texts, are
    read by `read_body`; where `members` are given, only those that have at least one of them.

    A reader gives None for what is not of its shape; one that raises is passed over. A Success may be DIRECT only if
    the source itself shows it whole.
    """

    name: str
    types: tuple[str, ...] = ()
    fits: Callable[[object], bool] | None = None
    members: frozenset[str] = frozenset()
    read_object: Callable[[object, Inner], outcomes.Outcome | None] | None = None
    read_body: Callable[[Body, Told], outcomes.Outcome | None] | None = None
