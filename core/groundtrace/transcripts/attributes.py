"""Attributes of spans as one nested object: OTLP's lists of keys and values, flat names with dots, or nested ones."""

import json
from collections.abc import Iterator
from types import MappingProxyType

from groundtrace.json_text import JsonValue
from groundtrace.transcripts.fields import Body, bodies_of, body_of, items_of

OWN = ""
"""Where a name has a value and inner names besides, its value stands under this one."""

_DEPTH = 40
_DOTS = 12
_SCALARS = ("string", "int", "double", "bool", "bytes")
_NESTED = MappingProxyType(
    {"arrayValue": "array", "array_value": "array", "kvlistValue": "pairs", "kvlist_value": "pairs"}
)


class _Node(dict[str, JsonValue]):
    """An object made here, which may be written to; those of the record may not."""


def tree_of(attributes: JsonValue, /) -> Body:
    """Return attributes nested by the dots in their names; an empty object for what are none."""
    tree = _Node()
    for name, value in _pairs(attributes):
        _put(tree, name.split(".", _DOTS), value)
    return tree


def at(tree: Body, name: str, /) -> JsonValue:
    """Return the value of an attribute by its name with dots, None where there is none."""
    found: JsonValue = tree
    for part in name.split("."):
        found = body_of(found).get(part)
    return body_of(found).get(OWN, found)


def first_at(tree: Body, names: tuple[str, ...], /) -> JsonValue:
    """Return the value of the first of these attributes that has one."""
    return next((found for name in names if (found := at(tree, name)) is not None), None)


def listed(value: JsonValue, /) -> list[JsonValue]:
    """Return a list, also one whose items stand under their numbers."""
    if isinstance(value, list):
        return value
    numbered = [(int(name), one) for name, one in body_of(value).items() if name.isdecimal() and len(name) < 10]
    return [one for _, one in sorted(numbered, key=lambda pair: pair[0])]


def unwritten(value: JsonValue, /) -> JsonValue:
    """Return the object or list that a text writes in JSON, anything else as it stands."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, dict | list) else value


def _pairs(attributes: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(attributes, str):
        attributes = unwritten(attributes)
    if isinstance(attributes, dict):
        for name, value in attributes.items():
            yield name, _plain(value, _DEPTH)
    for pair in bodies_of(attributes):
        key = pair.get("key")
        if isinstance(key, str):
            yield key, _plain(pair.get("value"), _DEPTH)


def _plain(value: JsonValue, depth: int) -> JsonValue:
    """Return what an OTLP value holds; a value that is none stands as it is."""
    if not isinstance(value, dict) or len(value) != 1 or depth == 0:
        return value
    name, inner = next(iter(value.items()))
    match _NESTED.get(name):
        case "array":
            return [_plain(one, depth - 1) for one in items_of(body_of(inner).get("values"))]
        case "pairs":
            pairs = bodies_of(body_of(inner).get("values"))
            return {str(pair.get("key")): _plain(pair.get("value"), depth - 1) for pair in pairs}
        case _:
            return _scalar(value, name, inner)


def _scalar(value: JsonValue, name: str, inner: JsonValue) -> JsonValue:
    kind = name.removesuffix("Value").removesuffix("_value")
    if kind == name or kind not in _SCALARS:
        return value
    if kind == "int" and isinstance(inner, str) and inner.removeprefix("-").isdecimal() and len(inner) < 20:
        return int(inner)
    return inner


def _put(tree: Body, path: list[str], value: JsonValue) -> None:
    *outer, last = path
    for part in outer:
        inner = tree.get(part)
        if not isinstance(inner, _Node):
            tree[part] = inner = _node(inner)
        tree = inner
    there = tree.get(last)
    if not isinstance(there, dict):
        tree[last] = value
        return
    tree[last] = node = _node(there)
    node.update(value if isinstance(value, dict) else {OWN: value})


def _node(value: JsonValue) -> _Node:
    match value:
        case None:
            return _Node()
        case dict():
            return _Node(value)
        case list():
            return _Node({str(number): one for number, one in enumerate(value)})
        case _:
            return _Node({OWN: value})
