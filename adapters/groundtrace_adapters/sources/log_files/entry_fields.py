"""What an entry names beside its text: `key=value` pairs of plain lines, keys of JSON objects, columns of CSV.

Pure and bounded: fields have canonical names, and an entry gives at most 64 of them, each of at most 1,024 characters.
"""

import json
import re
from collections.abc import Iterator, Mapping

from groundtrace.text import clean, cut, is_blank
from groundtrace_adapters.sources.field_names import canonical_fields

MOST_FIELDS = 64
FIELD_CHARACTERS = 1_024

_SEARCHED_CHARACTERS = 4_096
_DEPTH = 4
_PAIR = re.compile(
    r'(?<![\w.\-/@%&?])([A-Za-z_@][\w.\-/]{0,63})=("(?:[^"\\\n]|\\.){0,1024}"|[^\s,;"()\[\]{}]+|\[[^\s\[\]]{1,200}\])'
)
_QUOTED = re.compile(r"\\(.)")
_SYSLOG = re.compile(
    r"(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\S* (?P<host>\S+) (?P<app>[^\s:\[\]]+)(?:\[\d+\])?: "
)


def fields_of_line(text: str, /) -> dict[str, str]:
    """Return the `key=value` pairs of a plain entry (the first of each key), and host and program of a syslog line."""
    head = text[:_SEARCHED_CHARACTERS]
    found: dict[str, str] = {}
    syslog = _SYSLOG.match(head)
    if syslog is not None:
        found |= syslog.groupdict()
    for pair in _PAIR.finditer(head):
        if len(found) < MOST_FIELDS:
            found.setdefault(pair[1], _unquoted(pair[2]))
    return canonical_fields(found)


def fields_of_record(record: Mapping[str, object], /, *, without: tuple[str | None, ...] = ()) -> dict[str, str]:
    """Return the named values of a JSON object or CSV row as text, nested names joined by dots, blank ones left out."""
    found: dict[str, str] = {}
    for name, value in _leaves(record, ""):
        if len(found) >= MOST_FIELDS:
            break
        if name not in without and not is_blank(value):
            found[clean(name)] = cut(clean(value), FIELD_CHARACTERS)
    return canonical_fields(found)


def _leaves(record: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and prefix.count(".") < _DEPTH:
            yield from _leaves(value, f"{name}.")
        elif value is not None:
            yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unquoted(text: str) -> str:
    return _QUOTED.sub(r"\1", text[1:-1]) if text.startswith('"') else text
