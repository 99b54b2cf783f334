"""Whether a log entry, a series or a passage concerns a named thing: by its fields first, by its text only where
no field says whose it is."""

from collections.abc import Iterable, Mapping

from groundtrace_adapters.models.rules.entities import FILE, Mention, Name, base_name, find_names
from groundtrace_adapters.models.rules.evidence import LogUnit, SeriesUnit
from groundtrace_adapters.sources.field_names import ENTITY_FIELDS


def concerns(unit: LogUnit | SeriesUnit, mention: Mention, /) -> bool:
    """Tell whether a unit concerns one of the things that a mention may mean."""
    fields = unit.fields if isinstance(unit, LogUnit) else unit.labels
    text = unit.text if isinstance(unit, LogUnit) else ""
    return any(_is_of(fields, text, name) for name in mention.names)


def concerns_any(unit: LogUnit | SeriesUnit, mentions: Iterable[Mention], /) -> bool:
    """Tell whether a unit concerns at least one mention; with no mentions, every unit does."""
    found = tuple(mentions)
    return not found or any(concerns(unit, mention) for mention in found)


def _is_of(fields: Mapping[str, str], text: str, name: Name) -> bool:
    wanted = name.value.casefold()
    own = fields.get(name.field)
    if own is not None:
        return own.casefold() == wanted
    held = [value.casefold() for field, value in fields.items() if field in ENTITY_FIELDS or field == FILE]
    if wanted in held or wanted in (base_name(value) for value in held):
        return True
    return bool(text) and bool(find_names(text, (name,)))
