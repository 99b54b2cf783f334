"""The stored form of values that hold others: which kinds are read, and how (`encoding` has the whole table)."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Protocol, TypeAlias

from groundtrace.json_text import JsonValue, canonical


class Encoding(Protocol):
    """One encoding under way, as a container sees it: it gives its members, in order, and how many there are."""

    @property
    def spent(self) -> bool:
        """Tell whether nothing more may be encoded."""

    @property
    def room(self) -> int:
        """Return how many members a container may have now."""

    def items(self, items: Iterable[object], size: int, depth: int) -> list[JsonValue]:
        """Encode as many items as the bounds allow, and count the rest."""

    def members(self, members: Iterable[tuple[object, object]], size: int, depth: int) -> dict[str, JsonValue]:
        """Encode as many members as the bounds allow, and count the rest."""


Container: TypeAlias = Callable[[Encoding, Any, int], JsonValue]


def plain_dict(encoder: Encoding, value: dict[object, object], depth: int, /) -> JsonValue:
    """Encode a dict as it is, whatever a subclass makes of `items`."""
    return encoder.members(dict.items(value), dict.__len__(value), depth)


def _mapping(encoder: Encoding, value: Mapping[object, object], depth: int) -> JsonValue:
    return encoder.members(((name, value[name]) for name in value), len(value), depth)


def plain_list(encoder: Encoding, value: list[object], depth: int, /) -> JsonValue:
    """Encode a list as it is, whatever a subclass makes of iteration."""
    return encoder.items(list.__iter__(value), list.__len__(value), depth)


def _sequence(encoder: Encoding, value: Sequence[object], depth: int) -> JsonValue:
    return encoder.items(iter(value), len(value), depth)


def _set(encoder: Encoding, value: Set[object], depth: int) -> JsonValue:
    """Encode a set in the order of its items' canonical text; one too large to be sorted is only counted."""
    fits = len(value) <= encoder.room
    encoded = encoder.items(iter(value), len(value), depth) if fits else []
    if encoder.spent or not fits:
        return f"[set of {len(value):,} items left out]"
    return sorted(encoded, key=canonical)


def _namedtuple(encoder: Encoding, value: Any, depth: int) -> JsonValue:
    return encoder.members(zip(type(value)._fields, tuple.__iter__(value), strict=False), tuple.__len__(value), depth)


def _fields(encoder: Encoding, value: Any, depth: int) -> JsonValue:
    """Encode a dataclass; a field that cannot be read is told by itself and spoils no other."""
    names = type(value).__dataclass_fields__
    return encoder.members(((name, _read(value, name)) for name in names), len(names), depth)


def _model(encoder: Encoding, value: Any, depth: int) -> JsonValue:
    extra = value.__pydantic_extra__ or {}
    members = {**value.__dict__, **extra}
    return encoder.members(members.items(), len(members), depth)


def _read(value: object, name: str) -> object:
    try:
        return getattr(value, name)
    except Exception:  # noqa: BLE001 - a property of a foreign class may raise anything
        return "[unreadable]"


def _is_model(kind: type) -> bool:
    return hasattr(kind, "__pydantic_fields__") and hasattr(kind, "__pydantic_extra__")


def _is_instance_of(*bases: type) -> Callable[[type], bool]:
    return lambda kind: issubclass(kind, bases)


# In this order: a named tuple is a tuple, a mapping that is no dict is asked key by key.


CONTAINERS: tuple[tuple[Callable[[type], bool], Container], ...] = (
    (_is_instance_of(dict), plain_dict),
    (_is_instance_of(list), plain_list),
    (lambda kind: issubclass(kind, tuple) and hasattr(kind, "_fields"), _namedtuple),
    (_is_instance_of(Set), _set),
    (_is_instance_of(Mapping), _mapping),
    (_is_instance_of(Sequence, deque), _sequence),
    (_is_model, _model),
    (lambda kind: hasattr(kind, "__dataclass_fields__"), _fields),
)
"""The first kind that a class is of decides how its values are read."""
