"""Names of things that run, found in words: exact, without the replica-set suffix, or with spaces for dashes.

Pure. A name counts only as a whole: `ts-order-service` is not in `ts-order-other-service`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundtrace_adapters.sources.field_names import ENTITY_FIELDS

_REPLICA = re.compile(r"(?:-[a-f0-9]{6,10})?-[a-z0-9]{5}$|-[a-f0-9]{8,10}$")
_HASHED = re.compile(r"\d")
_NO_NAMES = frozenset(
    "server main app default pod service container host node instance job the a true false none".split()
)
FILE = "file"
"""The field under which an entry's file is named: whose entry it is where nothing else says."""

_FIELD_ORDER = ("pod", "service", "app", "instance", "container", "deployment", "component", "job", "host", "node")
NAMES_KEPT = 5_000
"""How many names are compared, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """One known value of an entity field; `field` is canonical (`pod`, `app`, ...)."""

    field: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place in a text that names one thing, or several where a short name leaves them open."""

    names: tuple[Name, ...]
    text: str
    begin: int
    end: int


def base_name(value: str, /) -> str:
    """Return a pod's name without the suffixes of replica set and pod; other names as they are."""
    found = _REPLICA.search(value)
    if found is None or not _HASHED.search(found[0]):
        return value
    return value[: found.start()] or value


def names_in(*fields: Mapping[str, Iterable[str]]) -> tuple[Name, ...]:
    """Return the names that entity fields hold, each once, the narrower fields first."""
    held = {(field, value) for known in fields for field, values in known.items() for value in values}
    usable = (
        Name(field=field, value=value)
        for field, value in held
        if (field in ENTITY_FIELDS or field == FILE) and _usable(value)
    )
    return tuple(sorted(usable, key=lambda name: (_order(name.field), name.field, name.value)))[:NAMES_KEPT]


def find_names(text: str, names: Iterable[Name], /) -> tuple[Mention, ...]:
    """Return the names in a text, the longest first where they overlap, in the order of the text."""
    forms: dict[str, dict[Name, None]] = {}
    for name in names:
        for form in _forms(name.value):
            forms.setdefault(form, {})[name] = None
    lowered = text.casefold()
    if len(lowered) != len(text):
        lowered = text.lower() if len(text.lower()) == len(text) else text
    present = sorted((form for form in forms if form in lowered), key=lambda form: (-len(form), form))
    found: list[Mention] = []
    for form in present:
        for match in re.finditer(rf"(?<![\w-])(?<!\w\.){re.escape(form)}(?![\w-])(?!\.\w)", lowered):
            begin, end = match.span()
            if all(end <= other.begin or begin >= other.end for other in found):
                found.append(Mention(names=_best(forms[form], form), text=text[begin:end], begin=begin, end=end))
    return tuple(sorted(found, key=lambda mention: mention.begin))


def _forms(value: str) -> set[str]:
    base = base_name(value).casefold()
    spaced = base.replace("-", " ").replace("_", " ")
    forms = {value.casefold(), base}
    return forms | {spaced} if len(spaced) > 5 else forms


def _best(names: Mapping[Name, None], form: str) -> tuple[Name, ...]:
    exact = [name for name in names if name.value.casefold() == form]
    return tuple(exact or names)


def _usable(value: str) -> bool:
    return 2 < len(value) <= 200 and value.casefold() not in _NO_NAMES and not value.isdigit()


def _order(field: str) -> int:
    return _FIELD_ORDER.index(field) if field in _FIELD_ORDER else len(_FIELD_ORDER)
