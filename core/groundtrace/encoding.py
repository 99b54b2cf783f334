"""One documented, deterministic JSON value for every Python value that a tool may be given or return.

| value | stored form |
|---|---|
| str, bool, None, int, finite float | as it is; a NUL or lone surrogate is replaced visibly |
| int of more than 2,000 bits | its hexadecimal text (no reader with a digit limit would take the number) |
| NaN, infinities | "NaN", "Infinity", "-Infinity" |
| Decimal, Fraction, complex, UUID, path | its text |
| datetime, date, time | ISO 8601, with the zone if it has one; timedelta: "PT90S" |
| bytes | as UTF-8 text, other bytes as `\\xff` |
| enum member | its value |
| list, tuple, deque, range, dict view | list; set: list sorted by canonical text |
| mapping, dataclass, pydantic model, namedtuple | object; a key that is no text becomes its canonical JSON text |
| everything else (functions, generators, clients) | `<type name>`, never its `repr` |

What cannot be read becomes `<type name: unreadable>`, a cycle `[cycle]`, nesting over 64 `[nested too deep]`; beyond
`Bounds` the rest is counted and left out. Nothing is consumed, no caller's `str` or `repr` of a client is asked.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from typing_extensions import override

from groundtrace.encoding_containers import CONTAINERS, Container, plain_dict, plain_list
from groundtrace.encoding_scalars import SCALARS, finite, integer
from groundtrace.json_text import JsonValue, bounded_json, canonical, fingerprint, free_name, plain, short_text
from groundtrace.outcomes import Output
from groundtrace.text import clean

__all__ = [
    "DEEPEST",
    "Bounds",
    "FrozenParams",
    "JsonValue",
    "bounded_json",
    "canonical",
    "encode",
    "encode_params",
    "fingerprint",
    "freeze_params",
    "frozen",
    "output_of",
]

DEEPEST = 64
"""The deepest nesting that is stored."""

_FEW, _SHORT, _SMALL, _SHALLOW = 64, 8_192, 2**63, 2
_VALUE = 64
"""About what a value, or a name, and its place in a container take besides its characters, in bytes."""

CYCLE = "[cycle]"
TOO_DEEP = "[nested too deep]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much of a value is encoded: `values` in all, half of them in one container; `characters` of text in all."""

    values: int
    characters: int
    one_text: int


PARAMETERS = Bounds(values=50_000, characters=1024 * 1024, one_text=256 * 1024)
_AGAIN = Bounds(values=100_000, characters=2 * 1024 * 1024, one_text=512 * 1024)
OUTPUT = Bounds(values=250_000, characters=16 * 1024 * 1024, one_text=16 * 1024 * 1024)


class FrozenParams(NamedTuple):
    """An encoded value that nobody else holds, and about how many bytes it takes in memory; it shows neither.

    As `ToolCall.input_params`, parameters frozen when their call began come out as they are, and cost nothing more.
    """

    value: JsonValue
    weight: int

    @override
    def __repr__(self) -> str:
        """Show nothing of what may hold secrets."""
        return "FrozenParams()"


def encode(value: object, /, *, bounds: Bounds = PARAMETERS) -> JsonValue:
    """Return the stored form of any value: total, deterministic, and bounded in time whatever the value does."""
    return frozen(value, bounds=bounds).value


def frozen(value: object, /, *, bounds: Bounds = PARAMETERS) -> FrozenParams:
    """Return the stored form of any value, as it is now, and its weight."""
    if type(value) is dict and len(value) <= _FEW:
        kept: dict[str, JsonValue] = {}
        try:
            weight = _plain_members(value, kept, _SHALLOW)
        except RuntimeError:
            # Somebody changes it meanwhile: what it is at one instant is kept.
            value, weight = value.copy(), -1
        if 0 <= weight <= _SHORT:
            return FrozenParams(kept, weight)
    encoder = _Encoder(bounds)
    return FrozenParams(encoder.encode(value, DEEPEST), encoder.weight)


def output_of(value: object, /) -> Output:
    """Return what a tool returned as an output: text and bytes as they are, all else as JSON text of its encoding."""
    if type(value) is str or type(value) is bytes:
        return value
    encoded = encode(value, bounds=OUTPUT)
    return encoded if isinstance(encoded, str) else plain(encoded)


def encode_params(params: object, /) -> JsonValue:
    """Return the stored form of a call's parameters; JSON text of an object counts as that object.

    Text in which a key repeats stays text: as an object it would lose a member. Parameters that were encoded when the
    call began come out as they are, however large.
    """
    return freeze_params(params).value


def freeze_params(params: object, /) -> FrozenParams:
    """Return a call's parameters as `encode_params` does, as they are now, whatever happens to `params` later."""
    if type(params) is FrozenParams:
        return params
    if isinstance(params, str) and len(params) <= PARAMETERS.characters and params.lstrip()[:1] == "{":
        try:
            return frozen(json.loads(params, object_pairs_hook=_distinct), bounds=_AGAIN)
        except (ValueError, RecursionError):
            return frozen(params, bounds=_AGAIN)
    return frozen(params, bounds=_AGAIN)


def _distinct(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("a key repeats")
    return found


def _plain_members(members: Any, kept: dict[str, JsonValue], depth: int) -> int:
    """Copy a small object of short texts and small numbers, the common case, and weigh it; -1 for any other."""
    weight = 2 * _VALUE * len(members)
    for name, value in members.items():
        kind = type(value)
        if type(name) is not str or not (name.isidentifier() or (name.isascii() and "\0" not in name)):
            return -1
        if kind is str:
            weight += len(value)
            kept[name] = value if value.isascii() and "\0" not in value else clean(value)
        elif value is None or kind is bool or _is_plain_number(value, kind):
            kept[name] = value
        elif (kind is dict or kind is list) and depth and len(value) <= _FEW:
            inner: Any = kind()
            size = (_plain_members if kind is dict else _plain_items)(value, inner, depth - 1)
            if size < 0:
                return -1
            weight += size
            kept[name] = inner
        else:
            return -1
    return weight


def _is_plain_number(value: Any, kind: type) -> bool:
    return (kind is int and -_SMALL < value < _SMALL) or (kind is float and value - value == 0)


def _plain_items(items: Any, kept: list[JsonValue], _: int) -> int:
    """Copy a short list of short texts and small integers, and weigh it; -1 for any other."""
    weight = _VALUE * len(items)
    for value in items:
        if type(value) is str and len(value) <= _SHORT:
            weight += len(value)
            kept.append(value if value.isascii() and "\0" not in value else clean(value))
        elif type(value) is int and -_SMALL < value < _SMALL:
            kept.append(value)
        else:
            return -1
    return weight


class _Encoder:
    """One encoding under way: what is left of its bounds, and the containers that are open."""

    __slots__ = ("_characters", "_one_container", "_one_text", "_open", "_values", "weight")

    def __init__(self, bounds: Bounds) -> None:
        self._values = bounds.values
        self._characters = bounds.characters
        self._one_text = bounds.one_text
        self._one_container = bounds.values // 2
        self._open: set[int] = set()
        self.weight = 0

    def encode(self, value: Any, depth: int) -> JsonValue:
        """Encode one value that stands `depth` levels above the deepest."""
        kind = type(value)
        self._values -= 1
        self.weight += _VALUE
        if kind is str:
            return self._text(value)
        if value is None or value is True or value is False:
            return value
        if kind is int:
            return integer(value)
        if kind is float:
            return finite(value)
        try:
            return self._rest(value, kind, depth)
        except Exception:  # noqa: BLE001 - whatever a foreign `__iter__`, property or `str` raises, the call is recorded
            return f"<{_name(kind)}: unreadable>"

    def _rest(self, value: Any, kind: type, depth: int) -> JsonValue:
        if kind is dict or kind is list:
            return self._nested(plain_dict if kind is dict else plain_list, value, depth)
        for base, scalar in SCALARS:
            if issubclass(kind, base):
                return self.encode(scalar(value), depth)
        for matches, container in CONTAINERS:
            if matches(kind):
                return self._nested(container, value, depth)
        for method in ("__fspath__", "__index__"):
            if hasattr(kind, method):
                return self.encode(getattr(kind, method)(value), depth)
        return f"<{_name(kind)}>"

    def _nested(self, container: Container, value: object, depth: int) -> JsonValue:
        if depth == 0:
            return TOO_DEEP
        if id(value) in self._open:
            return CYCLE
        self._open.add(id(value))
        try:
            return container(self, value, depth - 1)
        finally:
            self._open.discard(id(value))

    def _text(self, text: str) -> str:
        if len(text) > self._one_text:
            text = short_text(text, self._one_text)
        self._characters -= len(text)
        if text.isascii() and "\0" not in text:
            self.weight += len(text)
            return text
        text = clean(text)
        self.weight += text.__sizeof__()
        return text

    @property
    def room(self) -> int:
        """Return how many members a container may have now: one that is huge leaves room for its neighbours."""
        return max(min(self._values, self._one_container), 0)

    @property
    def spent(self) -> bool:
        """Tell whether nothing more may be encoded."""
        return self._values < 0 or self._characters < 0

    def items(self, items: Iterable[object], size: int, depth: int) -> list[JsonValue]:
        """Encode as many items as the bounds allow, and count the rest."""
        kept: list[JsonValue] = []
        for item in list(islice(items, self.room)):
            if self._values < 0 or self._characters < 0:
                break
            kept.append(self.encode(item, depth))
        if size > len(kept):
            kept.append(f"[... {size - len(kept):,} more items left out]")
        return kept

    def members(self, members: Iterable[tuple[object, object]], size: int, depth: int) -> dict[str, JsonValue]:
        """Encode as many members as the bounds allow, count the rest, and keep both where two keys become one."""
        kept: dict[str, JsonValue] = {}
        for name, value in list(islice(members, self.room)):
            if self._values < 0 or self._characters < 0:
                break
            key = self._text(name) if type(name) is str else self._key(name, depth)
            self.weight += _VALUE
            kept[key if key not in kept else free_name(key, kept)] = self.encode(value, depth)
        if size > len(kept):
            kept[free_name("[...]", kept)] = f"[... {size - len(kept):,} more members left out]"
        return kept

    def _key(self, name: object, depth: int) -> str:
        key = self.encode(name, depth)
        return key if isinstance(key, str) else canonical(key)


def _name(kind: type) -> str:
    try:
        return short_text(clean(str.__str__(kind.__name__)), 100)
    except Exception:  # noqa: BLE001 - a metaclass may raise anything
        return "object"
